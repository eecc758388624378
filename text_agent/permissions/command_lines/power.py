"""Whether a command may write to files that grant power later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from text_agent.files.power_paths import grants_power, is_power_name
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.git_dangers import after_globals
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.mentions import arguments_of, paths_in, paths_in_code
from text_agent.permissions.command_lines.programs import program_of
from text_agent.permissions.command_lines.reading import why_words_change
from text_agent.permissions.command_lines.reading_table import READERS
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import Word

# Programs that change no file whatever they are told, and those among the reading ones that can.
_HARMLESS = READERS.keys() - {"sort", "tree", "uniq", "xxd"} | {"[", "[[", "printf"}
# Programs that write to what they name, for names that others are more likely to read.
_WRITERS = frozenset(
    {"chmod", "cp", "dd", "install", "ln", "mv", "patch", "rm", "rsync", "sed", "sort", "tee", "touch",
     "truncate", "uniq", "unlink"}
)  # fmt: skip
# Of those, programs that write to the last one only.
_COPIERS = frozenset({"cp", "install", "ln", "rsync"})
# What all users' programs run, or are set up by.
_OF_SYSTEM = late_pattern(r"/(?:etc|usr|s?bin|lib\w*|boot|Library|System|var/spool/cron)(?:/|\Z)")
# Programs that set up hooks, services and the settings of others, by the words that make them do it.
_SETTING_UP: Mapping[str, tuple[tuple[str, ...], ...]] = {
    **dict.fromkeys(
        ("husky", "lefthook", "pre-commit"), (("install",), ("init",), ("add",), ("init-templatedir",))
    ),
    **dict.fromkeys(
        ("bunx", "npx", "pnpx", "uvx"), (("husky",), ("lefthook", "install"), ("pre-commit", "install"))
    ),
    **dict.fromkeys(("npm", "pip", "pip3", "pnpm", "yarn"), (("config", "set"), ("config", "edit"))),
    "git": (("lfs", "install"), ("maintenance", "start"), ("maintenance", "register")),
    "launchctl": (("load",), ("bootstrap",), ("enable",), ("submit",)),
    "systemctl": (("enable",), ("link",), ("edit",), ("reenable",)),
}
_READING_SETTINGS = frozenset({"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"})


def may_grant_power(command: Command, around: Surroundings, *, leads_on: bool = False) -> bool:
    """Whether a command may change what other programs run later.

    Args:
        command: the command.
        around: where it runs.
        leads_on: another one may write to what it names.
    """
    if _schedules(command) or _sets_git_up(command):
        return True
    if any(_is_power(path, around) for path in _named(command, around, leads_on=leads_on)):
        return True
    return any(
        grants_power(path.rpartition("/")[2])
        or grants_power(around.real_name(path))
        or _OF_SYSTEM.match(path)
        for path in _written(command, around)
    )


def _is_power(path: str, around: Surroundings) -> bool:
    """Whether a path has a name that grants power, or leads to a file with one."""
    return is_power_name(path) or is_power_name(around.real_name(path))


def _schedules(command: Command) -> bool:
    """Whether a command sets up what another program runs another day."""
    program, texts = program_of(command), [word.text for word in command.words[1:]]
    if program in ("at", "batch", "crontab"):
        return texts != ["-l"]
    names = [text for text in texts if not text.startswith("-")]
    return any(
        names[at : at + len(verbs)] == list(verbs) for verbs in _SETTING_UP.get(program, ()) for at in (0, 1)
    )


def _sets_git_up(command: Command) -> bool:
    if program_of(command) != "git":
        return False
    texts = [word.text for word in after_globals(command.words[1:])]
    if texts[:1] == ["remote"]:
        return any(text.startswith("ext::") for text in texts)
    return texts[:1] == ["config"] and not _READING_SETTINGS.intersection(texts)


def _named(command: Command, around: Surroundings, *, leads_on: bool) -> Iterator[str]:
    """The paths that a command names, unless it only reads."""
    yield from _targets(command, around)
    yield from paths_in_code(command)
    yield from _paths(command.assignments, around)
    reads = program_of(command) in ("find", "git") and not why_words_change(command.words, around)
    is_harmless = program_of(command) in _HARMLESS - ({"echo", "printf"} if leads_on else set())
    if not reads and not is_harmless:
        yield from _paths(arguments_of(command), around)


def _written(command: Command, around: Surroundings) -> Iterator[str]:
    """The paths that a command is known to write to, or may."""
    yield from _targets(command, around)
    yield from paths_in_code(command)
    if program_of(command) in _WRITERS:
        words = arguments_of(command)
        is_told = any(word.text.startswith(("-t", "--target")) for word in words)
        if program_of(command) in _COPIERS and not is_told:
            words = words[-1:]
        yield from _paths(words, around)


def _targets(command: Command, around: Surroundings) -> Iterator[str]:
    return _paths([each.target for each in command.redirections if ">" in each.operator], around)


def _paths(words: Iterable[Word], around: Surroundings) -> Iterator[str]:
    for word in words:
        for text in around.expand(word):
            yield from paths_in(text)
