"""What a call would do, apart from how it is written: what the echo guard compares."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from posixpath import normpath
from typing import Any

from text_agent.errors import ToolError
from text_agent.files.workspace import Workspace
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.globs import texts_of
from text_agent.permissions.command_lines.inner_commands import all_commands
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.programs import program_of
from text_agent.permissions.command_lines.rows_reading import READERS
from text_agent.permissions.command_lines.words import UnreadableLineError, Word
from text_agent.protocol.guard.echo import fold_text, folded_call
from text_agent.protocol.signatures import payload_parameter
from text_agent.tools.tool import Tool

_HERE = late_pattern(r"(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)/+")
_VARIABLE = late_pattern(r"\$(?:\{(\w+)\}|(\w+))")
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
# Words of one command that are looked at together, and combinations of them.
_MAX_TOGETHER = 4
_MAX_PARTS = 2000


class CallEffects:
    """The effects of the calls of `tools` in `workspace`, as texts; calls that only read have none."""

    def __init__(self, tools: Mapping[str, Tool], workspace: Workspace) -> None:
        self._tools = tools
        self._workspace = workspace

    def effects(self, name: str, arguments: Mapping[str, Any]) -> Collection[str]:
        """What the call is for: by these it is remembered."""
        command = self._command(name, arguments)
        return self._other(name, arguments) if command is None else _line_effects(command.deeds)

    def covered(self, name: str, arguments: Mapping[str, Any]) -> Collection[str]:
        """All that the call does, in whole and in part: one of them may be the effect of another call."""
        command = self._command(name, arguments)
        if command is None:
            return self._other(name, arguments)
        parts = (deed.part(words) for deed in command.deeds for words in _parts(deed.words))
        return {_whole(command.deeds), *(deed.text for deed in command.deeds), *parts}

    def _command(self, name: str, arguments: Mapping[str, Any]) -> _CommandLine | None:
        tool = self._tools.get(name)
        line = arguments.get(tool.declaration.command) if tool else None
        return read_line(line, f"{self._workspace.root}/") if isinstance(line, str) else None

    def _other(self, name: str, arguments: Mapping[str, Any]) -> Collection[str]:
        """The target and the text of a change, whichever tool makes it; without these, all arguments."""
        tool = self._tools.get(name)
        if tool is None:
            return (folded_call(name, arguments),)
        if tool.effect == "read":
            return ()
        text = arguments.get(payload_parameter(tool) or "")
        paths = {key: self._path(arguments.get(key)) for key in tool.declaration.paths or ()}
        if any(paths.values()) and isinstance(text, str) and fold_text(text):
            return (folded_call("write", {"paths": list(paths.values()), "text": text}),)
        return (folded_call(name, {**arguments, **paths}),)

    def _path(self, path: Any) -> Any:
        """A path, or those in a value, in one spelling."""
        if isinstance(path, list | tuple):
            return [self._path(each) for each in path]
        if not isinstance(path, str):
            return path
        try:
            return self._workspace.display(self._workspace.resolve(path, reading=True))
        except ToolError:  # the tool finds the same, and tells it
            return normpath(path.strip())


@dataclass(frozen=True, slots=True)
class _Deed:
    """What one simple command does.

    Attributes:
        program: its name, without a folder.
        words: its operands, and its flags where they count; in pieces without blanks and quotes.
        telling: it may change something.
    """

    program: str
    words: tuple[str, ...]
    telling: bool

    @property
    def text(self) -> str:
        """The same for commands that do the same."""
        return self.part(self.words)

    def part(self, words: tuple[str, ...]) -> str:
        """The same of a command that has only some of the words."""
        return " ".join(("command", self.program, *words))


@dataclass(frozen=True, slots=True)
class _CommandLine:
    """A line's commands, at whatever depth."""

    deeds: tuple[_Deed, ...]


@functools.lru_cache(maxsize=2048)
def read_line(line: str, root: str) -> _CommandLine:
    """What a command line does.

    Args:
        line: as the shell would get it.
        root: the folder in which it runs, with a slash behind it.
    """
    commands = _commands(line)
    values = {
        name: value
        for command in commands
        for name, _, value in (word.text.partition("=") for word in command.assignments)
        if not command.words
    }
    return _CommandLine(tuple(_deed(command, root, values) for command in commands))


def _line_effects(deeds: tuple[_Deed, ...]) -> Collection[str]:
    """The commands that may change something; the line as a whole, if none does."""
    return {deed.text for deed in deeds if deed.telling} or {_whole(deeds)}


def _whole(deeds: tuple[_Deed, ...]) -> str:
    return "\n".join(["line", *sorted({deed.text for deed in deeds})])


def _parts(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Some of the words: a command with further words does what one without them does, and more."""
    sizes = range(1, min(len(words), _MAX_TOGETHER + 1))
    some = itertools.chain.from_iterable(itertools.combinations(words, size) for size in sizes)
    return itertools.islice(some, _MAX_PARTS)


def _commands(line: str) -> list[Command]:
    """The commands of a line; of one that cannot be read, those of its pieces."""
    try:
        return [told.command for told in all_commands(line)]
    except UnreadableLineError:
        pieces = [piece for piece in _SEPARATOR.split(line) if piece.strip()]
    if len(pieces) > 1:
        return [command for piece in pieces for command in _commands(piece)]
    return [Command(tuple(Word(text) for text in _QUOTE.sub("", line).split()))]


def _deed(command: Command, root: str, values: Mapping[str, str]) -> _Deed:
    program = _with_values(program_of(command), values).rpartition("/")[2]
    reads = program in _SHELL_ONLY or program in READERS.keys() - _TWO_SIDED
    written = [
        f">{_spelled(_with_values(each.target.text, values), root)}"
        for each in command.redirections
        if _WRITES.fullmatch(each.operator) and not _NOWHERE.fullmatch(each.target.text)
    ]
    given = [each.target for each in command.redirections if each.operator.startswith("<")]
    words = [*_operands(command, flags=reads or program in _TWO_SIDED), *given]
    texts = (text for word in words for text in _texts(word))
    pieces = {_spelled(piece, root) for text in texts for piece in _with_values(text, values).split()}
    return _Deed(program, tuple(sorted({*written, *pieces} - _MARKS)), telling=bool(written) or not reads)


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
