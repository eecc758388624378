"""What a command line is to the permission policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from text_agent.permissions.command_lines.dangers import find_danger
from text_agent.permissions.command_lines.inner_commands import all_commands
from text_agent.permissions.command_lines.power import may_grant_power
from text_agent.permissions.command_lines.reading import why_not_reading
from text_agent.permissions.command_lines.secret_places import leads_on
from text_agent.permissions.command_lines.secret_reading import may_show_secret
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import UnreadableLineError

LineKind = Literal["reads", "other", "secret", "power", "danger"]

# Characters of a command that is looked at; who needs more writes a script, which can be reviewed.
_MAX_CHARS = 20_000


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
