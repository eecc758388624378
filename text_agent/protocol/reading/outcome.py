"""What a pass over a reply comes to: its calls, its quotations, and its own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from text_agent.protocol.reading.edits.foreign_tools import own_calls
from text_agent.protocol.reading.edits.takers import merge_edits
from text_agent.protocol.reading.forms.unknown import whole_attempt
from text_agent.protocol.reading.parts import divide, gaps, shorten
from text_agent.protocol.reading.prose import tidy_prose, without_leftovers
from text_agent.protocol.reading.quoting import quotations
from text_agent.protocol.reading.reading import Found, Reading
from text_agent.protocol.types import MalformedCall, ParsedReply, Part, Quotation, QuotationReason, ToolCall

Span = tuple[int, int]


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
        kept = gaps(self.removed, 0, end)
        words = _without_leftovers(reading, kept, end)
        prose = tidy_prose("".join(reading.text[start:stop] for start, stop in words))
        parts = divide(reading.source.end, words, self._inert(reading, end))
        quoted = self._quotations(reading, self._inert(reading, end), 0, end)
        calls = merge_edits(self.calls, reading.tools)
        return ParsedReply(calls, quoted, prose, invented_at, parts)

    def parts(self, reading: Reading, invented_at: int | None, start: int) -> tuple[Part, ...]:
        """The parts of a reply that goes on, from the one that holds `start` on."""
        end = reading.source.end if invented_at is None else invented_at
        inert = [each for each in self._inert(reading, end) if each[1] > start]
        return divide(reading.source.end, gaps(self.removed, start, end), inert, start)

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
        for start, stop in gaps(covered, begin, end):
            found += quotations(reading.source, start, stop, "sentence", names)
        return sorted(found, key=lambda quotation: quotation.span)


def _without_leftovers(reading: Reading, kept: Sequence[Span], end: int) -> list[Span]:
    """The spans but for what a template left at their end."""
    text = "".join(reading.text[start:stop] for start, stop in kept)
    left = without_leftovers(text, whole=end == reading.source.end)
    return shorten(list(kept), len(text) - len(left))
