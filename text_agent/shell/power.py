"""Whether a command may write to files that grant power later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from text_agent.power_paths import grants_power, is_power_name
from text_agent.shell.git_dangers import after_globals
from text_agent.shell.lines import Command
from text_agent.shell.mentions import arguments_of, paths_in, paths_in_code
from text_agent.shell.programs import program_of
from text_agent.shell.reading import why_words_change
from text_agent.shell.reading_table import READERS
from text_agent.shell.surroundings import Surroundings
from text_agent.shell.words import Word

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
_OF_SYSTEM = re.compile(r"/(?:etc|usr|s?bin|lib\w*|boot|Library|System|var/spool/cron)(?:/|\Z)")
_READING_SETTINGS = frozenset({"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"})


def may_grant_power(command: Command, around: Surroundings) -> bool:
    """Whether a command may change what other programs run later."""
    if _schedules(command) or _sets_git_up(command):
        return True
    if any(_is_power(path, around) for path in _named(command, around)):
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
    return program_of(command) in ("at", "batch", "crontab") and [
        word.text for word in command.words[1:]
    ] != ["-l"]


def _sets_git_up(command: Command) -> bool:
    if program_of(command) != "git":
        return False
    texts = [word.text for word in after_globals(command.words[1:])]
    return texts[:1] == ["config"] and not _READING_SETTINGS.intersection(texts)


def _named(command: Command, around: Surroundings) -> Iterator[str]:
    """The paths that a command names, unless it only reads."""
    yield from _targets(command, around)
    yield from paths_in_code(command)
    yield from _paths(command.assignments, around)
    reads = program_of(command) in ("find", "git") and not why_words_change(command.words, around)
    if not reads and program_of(command) not in _HARMLESS:
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
