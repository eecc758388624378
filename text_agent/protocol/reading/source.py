"""A reply's text with the searches that keep reading it linear.

Every attempt to read a call may look for a closing mark far ahead. Done naively, a text with many
openers and no closer costs its length for each of them. `Source.find` therefore remembers where the
next occurrence of a mark is, or that there is none, so that all searches for one mark together pass
over the text once.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from text_agent.protocol.reading.fence_lines import Fences

_POOR_LIMIT = 256


class ReadError(Exception):
    """A text that has not exactly one sensible reading.

    Attributes:
        message: what is wrong, in a few words.
        position: where, in characters from the start of the text.
        cut: the text ends inside the value.
        partial: the members of the outermost object, if reading failed right behind one of them.
    """

    def __init__(
        self, message: str, position: int, *, cut: bool = False, partial: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.cut = cut
        self.partial = partial


class _Matches:
    """The matches of some patterns from `start` on, searched for as far as they are asked for."""

    def __init__(self, start: int, further: Iterator[re.Match[str]]) -> None:
        self.start = start
        self._further = further
        self._found: list[re.Match[str]] = []
        self._starts: list[int] = []

    def between(self, start: int, end: int) -> Iterator[re.Match[str]]:
        index = bisect_left(self._starts, start)
        while match := self._at(index):
            if match.end() > end:
                return
            if match.start() >= start:
                yield match
            index += 1

    def _at(self, index: int) -> re.Match[str] | None:
        while index == len(self._found):
            match = next(self._further, None)
            if match is None:
                return None
            # One that begins inside another one belongs to that.
            if not self._found or match.start() >= self._found[-1].end():
                self._found.append(match)
                self._starts.append(match.start())
        return self._found[index]


class Source:
    """The text of one reply.

    `free`: how many characters failed attempts may read together, besides four times the text.

    Attributes:
        text: the whole text.
        end: its length; an offset behind the last character.
        reached_end: whether any decision so far depended on where the text ends, so that more text could
            change it. The incremental reader asks.
    """

    __slots__ = ("_all", "_budget", "_fences", "_found", "_matched", "_reached", "end", "reached_end", "text")

    def __init__(self, text: str, *, free: int = 65536) -> None:
        self.text = text
        self.end = len(text)
        self.reached_end = False
        self._found: dict[str, tuple[int, int]] = {}
        self._matched: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = {}
        self._fences: Fences | None = None
        self._all: dict[tuple[re.Pattern[str], ...], _Matches] = {}
        self._budget = 4 * self.end + free
        self._reached = 0

    def find(self, mark: str, start: int, *, decides: bool = True) -> int:
        """Where `mark` occurs next at or after `start`; -1 if it does not.

        With `decides` its absence is a decision that more text could change.
        """
        known_from, known_at = self._found.get(mark, (-1, -2))
        if known_at == -2 or start < known_from or (known_at != -1 and start > known_at):
            known_at = self.text.find(mark, start)
            self._found[mark] = (start, known_at)
        if known_at == -1 and decides:
            self.reached_end = True
        return known_at

    def line_end(self, start: int) -> int:
        """Where the line that holds `start` ends: its line break, or the end of the text."""
        found = self.find("\n", start, decides=False)
        return self.end if found == -1 else found

    def next_line(self, start: int) -> int:
        """Where the line after the one that holds `start` begins."""
        return min(self.line_end(start) + 1, self.end)

    def search(self, pattern: re.Pattern[str], start: int) -> re.Match[str] | None:
        """The first match of `pattern` at or after `start`, remembered as in `find`."""
        known_from, known = self._matched.get(pattern, (-1, None))
        if known_from < 0 or start < known_from or (known is not None and start > known.start()):
            known = pattern.search(self.text, start)
            self._matched[pattern] = (start, known)
        return known

    def matches(self, patterns: tuple[re.Pattern[str], ...], start: int, end: int) -> Iterator[re.Match[str]]:
        """The matches of any of `patterns` from `start` that end before `end`, by where they begin.

        They are remembered, for readers that look far ahead again and again.
        """
        known = self._all.get(patterns)
        if known is None or start < known.start:
            found = (pattern.finditer(self.text, start) for pattern in patterns)
            known = self._all[patterns] = _Matches(start, heapq.merge(*found, key=re.Match.start))
        return known.between(start, end)

    def limit(self, start: int) -> int:
        """How far an attempt that begins at `start` may read.

        Honest text never meets this limit. Text made to let every attempt read on and fail late does,
        and its further attempts may then read a few characters each.
        """
        return self.end if self._budget > 0 else min(self.line_end(start), start + _POOR_LIMIT)

    def reach(self, position: int) -> None:
        """Notes how far an attempt has read."""
        if position > self._reached:
            self._reached = position

    def charge(self, start: int) -> None:
        """Counts what a failed attempt that began at `start` has read."""
        self._budget -= max(0, self._reached - start)
        self._reached = start

    @property
    def fences(self) -> Fences:
        """The lines that open or close fenced blocks."""
        if self._fences is None:
            self._fences = Fences(self.text)
        return self._fences
