"""What a command line is to the permission policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.dangers import find_danger
from text_agent.permissions.command_lines.inner_commands import all_commands
from text_agent.permissions.command_lines.lines import parse_line
from text_agent.permissions.command_lines.power import may_grant_power
from text_agent.permissions.command_lines.programs import row_of
from text_agent.permissions.command_lines.reading import why_not_reading
from text_agent.permissions.command_lines.secret_reading import leads_on, may_show_secret
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import UnreadableLineError

LineKind = Literal["reads", "other", "secret", "power", "danger"]

# Characters of a command that is looked at; who needs more writes a script, which can be reviewed.
_MAX_CHARS = 20_000
_NAME = late_pattern(r"[A-Za-z][\w:.-]*")
# Their commands that run what the next word names.
_RUNNING = frozenset({"exec", "run", "run-script", "tool", "x"})


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a line is."""

    # `reads`, so that nobody needs to be asked; `other`, it may change something; `secret`, it may show a
    # secret file; `power`, it may grant power later; `danger`, it is on the hard list, or nobody can tell.
    kind: LineKind
    reason: str = ""  # why it is no milder kind, in half a sentence for the user; empty for `reads`
    only_reads: bool = False  # it changes nothing, whatever it may show


def assess(text: str, around: Surroundings) -> Assessment:
    """Says what a line is; what cannot be told counts as dangerous."""
    if len(text) > _MAX_CHARS or "\0" in text:
        return Assessment("danger", "it is too long to be looked at, or no text")
    try:
        return _assess(text, around)
    except UnreadableLineError as error:
        return Assessment("danger", f"what it does cannot be told: {error}")


def _assess(text: str, around: Surroundings) -> Assessment:
    commands = all_commands(text, around.git_alias)
    if danger := find_danger(text, commands, around):
        return Assessment("danger", f"it {danger}")
    further = leads_on(commands)
    if any(may_grant_power(told, around, leads_on=further) for told in commands):
        return Assessment("power", "it may change what other programs run later")
    reason = why_not_reading(text, around) if around.is_posix else "its shell is read differently"
    if any(may_show_secret(told, around, leads_on=further) for told in commands):
        return Assessment("secret", "it may show a secret file", only_reads=reason is None)
    return Assessment("other", reason) if reason else Assessment("reads", only_reads=True)


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
