"""Whether a git command only reads, and how it is kept from running other programs meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from text_agent.permissions.command_lines.git_table import (
    ADDED_GLOBALS,
    GIT_READERS,
    HARMLESS_GLOBALS,
    QUIET_FLAGS,
    RUNNING_SETTING,
    USUAL_FILTERS,
    GitReader,
)
from text_agent.permissions.command_lines.lines import parse_line
from text_agent.permissions.command_lines.options import UnknownFlagError, parse_arguments
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import UnreadableLineError, Word


@dataclass(frozen=True, slots=True)
class GitCommand:
    """A reading command of git.

    Attributes:
        name: such as `log` or `stash list`.
        reader: what it may be told.
        last: the last word of its name.
        words: what follows it.
    """

    name: str
    reader: GitReader
    last: Word
    words: tuple[Word, ...]


def find_git_reader(words: Sequence[Word]) -> GitCommand | None:
    """The reading command that the words behind `git` name."""
    at = 0
    while at < len(words) and words[at].text in HARMLESS_GLOBALS:
        at += 1
    for length in (2, 1):
        name = " ".join(word.text for word in words[at : at + length])
        if name in GIT_READERS and len(words) >= at + length:
            rest = tuple(words[at + length :])
            return GitCommand(name, GIT_READERS[name], words[at + length - 1], rest)
    return None


def shows_files(words: Sequence[Word]) -> bool:
    """Whether git, told `words`, shows what is in files; unknown commands are no matter of this."""
    command = find_git_reader(words)
    if command is None or not command.reader.shows:
        return False
    if command.name != "log":
        return True
    try:
        return not parse_arguments(command.words, command.reader.flags).flags <= QUIET_FLAGS
    except UnknownFlagError:
        return True


def why_git_changes(words: Sequence[Word], around: Surroundings) -> str | None:
    """Why git, told `words`, may do more than read; None if it cannot."""
    command = find_git_reader(words)
    if command is None:
        return "this command of git is not known to only read"
    return _why_told_to(command, around) or _why_set_to(around)


def hardened(text: str) -> str:
    """The line with what keeps a reading git command from running other programs; any other line as it is."""
    try:
        line = parse_line(text)
    except UnreadableLineError:
        return text
    words = line.commands[0].words if line.plain else ()
    command = find_git_reader(words[1:]) if words and words[0].text == "git" else None
    if command is None:
        return text
    git, name = words[0].end, command.last.end
    added = f" {command.reader.added}" if command.reader.added else ""
    return f"{text[:git]} {ADDED_GLOBALS}{text[git:name]}{added}{text[name:]}"


def _why_told_to(command: GitCommand, around: Surroundings) -> str | None:
    try:
        arguments = parse_arguments(command.words, command.reader.flags)
    except UnknownFlagError as error:
        return str(error)
    if command.reader.most is not None and len(arguments.operands) > command.reader.most:
        return f"git {command.name} may change something with this many words"
    if any(mark in word.text for word in command.words for mark in ("%G", "%(signature")):
        return "it runs the program that checks signatures"
    operands = arguments.operands
    if command.name == "grep" and "-e" not in arguments.flags:
        operands = operands[1:]
    texts = [
        part for word in operands for text in around.expand(word) for part in (text, *text.split(":")[1:])
    ]
    if any(around.is_outside(text) for text in (*arguments.values, *texts)):
        return "it reads outside the workspace"
    return None


def _why_set_to(around: Surroundings) -> str | None:
    settings = around.git_settings()
    if settings is None:
        return "git's settings cannot be read"
    for name, values in settings.items():
        if RUNNING_SETTING.fullmatch(name) and {USUAL_FILTERS.get(name)} != set(values):
            return f"git's setting {name} runs programs"
    return None
