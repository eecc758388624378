"""Notices that a model says the same over and over and will not end, while it does.

A text runs away if its end has a period: it equals itself, moved by so many characters, for long enough. What
people ask for is repetitive, too, such as tables, zeros and test data; `config` tells what is long enough.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate

from text_agent.config.limits import (
    COUNTED_CALL_CHARS,
    COUNTED_CALL_TIMES,
    COUNTED_LEAST_CHARS,
    COUNTED_LEAST_PERIOD,
    COUNTED_LEAST_TIMES,
    REPEATED_CUT_CHARS,
    REPEATED_DATA_CHARS,
    REPEATED_LEAST_CHARS,
    REPEATED_LEAST_TIMES,
    REPEATED_MAX_PERIOD,
    REPEATED_WORD_LETTERS,
)
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.types import Repetition

_NUMBER = late_pattern(r"\d+")
_NUMBER_OR_CHARACTER = late_pattern(r"\d+|\D")
# Calls on one file, on the average, in a reply that has no end.
_CALLS_A_FILE = 10
# The file that a call of an edit names, as it is taught.
_CALLED_PATH = late_pattern(r'^tool: \w+\(\{"path": *"([^"\n]*)"', re.MULTILINE)
# Characters that come between two looks; a look costs about as much as the text of one is long.
_STRIDE = 1_024
# What is looked at while a text arrives: as much as the longest period takes to be noticed.
_WINDOW = REPEATED_MAX_PERIOD * (REPEATED_LEAST_TIMES + 4)


class RepetitionWatch:
    """Looks at the end of a text that arrives in pieces."""

    def __init__(self) -> None:
        self._window = ""
        self._new: list[str] = []
        self._unseen = 0

    def feed(self, piece: str) -> bool:
        """Adds the next piece; True if the text runs away."""
        self._new.append(piece)
        self._unseen += len(piece)
        if self._unseen < _STRIDE:
            return False
        self._window = "".join([self._window, *self._new])[-_WINDOW:]
        self._new.clear()
        self._unseen = 0
        return find_repetition(self._window) is not None


def find_repetition(text: str, *, was_cut: bool = False) -> Repetition | None:
    """What a text says over and over at its end; None if it does not.

    `text`: as far as it came. `was_cut`: a limit ended it, so that nothing shows that it would have ended by
    itself.
    """
    return _find_same(text, was_cut=was_cut) or _find_counted(text)


def _find_same(text: str, *, was_cut: bool) -> Repetition | None:
    found = _find_period(text)
    if found is None:
        return None
    is_long = found.length >= _least_chars(found.once(text), was_cut=was_cut)
    return _repetition(text, found) if is_long and found.times >= REPEATED_LEAST_TIMES else None


def _find_counted(text: str) -> Repetition | None:
    """What is the same over and over but for its numbers."""
    alike = _NUMBER.sub("0", text)
    found = _find_period(alike)
    if found is None or found.period < COUNTED_LEAST_PERIOD or not _has_words(found.once(alike)):
        return None
    if found.length < COUNTED_CALL_CHARS or found.times < COUNTED_CALL_TIMES:
        return None  # too short in any case, and the rest costs more
    places = [0, *accumulate(map(len, _NUMBER_OR_CHARACTER.findall(text)))]
    start, second = places[found.start], places[found.start + found.period]
    is_long = found.length >= COUNTED_LEAST_CHARS and found.times >= COUNTED_LEAST_TIMES
    if not is_long and not _calls_on_few_files(text[start:]):
        return None
    return _repetition(text, _Found(start, second - start, len(text) - start))


def _calls_on_few_files(text: str) -> bool:
    paths = _CALLED_PATH.findall(text)
    return len(paths) >= _CALLS_A_FILE * max(len(set(paths)), 1)


@dataclass(frozen=True, slots=True)
class _Found:
    """The end of a text that has a period, from `start` on."""

    start: int
    period: int
    length: int

    @property
    def times(self) -> int:
        return self.length // self.period

    def once(self, text: str) -> str:
        return text[self.start : self.start + self.period]


def _find_period(text: str) -> _Found | None:
    """The smallest period of the text's end, and where it begins.

    The end is searched for before itself. It is as long as the longest period, so that the first place is
    the smallest period for certain.
    """
    end = len(text) - REPEATED_MAX_PERIOD
    if end <= 0:
        return None
    place = text.rfind(text[end:], max(end - REPEATED_MAX_PERIOD, 0), len(text) - 1)
    if place < 0:
        return None
    period = end - place
    start = bisect_left(range(place), True, key=lambda at: text[at:-period] == text[at + period :])
    return _Found(start, period, len(text) - start)


def _repetition(text: str, found: _Found) -> Repetition:
    """The first time is kept, to the end of its line."""
    once, end = found.once(text), found.start + found.period
    return Repetition(text.index("\n", end - 1) + 1 if "\n" in once else end, once)


def _least_chars(once: str, *, was_cut: bool) -> int:
    if not _has_words(once):
        return REPEATED_DATA_CHARS
    return REPEATED_CUT_CHARS if was_cut else REPEATED_LEAST_CHARS


def _has_words(text: str) -> bool:
    return len({char for char in text.lower() if char.isalpha()}) >= REPEATED_WORD_LETTERS
