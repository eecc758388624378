"""What in a line ends programs that it has not started, this one and the user's own among them.

Nothing of a command runs on after it, so that a program with a number or a name is always somebody else's.
"""

from __future__ import annotations

from collections.abc import Sequence

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.programs import Told, row_of

# Its own: the last one in the background, a job, itself and its group.
_OWN_TARGET = late_pattern(r"\$!|\$\{!\}|%[\w%+-]*|-?(?:\$\$|\$\{\$\})|0|\$\(jobs -p\)|`jobs -p`")
_VARIABLE = late_pattern(r"\$(?:\{(\w+)\}|(\w+))")
_TOLD = "may end programs that it has not started (kill $! ends its own)"


def find_ending(told: Told, commands: Sequence[Told]) -> str | None:
    """What a command may end, or None; `commands` are all of its line."""
    if told.row.ends == "named":
        return None if told.texts[:1] in (["-l"], ["-V"], ["--help"]) else _TOLD
    if told.row.ends == "numbered":
        return None if all(_is_own(text, commands) for text in _targets(told.texts)) else _TOLD
    is_fed = told.program == "xargs" and any(row_of(text).ends for text in told.texts)
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


def _is_own(text: str, commands: Sequence[Told]) -> bool:
    if _OWN_TARGET.fullmatch(text):
        return True
    variable = _VARIABLE.fullmatch(text)
    name = variable and (variable[1] or variable[2])
    values = [
        word.text.partition("=")[2]
        for told in commands
        for word in told.command.assignments
        if name and word.text.startswith((f"{name}=", f"{name}+="))
    ]
    return bool(values) and all(_OWN_TARGET.fullmatch(value) for value in values)
