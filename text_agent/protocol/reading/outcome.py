"""What a pass over a reply comes to: its calls, its quotations, its own words, and its parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import END_TOKEN
from text_agent.protocol.reading.edits.foreign_tools import own_calls
from text_agent.protocol.reading.edits.takers import merge_edits
from text_agent.protocol.reading.forms.unknown import whole_attempt
from text_agent.protocol.reading.quoting import quotations
from text_agent.protocol.reading.reading import Found, Reading
from text_agent.protocol.types import MalformedCall, ParsedReply, Part, Quotation, QuotationReason, ToolCall

Span = tuple[int, int]
_ENDED = late_pattern(rf"(?:{END_TOKEN}\s*+)++\Z")
_LEAKED = late_pattern(rf"(?:(?:{END_TOKEN}|<\|(?:call|user|assistant)\|>|<s>)\s*+)++\Z")
_LEAK_REACH = 200
_RESULT_MARK = "\ntool_result("
_INVISIBLE = late_pattern("^[\ufeff\u200b\u2060]+")
_GAP = late_pattern(r"\n(?:[ \t\r]*+\n){2,}+")


@dataclass(slots=True)
class Outcome:
    """What was found so far."""

    calls: list[ToolCall | MalformedCall] = field(default_factory=list)  # and attempts, in order
    removed: list[Span] = field(default_factory=list)  # what is no part of the reply's own words
    inert: list[tuple[int, int, QuotationReason]] = field(default_factory=list)  # where no call runs, and why

    def copy(self) -> Outcome:
        """What was found so far, which does not grow."""
        return Outcome(self.calls.copy(), self.removed.copy(), self.inert.copy())

    def add(self, reading: Reading, found: Found) -> None:
        """Adds the calls that were found, those of other programs' tools as calls of our own."""
        for item in found.items:
            self.calls += own_calls(reading, item) if isinstance(item, ToolCall) else [item]
        self.removed.append((found.start, found.end))

    def reply(self, reading: Reading, invented_at: int | None, *, has_example: bool) -> ParsedReply:
        """All of it.

        `invented_at`: where it goes on as an invented result; None if it does not. `has_example`: whether it
        announces an example.
        """
        # A reply that is nothing but a call in JSON that could not be run is an attempt, and no answer.
        if (
            not self.calls
            and invented_at is None
            and (found := whole_attempt(reading, fenced=not has_example))
        ):
            self.add(reading, found)
        end = reading.source.end if invented_at is None else invented_at
        kept = _gaps(self.removed, 0, end)
        words = _without_leftovers(reading, kept, end)
        prose = tidy_prose("".join(reading.text[start:stop] for start, stop in words))
        parts = _divide(reading.source.end, words, self._inert(reading, end))
        quoted = self._quotations(reading, self._inert(reading, end), 0, end)
        calls = merge_edits(self.calls, reading.tools)
        return ParsedReply(calls, quoted, prose, invented_at, parts)

    def parts(self, reading: Reading, invented_at: int | None, start: int) -> tuple[Part, ...]:
        """The parts of a reply that goes on, from the one that holds `start` on."""
        end = reading.source.end if invented_at is None else invented_at
        inert = [each for each in self._inert(reading, end) if each[1] > start]
        return _divide(reading.source.end, _gaps(self.removed, start, end), inert, start)

    def quotations(self, reading: Reading, start: int, end: int) -> list[Quotation]:
        """The quotations between two places at which a call may begin."""
        inert = [each for each in self.inert if each[1] > start]
        return self._quotations(reading, inert, start, end)

    def _inert(self, reading: Reading, end: int) -> list[tuple[int, int, QuotationReason]]:
        """Where no call runs, up to the end of the text."""
        behind: tuple[int, int, QuotationReason] = (end, reading.source.end, "after an invented result")
        return [*self.inert, behind] if end < reading.source.end else self.inert

    def _quotations(
        self, reading: Reading, inert: Sequence[tuple[int, int, QuotationReason]], begin: int, end: int
    ) -> list[Quotation]:
        """The quotations in spans where no call runs, and in the words from `begin` to `end`."""
        covered = [*self.removed, *((start, stop) for start, stop, _ in inert)]
        names = frozenset(reading.tools)
        found: list[Quotation] = []
        for start, stop, reason in inert:
            found += quotations(reading.source, start, stop, reason, names)
        for start, stop in _gaps(covered, begin, end):
            found += quotations(reading.source, start, stop, "sentence", names)
        return sorted(found, key=lambda quotation: quotation.span)


