"""What a call would do, apart from how it is written: what the echo guard compares."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from text_agent.agent.actions import spelled
from text_agent.agent.command_deeds import CommandLine, Deed, read_line
from text_agent.errors import ToolError
from text_agent.files.workspace import Workspace
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.guard.echo import fold_text, folded_call
from text_agent.tools.tool import Tool

# Quotes are often other ones in a copy of a text.
_QUOTED = late_pattern(r"['\"`\\\s]+")
# The lines by which a written text is known: its longest, and others that nothing has by chance.
_KNOWN_LINES = 4
_MIN_KNOWN_CHARS = 3
_MIN_CHARS_OF_OTHERS = 20
_MAX_FILE_BYTES = 1_000_000
# Words of one command that are looked at together, and combinations of them.
_MAX_TOGETHER = 4
_MAX_PARTS = 2000


class CallEffects:
    """The effects of the calls of `tools` in `workspace`, as texts."""

    def __init__(self, tools: Mapping[str, Tool], workspace: Workspace) -> None:
        self._tools = tools
        self._workspace = workspace

    def has_effect(self, name: str) -> bool:
        """Whether calls of a tool do more than read; those of an unknown one may, some day."""
        return name not in self._tools or self._tools[name].effect != "read"

    def effects(self, name: str, arguments: Mapping[str, Any]) -> Collection[str]:
        """What the call is for: by these it is remembered."""
        command = self._command(name, arguments)
        written = [
            _line_mark(path, line)
            for paths, texts in self._written(name, arguments, command)
            for path, line in itertools.product(paths, _known_lines(texts))
        ]
        own = self._other(name, arguments) if command is None else _line_effects(command.deeds)
        return [*own, *written]

    def covered(self, name: str, arguments: Mapping[str, Any]) -> Collection[str]:
        """All that the call does, in whole and in part: one of them may be the effect of another call."""
        command = self._command(name, arguments)
        written = {
            _line_mark(path, line)
            for paths, texts in self._written(name, arguments, command)
            for path in paths
            for line in _lines(texts) - self._lines_in(path)
        }
        if command is None:
            return {*self._other(name, arguments), *written}
        fed = _all_words(command.deeds)
        parts = (
            deed.part(words)
            for deed in command.deeds
            for words in _parts(fed if deed.is_fed else deed.words, whole=deed.is_fed)
        )
        return {_whole(command.deeds), *(deed.text for deed in command.deeds), *parts, *written}

    def _written(
        self, name: str, arguments: Mapping[str, Any], command: CommandLine | None
    ) -> Iterator[tuple[Collection[str], Collection[str]]]:
        """Files that the call may write, and texts that it may write there."""
        if command is not None:
            targets = {path for deed in command.deeds for path in deed.targets}
            # `printf` and `echo -e` make line breaks.
            texts = [text.replace("\\n", "\n") for deed in command.deeds for text in deed.texts]
            yield targets, texts
            return
        tool = self._tools.get(name)
        payload = arguments.get(tool.payload or "") if tool else None
        if tool is None or not isinstance(payload, str):
            return
        paths = [self._path(arguments.get(key)) for key in tool.declaration.paths or ()]
        others = (value for value in arguments.values() if isinstance(value, str) and value != payload)
        yield [path for path in paths if isinstance(path, str)], _lines([payload]) - _lines(others)

    def _lines_in(self, path: str) -> set[str]:
        """The lines of a file as it is now: they are not written by a call that repeats them."""
        try:
            file = self._workspace.resolve(path, reading=True)
            if not file.is_file() or file.stat().st_size > _MAX_FILE_BYTES:
                return set()
            return _lines([file.read_text("utf-8", "replace")])
        except (ToolError, OSError):
            return set()

    def _command(self, name: str, arguments: Mapping[str, Any]) -> CommandLine | None:
        tool = self._tools.get(name)
        line = arguments.get(tool.declaration.command) if tool else None
        if isinstance(line, list) and all(isinstance(word, str) for word in line):
            line = shlex.join(line)  # the tool refuses it; the model may mend it
        return read_line(line, f"{self._workspace.root}/") if isinstance(line, str) else None

    def _other(self, name: str, arguments: Mapping[str, Any]) -> Collection[str]:
        """The target and the text of a change, whichever tool makes it; without these, all arguments."""
        tool = self._tools.get(name)
        if tool is None:
            return (folded_call(name, arguments),)
        text = arguments.get(tool.payload or "")
        paths = {key: self._path(arguments.get(key)) for key in tool.declaration.paths or ()}
        if any(paths.values()) and isinstance(text, str) and fold_text(text):
            return (folded_call("write", {"paths": list(filter(None, paths.values())), "text": text}),)
        return (folded_call(name, {**arguments, **paths}),)

    def _path(self, path: Any) -> Any:
        """A path, or those in a value, in one spelling."""
        if isinstance(path, list | tuple):
            return [self._path(each) for each in path]
        return spelled(path, self._workspace) if isinstance(path, str) else path


def _line_mark(path: str, line: str) -> str:
    return f"line {path} {line}"


def _lines(texts: Iterable[str]) -> set[str]:
    """The lines of texts without blanks and quotes."""
    return {_QUOTED.sub("", line) for text in texts for line in text.splitlines()} - {""}


def _known_lines(texts: Collection[str]) -> list[str]:
    lines = sorted(_lines(texts), key=lambda line: (-len(line), line))
    longest = [line for line in lines[:1] if len(line) >= _MIN_KNOWN_CHARS]
    return longest + [line for line in lines[1:_KNOWN_LINES] if len(line) >= _MIN_CHARS_OF_OTHERS]


def _line_effects(deeds: tuple[Deed, ...]) -> Collection[str]:
    """The commands that may change something; the line as a whole, if none does."""
    telling = [deed for deed in deeds if deed.telling]
    fed = {deed.part((word,)) for deed in telling if deed.is_fed for word in _all_words(deeds)}
    return {deed.text for deed in telling} | fed or {_whole(deeds)}


def _all_words(deeds: tuple[Deed, ...]) -> tuple[str, ...]:
    """The words that a command may get which the line feeds."""
    return tuple(sorted({word for deed in deeds for word in deed.words}))


def _whole(deeds: tuple[Deed, ...]) -> str:
    return "\n".join(["line", *sorted({deed.text for deed in deeds})])


def _parts(words: tuple[str, ...], *, whole: bool) -> Iterator[tuple[str, ...]]:
    """Some of the words: a command with further words does what one without them does, and more."""
    sizes = range(1, min(len(words) + whole, _MAX_TOGETHER + 1))
    some = itertools.chain.from_iterable(itertools.combinations(words, size) for size in sizes)
    return itertools.islice(some, _MAX_PARTS)
