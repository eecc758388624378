"""What a command line is to the permission policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from text_agent.files.power_paths import grants_power, is_power_name
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.dangers import find_danger
from text_agent.permissions.command_lines.inner_commands import all_commands
from text_agent.permissions.command_lines.lines import parse_line
from text_agent.permissions.command_lines.program import says
from text_agent.permissions.command_lines.programs import Told, row_of
from text_agent.permissions.command_lines.reading import why_command_changes, why_not_reading
from text_agent.permissions.command_lines.secret_reading import leads_on, may_show_secret
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import UnreadableLineError, Word

LineKind = Literal["reads", "other", "secret", "power", "danger"]

# Characters of a command that is looked at; who needs more writes a script, which can be reviewed.
_MAX_CHARS = 20_000
# What all users' programs run, or are set up by.
_OF_SYSTEM = late_pattern(r"/(?:etc|usr|s?bin|lib\w*|boot|Library|System|var/spool/cron)(?:/|\Z)")
_READING_SETTINGS = frozenset({"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"})
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
    if any(_may_grant_power(told, around, leads_on=further) for told in commands):
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


def _may_grant_power(told: Told, around: Surroundings, *, leads_on: bool) -> bool:
    """Whether a command may change what other programs run later; `leads_on`: another may write to it."""
    if _sets_up(told):
        return True
    changes = not told.command.words or why_command_changes(told.command, around) is not None
    named, written = list(told.command.assignments), [each.target for each in told.written()]
    if (changes and not told.row.is_harmless) or (leads_on and told.row.lists):
        named += told.arguments()
    if changes:
        written += _written(told)
    changed = (*told.paths_in_code(), *around.paths_of(written))
    return any(_is_power(path, around) for path in (*around.paths_of(named), *changed)) or any(
        _is_in_power(path, around) for path in changed
    )


def _is_power(path: str, around: Surroundings) -> bool:
    """Whether a path has a name that grants power, or leads to a file with one."""
    return is_power_name(path) or is_power_name(around.real_name(path))


def _is_in_power(path: str, around: Surroundings) -> bool:
    """The same of a path that is written to, for names that others are more likely to read."""
    in_folder = grants_power(path.rpartition("/")[2]) or grants_power(around.real_name(path))
    return in_folder or _OF_SYSTEM.match(path) is not None


def _sets_up(told: Told) -> bool:
    """Whether a command sets up what another program runs another day."""
    if told.name == "git config":
        return not _READING_SETTINGS.intersection(told.texts)
    texts = [word.text for word in told.command.words[1:]]
    if told.program == "crontab" and texts == ["-l"]:
        return False
    return told.says(told.row.powers) or (told.top.powers != "" and says(texts, told.top.powers))


def _written(told: Told) -> list[Word]:
    if told.row.writes not in ("all", "last"):
        return []
    words = told.arguments()
    is_told = any(word.text.startswith(("-t", "--target")) for word in words)
    return words[-1:] if told.row.writes == "last" and not is_told else words
