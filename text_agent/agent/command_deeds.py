"""What the simple commands of a line do, apart from how they are written, and whether files were changed."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath

from text_agent.files.kinds import FOREIGN_FOLDERS
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.inner_commands import all_commands
from text_agent.permissions.command_lines.lines import Command, Redirection
from text_agent.permissions.command_lines.programs import program_of
from text_agent.permissions.command_lines.rows_reading import READERS
from text_agent.permissions.command_lines.surroundings import texts_of
from text_agent.permissions.command_lines.words import UnreadableLineError, Word

_HERE = late_pattern(r"(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)/+")
_VARIABLE = late_pattern(r"\$(?:\{(\w+)\}|(\w+))")
# A word that the line makes out of others.
_FED = late_pattern(r"[$`]|\{\}")
_SEPARATOR = late_pattern(r"[;&|\r\n]+")
_QUOTE = late_pattern(r"['\"`\\]")
_WRITES = late_pattern(r"&?>>?\|?|<>|>&")
_NOWHERE = late_pattern(r"/dev/(?:null|std\w+|tty)|\d+|-")
# They end a command, or stand for what it is given.
_MARKS = frozenset({"", ";", "+", "{}"})
# They act on the shell alone, which ends with the line.
_SHELL_ONLY = frozenset({"", ":", "cd", "exit", "export", "popd", "pushd", "set", "sleep", "unset", "wait"})
# Their flags say whether they change anything, and so count.
_TWO_SIDED = frozenset({"command", "find", "git", "sed"})
# Files and folders that are looked at, and how far a file system's clock is behind.
_MAX_ENTRIES = 20_000
_LAG_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Deed:
    """What one simple command does."""

    program: str  # its name, without a folder
    # Its operands, and its flags where they count; in pieces without blanks and quotes.
    words: tuple[str, ...]
    telling: bool  # it may change something
    is_fed: bool  # it may get words from elsewhere in the line
    targets: tuple[str, ...]  # files that it may write its texts to
    texts: tuple[str, ...]  # what it is given, as it is

    @property
    def text(self) -> str:
        """The same for commands that do the same."""
        return self.part(self.words)

    def part(self, words: tuple[str, ...]) -> str:
        """The same of a command that has only some of the words."""
        return " ".join(("command", self.program, *words))


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A line's commands, at whatever depth."""

    deeds: tuple[Deed, ...]


@functools.lru_cache(maxsize=2048)
def read_line(line: str, root: str) -> CommandLine:
    """What a command line does.

    `line`: as the shell would get it. `root`: the folder in which it runs, with a slash behind it.
    """
    commands = _commands(line)
    values = {
        name: value
        for command in commands
        for name, _, value in (word.text.partition("=") for word in command.assignments)
        if not command.words
    }
    return CommandLine(tuple(_deed(command, root, values) for command in commands))


def _commands(line: str) -> list[Command]:
    """The commands of a line; of one that cannot be read, those of its pieces."""
    try:
        return [told.command for told in all_commands(line)]
    except UnreadableLineError:
        pieces = [piece for piece in _SEPARATOR.split(line) if piece.strip()]
    if len(pieces) > 1:
        return [command for piece in pieces for command in _commands(piece)]
    return [Command(tuple(Word(text) for text in _QUOTE.sub("", line).split()))]


def _deed(command: Command, root: str, values: Mapping[str, str]) -> Deed:
    program = _with_values(program_of(command), values).rpartition("/")[2]
    reads = program in _SHELL_ONLY or program in READERS.keys() - _TWO_SIDED
    written = [
        f">{_spelled(_with_values(each.target.text, values), root)}"
        for each in command.redirections
        if _WRITES.fullmatch(each.operator) and not _NOWHERE.fullmatch(each.target.text)
    ]
    given = [each.target for each in command.redirections if each.operator.startswith("<")]
    operands = list(_operands(command, flags=reads or program in _TWO_SIDED))
    texts = tuple(_with_values(text, values) for word in (*operands, *given) for text in _texts(word))
    pieces = {_spelled(piece, root) for text in texts for piece in text.split()}
    is_given = command.piped or any(each.operator in ("<<", "<<-", "<<<") for each in command.redirections)
    targets = [path[1:] for path in written] or [_spelled(each.text, root) for each in operands if is_given]
    return Deed(
        program,
        tuple(sorted({*written, *pieces} - _MARKS)),
        telling=bool(written) or not reads,
        is_fed=program not in _SHELL_ONLY
        and (not (operands or given) or any(_FED.search(word.text) for word in operands)),
        targets=tuple(targets),
        texts=texts,
    )


def _operands(command: Command, *, flags: bool) -> Iterator[Word]:
    ended = False
    for word in command.words[1:]:
        is_flag = word.text.startswith("-") and len(word.text) > 1 and not ended
        ended |= word.text == "--"
        if not is_flag or (flags and word.text != "--"):
            yield word


def _texts(word: Word) -> list[str]:
    """What the shell makes of a word, where that can be seen."""
    texts = list(texts_of(word))
    return texts[1:] or texts


def _with_values(text: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: values.get(found[1] or found[2], found[0]), text) if values else text


def _spelled(text: str, root: str) -> str:
    """A word without quotes; a path in one spelling, relative to the working folder."""
    text = _QUOTE.sub("", _HERE.sub("", text).removeprefix(root))
    return normpath(text) if "/" in text and "://" not in text else text


def changes_files(line: str) -> bool:
    """Whether a program of the line writes or deletes what it is told to, by the table of programs."""
    try:
        return any(
            told.row.writes or told.row.deletes or any(map(_is_file, told.written()))
            for told in all_commands(line)
        )
    except UnreadableLineError:
        return False


def wrote_since(root: Path, moment: float) -> bool:
    """Whether a file is younger than a moment, in seconds since the epoch; hidden ones and caches aside."""
    seen = 0
    for folder, folders, files in os.walk(root):
        folders[:] = [each for each in folders if not each.startswith(".") and each not in FOREIGN_FOLDERS]
        seen += len(files) + len(folders)
        if seen > _MAX_ENTRIES:
            return False
        if any(_is_younger(Path(folder, each), moment) for each in files if not each.startswith(".")):
            return True
    return False


def _is_younger(file: Path, moment: float) -> bool:
    try:
        return file.stat().st_mtime >= moment - _LAG_SECONDS
    except OSError:
        return False


def _is_file(written: Redirection) -> bool:
    """Whether a redirection writes a file, and no device or other stream."""
    target = written.target.text
    return not (target.startswith(("/dev/", "&")) or target.isdigit() or "&" in written.operator[1:])
