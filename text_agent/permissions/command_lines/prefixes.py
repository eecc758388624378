"""The beginning of a command that a user may allow for all that follow it."""

from __future__ import annotations

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.lines import parse_line
from text_agent.permissions.command_lines.programs import row_of
from text_agent.permissions.command_lines.words import UnreadableLineError

_NAME = late_pattern(r"[A-Za-z][\w:.-]*")
# Their commands that run what the next word names.
_RUNNING = frozenset({"exec", "run", "run-script", "tool", "x"})


def propose_prefix(command: str) -> str:
    """The words that say what kind of command it is, such as `git commit`; empty if none do."""
    words = plain_words(command)
    if not words or (row := row_of(words[0])).wraps or row.finds or "" in row.dangers:
        return ""
    count = _kind_length(words)
    return " ".join(words[:count]) if count else ""


def begins_with(command: str, prefix: str) -> bool:
    """Whether a command is one plain command whose first words are those of `prefix`."""
    wanted = prefix.split(" ")
    return plain_words(command)[: len(wanted)] == wanted


def plain_words(command: str) -> list[str]:
    """The words of one plain command; none for any other line."""
    if not command.isprintable():
        return []
    try:
        line = parse_line(command)
    except UnreadableLineError:
        return []
    return [word.text for word in line.commands[0].words] if line.plain else []


def _kind_length(words: list[str]) -> int:
    """How many words say what kind of command it is."""
    names = [bool(_NAME.fullmatch(word)) for word in words]
    if row_of(words[0]).language in ("shell", "code"):
        if words[1:2] == ["-m"] and names[2:3] == [True]:
            return 3
        return 2 if len(words) > 1 and not words[1].startswith("-") and " " not in words[1] else 0
    if names[1:2] != [True]:
        return 0 if row_of(words[0]).many_sided or " " in words[0] else 1
    if words[1] in _RUNNING:
        return 3 if names[2:3] == [True] else 0
    return 2
