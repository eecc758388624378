"""An edit of a file, whatever the notation that it was written in."""

from __future__ import annotations

from dataclasses import dataclass


class NotationError(Exception):
    """An edit that has not exactly one sensible reading.

    Attributes:
        path: the file, if it is known.
        cut: the text ends inside the edit.
    """

    def __init__(self, message: str, *, path: str = "", cut: bool = False) -> None:
        super().__init__(message)
        self.path = path
        self.cut = cut


@dataclass(frozen=True, slots=True)
class Hunk:
    """Whole lines, and what takes their place."""

    old: tuple[str, ...]  # the lines that are to be there; none for a text that is only added
    new: tuple[str, ...]  # the lines that take their place
    under: tuple[str, ...] = ()  # lines, one inside the other, below which they stand
    at_end: bool = False  # they are the last ones of the file
    # Whether the last old, and the last new line has no line break, as far as that is said.
    open_ends: tuple[bool, bool] = (False, False)
    is_complete: bool = False  # there are as many lines as announced

    @property
    def texts(self) -> tuple[str, str]:
        """The old and the new lines as texts, with their last line breaks."""
        old, new = (
            "\n".join(lines) + "\n" * (bool(lines) and not is_open)
            for lines, is_open in zip((self.old, self.new), self.open_ends, strict=True)
        )
        return old, new


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What is to become of one file."""

    path: str  # the file
    hunks: tuple[Hunk, ...] = ()  # the changes in it
    text: str | None = None  # all of its text, if it is to be new; else None
    target: str = ""  # its new path; empty if it stays
    deleted: bool = False  # it is to go

    @property
    def is_complete(self) -> bool:
        """Whether it says itself that nothing more of it is to come."""
        return self.hunks[-1].is_complete if self.hunks else True


class Cursor:
    """Goes through a text line by line.

    `position`: where a line begins. `marks`: those of the fence that it stands in; empty for none. `prefix`:
    what may stand before each line, and does not count.

    Attributes:
        position: where the present line begins.
        line: the present line, without its line break.
        marks: see above.
    """

    def __init__(self, text: str, position: int, marks: str = "", prefix: str = "") -> None:
        self.position = position
        self.marks = marks
        self._text = text
        self._prefix = prefix
        self.line, self._next = self._line_at(position)

    @property
    def over(self) -> bool:
        """Whether there is no line any more: the text ends, or the fence is closed."""
        return self.ended or self.closes

    @property
    def ended(self) -> bool:
        """Whether the text ends here."""
        return self.position >= len(self._text)

    @property
    def closes(self) -> bool:
        """Whether the present line closes the fence."""
        line = self.line.strip() if self.marks else ""
        return bool(line) and line.startswith(self.marks) and not line.strip(self.marks[0])

    def ahead(self, count: int) -> str:
        """The line that comes `count` lines later."""
        line, following = self.line, self._next
        for _ in range(count):
            line, following = self._line_at(following)
        return line

    def advance(self) -> str:
        """Passes the present line, and returns it."""
        line = self.line
        self.go_to(self._next)
        return line

    def go_to(self, position: int) -> None:
        """Goes to where another line begins."""
        self.position = position
        self.line, self._next = self._line_at(position)

    def pass_blank(self) -> None:
        """Passes empty lines, and dots that stand for what is between edits."""
        while not self.over and not self.line.strip(" \t.\u2026"):
            self.advance()

    def _line_at(self, position: int) -> tuple[str, int]:
        """A line, and where the next one begins."""
        end = self._text.find("\n", position)
        line = self._text[position:] if end < 0 else self._text[position:end]
        following = len(self._text) if end < 0 else end + 1
        return line.removesuffix("\r").removeprefix(self._prefix), following
