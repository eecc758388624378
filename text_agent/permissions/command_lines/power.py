"""Whether a command may write to files that grant power later."""

from __future__ import annotations

from text_agent.files.power_paths import grants_power, is_power_name
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.program import says
from text_agent.permissions.command_lines.programs import Told
from text_agent.permissions.command_lines.reading import why_command_changes
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import Word

# What all users' programs run, or are set up by.
_OF_SYSTEM = late_pattern(r"/(?:etc|usr|s?bin|lib\w*|boot|Library|System|var/spool/cron)(?:/|\Z)")
_READING_SETTINGS = frozenset({"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"})


def may_grant_power(told: Told, around: Surroundings, *, leads_on: bool = False) -> bool:
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
