"""The lines that open or close fenced blocks, and which of them closes a block.

A line with an info string can only open, so inside a block it begins another one, with a closer of its own.
A bare line closes the block, but in a Markdown text it may begin one inside: there a block is sure to end at
a line only if no other one could end it as well.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import NamedTuple

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import END_TOKEN

# A word, and perhaps a name, attributes or lines behind it: other words are a sentence.
_INFO = r"[ \t]*+[^\s`]++(?:[ \t]++[^\s`]*[=:.{}/\\\d][^\s`]*)*+[ \t\r]*+$"
_FENCE_LINE = late_pattern(
    r"^(?P<before>[ \t]*+(?P<bullet>(?:[-*+\u2022]|\d{1,3}[.)])[ \t]++)?+[ \t]*+)(?P<marks>`{3,}+|~{3,}+)"
    rf"(?P<info>(?P<bare>[ \t\r]*+{END_TOKEN}?+[ \t\r]*+)$|{_INFO})",
    re.MULTILINE,
)
# A line that is farther in than this, compared to the opener, is text as in the documentation of a function.
_FARTHEST_IN = 3
# Of so many lengths of marks each is told from the others; a text with more was made to keep us busy.
_MOST_LENGTHS = 12
_MARKDOWN = frozenset({"markdown", "md", "mdx", "gfm", "rmd", "qmd"})
_MARKDOWN_NAME = late_pattern(r"\.(?:markdown|md|mdx|mdc|rmd|qmd|rst|adoc|txt)\Z", re.IGNORECASE)


class FenceLine(NamedTuple):
    """A line of three or more marks."""

    start: int  # of the line
    end: int  # behind the line's last character
    column: int  # where its marks begin
    marks: str  # they themselves
    info: str  # what stands behind them
    bare: bool  # whether nothing stands beside the marks, so that the line can close a block


class Closing(NamedTuple):
    """Where a block ends."""

    line: FenceLine | None  # the line that closes it; None if there is none
    last: FenceLine | None = None  # the last other line that could close it; None if there is one reading


class Fences:
    """The fence lines of a text.

    Attributes:
        lines: in order.
    """

    def __init__(self, text: str) -> None:
        self.lines = list(map(_fence_line, _FENCE_LINE.finditer(text)))
        self._starts = [line.start for line in self.lines]
        lengths = sorted({len(line.marks) for line in self.lines})
        self._most_marks = lengths[_MOST_LENGTHS - 1] if len(lengths) > _MOST_LENGTHS else None
        self.lines = [line._replace(marks=line.marks[: self._most_marks]) for line in self.lines]
        self._closers: dict[tuple[str, int, bool], list[int]] = {}

    def closing(
        self,
        opener: FenceLine,
        *,
        may_go_on: Callable[[FenceLine], bool] | None = None,
        begins_block: Callable[[FenceLine], bool] | None = None,
        outer: int = 0,
        shown: bool = False,
    ) -> Closing:
        """The line that closes the block of `opener`.

        A line farther in than the opener belongs to the text, unless nothing else closes the block.

        Args:
            opener: one of the lines, or one that holds more before its marks.
            may_go_on: whether the text may go on behind the first line that closes it.
            begins_block: whether a line is known to open the block of a later call.
            outer: how many fences around the block are still open.
            shown: whether its text goes nowhere, so that its first bare line closes it if nothing else does.
        """
        behind = bisect_left(self._starts, opener.end)
        farthest = opener.column + _FARTHEST_IN
        for column, nested in (
            (opener.column, True),
            (farthest, True),
            *([(farthest, False)] if shown else []),
        ):
            closers = self._closers_of(opener.marks[: self._most_marks], column, nested=nested)
            first = closers[behind]
            if first < len(self.lines):
                line = self.lines[first]
                others = self._others(first, closers, begins_block) if may_go_on and may_go_on(line) else []
                return Closing(line, self.lines[others[-1]] if len(others) > outer else None)
        return Closing(None)

    def at(self, position: int) -> FenceLine | None:
        """The line that begins at `position`."""
        index = bisect_left(self._starts, position)
        return self.lines[index] if index < len(self.lines) and self._starts[index] == position else None

    def _others(
        self, index: int, closers: list[int], begins_block: Callable[[FenceLine], bool] | None
    ) -> list[int]:
        """Further lines that could close a block which may hold bare fences, up to the next call's block."""
        others = []
        while (following := closers[index + 1]) < len(self.lines):
            if begins_block and any(map(begins_block, self.lines[index + 1 : following + 1])):
                break
            others.append(index := following)
        return others

    def _closers_of(self, marks: str, column: int, *, nested: bool) -> list[int]:
        """For each line, the first one from there on that closes a block which is open there."""
        key = marks, column, nested
        if key not in self._closers:
            count = len(self.lines)
            closers = [count] * (count + 2)
            for index in range(count - 1, -1, -1):
                line = self.lines[index]
                fits = line.column <= column and line.marks.startswith(marks)
                if fits and line.bare:
                    closers[index] = index
                elif fits and nested:
                    inner = (
                        closers if line.marks == marks else self._closers_of(line.marks, column, nested=True)
                    )
                    closers[index] = closers[inner[index + 1] + 1]
                else:
                    closers[index] = closers[index + 1]
            self._closers[key] = closers
        return self._closers[key]


def _fence_line(match: re.Match[str]) -> FenceLine:
    bare = match["bare"] is not None and not match["bullet"]
    column = len(match["before"].expandtabs(4))
    return FenceLine(match.start(), match.end(), column, match["marks"], match["info"], bare)


def is_markdown(info: str, names: Iterable[str]) -> bool:
    """Whether a block may hold bare fences.

    `info`: the words behind its opener. `names`: texts that may be the name of the file that it goes to.
    """
    word = info.strip().split(" ")[0].lower()
    return word in _MARKDOWN or any(map(_MARKDOWN_NAME.search, names))
