"""Whether a command may write to files that grant power later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from text_agent.power_paths import grants_power, is_power_name
from text_agent.shell.git_dangers import after_globals
from text_agent.shell.inner_commands import program_of
from text_agent.shell.lines import Command
from text_agent.shell.mentions import arguments_of, paths_in, paths_in_code
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
_READING_SETTINGS = frozenset({"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"})


def may_grant_power(command: Command, around: Surroundings) -> bool:
    """Whether a command may change what other programs run later."""
    if _schedules(command) or _sets_git_up(command) or any(map(is_power_name, _named(command, around))):
        return True
    return any(grants_power(path.rpartition("/")[2]) for path in _written(command, around))


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
    reads = program_of(command) in ("find", "git") and not why_words_change(command.words, around)
    if not reads and program_of(command) not in _HARMLESS:
        yield from _paths(arguments_of(command), around)


def _written(command: Command, around: Surroundings) -> Iterator[str]:
    """The paths that a command is known to write to, or may."""
    yield from _targets(command, around)
    yield from paths_in_code(command)
    if program_of(command) in _WRITERS:
        yield from _paths(arguments_of(command), around)


def _targets(command: Command, around: Surroundings) -> Iterator[str]:
    return _paths([each.target for each in command.redirections if ">" in each.operator], around)


def _paths(words: Iterable[Word], around: Surroundings) -> Iterator[str]:
    for word in words:
        for text in around.expand(word):
            yield from paths_in(text)
