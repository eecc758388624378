"""Some lines of a text that may be too large to hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeenLine:
    """The beginning of a line, and its whole length in characters."""

    text: str
    length: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the line is missing."""
        return len(self.text) == self.length


class LineWindow:
    """Keeps the lines `first` to `last` of a text fed in pieces, at most `width` characters of each."""

    def __init__(self, first: int, last: int, width: int) -> None:
        self.lines: list[SeenLine] = []
        self._first, self._last, self._width = first, last, width
        self._number = 1
        self._text, self._length, self._returns = "", 0, False
        self._is_open = False

    @property
    def total(self) -> int:
        """How many lines there were; a last one without a line break counts."""
        return self._number if self._is_open else self._number - 1

    def feed(self, piece: str) -> None:
        """Takes the next piece of the text."""
        breaks = piece.count("\n")
        if piece:
            self._is_open = not piece.endswith("\n")
        if self._number + breaks < self._first or self._number > self._last:
            self._number += breaks
            return
        *ended, rest = piece.split("\n")
        for part in ended:
            self._extend(part)
            self._end_line()
            self._number += 1
        self._extend(rest)

    def finish(self) -> None:
        """Says that the text ends here."""
        if self._is_open:
            self._returns = False  # a carriage return before no line feed belongs to the line
            self._end_line()

    def _extend(self, part: str) -> None:
        if part and self._first <= self._number <= self._last:
            self._text += part[: self._width + 1 - len(self._text)]
            self._length += len(part)
            self._returns = part.endswith("\r")

    def _end_line(self) -> None:
        if self._first <= self._number <= self._last:
            length = self._length - self._returns
            self.lines.append(SeenLine(self._text[: min(self._width, length)], length))
        self._text, self._length, self._returns = "", 0, False
