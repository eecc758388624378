"""Where the user's lines come from: an editable prompt, or a plain stream."""

from __future__ import annotations

import contextlib
import select
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TextIO

from rich.console import Console

CONTINUATION = "... "
_PROMPT = "you> "


class LineReader(ABC):
    """Reads messages and answers from the user; this one knows nothing of what is typed ahead.

    Attributes:
        pasted: texts pasted into what was read last: not the user's own words.
    """

    pasted: list[str]

    @abstractmethod
    def read(self, prompt: str) -> str:
        """Shows `prompt` and returns what the user typed, without the line break at its end.

        Raises `EOFError`: the input has ended; `KeyboardInterrupt`: the user pressed Ctrl-C.
        """

    @abstractmethod
    def ask(self, question: str) -> str:
        """The same for the answer to a question; nothing that was typed before it was put is one."""

    @abstractmethod
    def dialog(self) -> AbstractContextManager[None]:
        """While the context lasts, what is typed between two questions is for the second."""

    def working(self) -> AbstractContextManager[None]:
        """While the context lasts, the model works, and what is typed is kept for the next `read`."""
        return contextlib.nullcontext()

    def typed(self) -> str:
        """The line that is being typed ahead, and not finished."""
        return ""

    def queued(self) -> list[str]:
        """The lines that were typed ahead since this was asked last."""
        return []


class PlainReader(LineReader):
    """Reads lines from a stream that is no terminal, or a terminal that cannot move its cursor."""

    def __init__(self, stream: TextIO, console: Console) -> None:
        self.pasted: list[str] = []
        self._stream = stream
        self._console = console
        self._ahead: list[str] = []
        self._in_dialog = False

    def read(self, prompt: str) -> str:
        """Reads a line, and further ones as long as a backslash ends them."""
        text = self._read_line(prompt)
        try:
            while goes_on(text):
                text = f"{text[:-1]}\n{self._read_line(CONTINUATION)}"
        except EOFError:  # there was no more to come
            pass
        return text

    def ask(self, question: str) -> str:
        """Reads one line; at a terminal, one that is typed from now on."""
        with self.dialog():
            self._console.print(question, end="", style="you")
            return self._next(self._stream.readline())

    @contextlib.contextmanager
    def dialog(self) -> Iterator[None]:
        """Sets aside what was typed before, for the next `read`."""
        if not self._in_dialog:
            while self._has_line() and (line := self._stream.readline()):
                self._ahead.append(line)
        before, self._in_dialog = self._in_dialog, True
        try:
            yield
        finally:
            self._in_dialog = before

    def _has_line(self) -> bool:
        """Whether a line was typed that nobody has read."""
        if sys.platform == "win32" or not self._stream.isatty():
            return False
        return bool(select.select([self._stream], [], [], 0)[0])

    def _read_line(self, prompt: str) -> str:
        self._console.print(prompt, end="", style="you")
        if not self._ahead:
            return self._next(self._stream.readline())
        line = self._next(self._ahead.pop(0))
        self._console.print(line, style="you")
        return line

    def _next(self, line: str) -> str:
        if not line:
            self._console.print()
            raise EOFError
        return line.rstrip("\r\n")


def goes_on(text: str) -> bool:
    """Whether a backslash at its end says that another line follows; two of them are the text's own."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def read_message(reader: LineReader, console: Console) -> str | None:
    """The next message; None to leave: at the input's end, or when Ctrl-C comes twice."""
    for interrupts in range(2):
        try:
            if interrupts:
                console.print("Press Ctrl-C again, or Ctrl-D, to leave.", style="notice")
            return reader.read(_PROMPT)
        except EOFError:
            return None
        except KeyboardInterrupt:
            continue
    return None
