"""What in a line ends programs that it has not started, this one and the user's own among them.

Nothing of a command runs on after it, so that a program with a number or a name is always somebody else's.
"""

from __future__ import annotations

from collections.abc import Sequence

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.flags import has_letter, means
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.programs import program_of

# Programs that end others by name, window or terminal.
_BY_NAME = frozenset({"killall", "killall5", "pkill", "skill", "slay", "xkill"})
# Its own: the last one in the background, a job, itself and its group.
_OWN_TARGET = late_pattern(r"\$!|\$\{!\}|%[\w%+-]*|-?(?:\$\$|\$\{\$\})|0|\$\(jobs -p\)|`jobs -p`")
_VARIABLE = late_pattern(r"\$(?:\{(\w+)\}|(\w+))")
_TOLD = "may end programs that it has not started (kill $! ends its own)"


def find_ending(command: Command, commands: Sequence[Command]) -> str | None:
    """What a command may end, or None; `commands` are all of its line."""
    program, texts = program_of(command), [word.text for word in command.words[1:]]
    if program in _BY_NAME:
        return None if texts[:1] in (["-l"], ["-V"], ["--help"]) else _TOLD
    if program == "fuser":
        return _TOLD if any(has_letter(text, "k") or means(text, "--kill") for text in texts) else None
    if program == "kill":
        return None if all(_is_own(text, commands) for text in _targets(texts)) else _TOLD
    is_fed = program == "xargs" and {"kill", *_BY_NAME}.intersection(texts)
    return _TOLD if is_fed else None


def _targets(texts: Sequence[str]) -> Sequence[str]:
    """The processes that `kill` is told of; none where it only looks at them, or lists signals."""
    if not texts or texts[0] in ("-l", "-L", "--list", "--table", "-0", "--help", "--version"):
        return ()
    if texts[0] in ("-s", "-n", "--signal"):
        return texts[3:] if texts[2:3] == ["--"] else texts[2:]
    if texts[0] == "--":
        return texts[1:]
    # Without a signal before it, a number with a dash is one, unless it stands alone.
    rest = texts[1:] if texts[0].startswith("-") and len(texts) > 1 else texts
    return rest[1:] if rest[:1] == ["--"] else rest


def _is_own(text: str, commands: Sequence[Command]) -> bool:
    if _OWN_TARGET.fullmatch(text):
        return True
    variable = _VARIABLE.fullmatch(text)
    name = variable and (variable[1] or variable[2])
    values = [
        word.text.partition("=")[2]
        for command in commands
        for word in command.assignments
        if name and word.text.startswith((f"{name}=", f"{name}+="))
    ]
    return bool(values) and all(_OWN_TARGET.fullmatch(value) for value in values)