def _without_leftovers(reading: Reading, kept: Sequence[Span], end: int) -> list[Span]:
    """The spans but for what a template left at their end."""
    text = "".join(reading.text[start:stop] for start, stop in kept)
    left = _without_tail(text.rstrip(), _LEAKED).rstrip()
    if end == reading.source.end:
        left = _without_started_mark(left)
    return _shorten(list(kept), len(text) - len(left))


def tidy_prose(text: str) -> str:
    """The words without the gaps that calls left."""
    return _GAP.sub("\n\n", _INVISIBLE.sub("", text)).strip()


def without_end_tokens(text: str) -> str:
    """Drops the tokens with which a template ends a reply, and which a server left at its very end."""
    return _without_tail(text, _ENDED)


def _without_tail(text: str, tail: re.Pattern[str]) -> str:
    match = tail.search(text, max(0, len(text) - _LEAK_REACH))
    return text[: match.start()] if match else text


def _without_started_mark(text: str) -> str:
    """Drops the beginning of a result mark that a stop sequence left at the very end."""
    line = text.rfind("\n")
    tail = text[line:] if line >= 0 else "\n" + text
    return text[: max(line, 0)] if len(tail) > 5 and _RESULT_MARK.startswith(tail) else text


def _divide(
    length: int, words: Iterable[Span], inert: Iterable[tuple[int, int, QuotationReason]], start: int = 0
) -> tuple[Part, ...]:
    """The parts of a reply of `length` characters, in order and without gaps.

    Args:
        length: of the reply, in characters.
        words: the spans of its own words, in order.
        inert: spans in which no call runs; those of them that are no words are thinking, comments or what
            follows an invented result.
        start: where the first part begins, if no word stands before it.
    """
    aside = [Part(reason, (begin, stop)) for begin, stop, reason in inert if reason != "example fence"]
    shown = sorted([*(Part("prose", span) for span in words), *aside], key=lambda part: part.span)
    return tuple(_without_gaps(length, shown, start))


def _without_gaps(length: int, parts: Iterable[Part], position: int) -> Iterator[Part]:
    """The parts from `position` on, with what stands between them as calls."""
    for part in parts:
        if part.span[0] > position:
            yield Part("call", (position, part.span[0]))
        yield part
        position = part.span[1]
    if position < length:
        yield Part("call", (position, length))


def _gaps(spans: Iterable[Span], begin: int, end: int) -> list[Span]:
    """The stretches from `begin` to `end` that none of the `spans` covers, in order."""
    left: list[Span] = []
    position = begin
    for start, stop in sorted(spans):
        if position < min(start, end):
            left.append((position, min(start, end)))
        position = max(position, stop)
    return [*left, (position, end)] if position < end else left


def _shorten(spans: list[Span], count: int) -> list[Span]:
    """The sorted `spans` without the last `count` characters that they cover."""
    left = list(spans)
    while left and count > 0:
        start, stop = left.pop()
        taken = min(count, stop - start)
        count -= taken
        if stop - taken > start:
            left.append((start, stop - taken))
    return left


def own_words(text: str, parts: Iterable[Part]) -> str:
    """The reply's own words with every blank line, as its `prose` has not."""
    return "".join(text[slice(*part.span)] for part in parts if part.kind == "prose")
