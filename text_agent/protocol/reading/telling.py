"""Which events tell of a reply, each part of it once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from text_agent.protocol.reading.reply_events import (
    ArgumentsSoFar,
    Aside,
    CallBegun,
    CallEnded,
    Malformed,
    Prose,
    Quoted,
    ReplyEvent,
    Withdrawn,
)
from text_agent.protocol.reading.reply_pass import Pass
from text_agent.protocol.types import (
    MalformedCall,
    ParsedReply,
    Part,
    PartKind,
    Quotation,
    QuotationReason,
    ToolCall,
)

Item = ToolCall | MalformedCall | Quotation


class Telling:
    """What is told of a reply, each part of it once."""

    def __init__(self) -> None:
        self._waiting: list[tuple[tuple[int, int], ReplyEvent]] = []
        self._told: list[Item] = []
        self._told_calls = 0
        self.text_to = 0
        self._quoted_to = 0
        self._restarts = 0
        self._kind: PartKind = "call"
        self._open: dict[int, int] = {}

    def take(self) -> list[ReplyEvent]:
        """The events since the last time, by where they stand in the reply."""
        waiting, self._waiting = sorted(self._waiting, key=lambda each: each[0]), []
        return [event for _, event in waiting]

    def go_on(self, piece: str, length: int) -> ReplyEvent | None:
        """What a dull piece at the end of a text of `length` goes on with: what was told last, if all was."""
        before = length - len(piece)
        for start in self._open:
            if self._open[start] == before:
                self._open[start] = length
                return ArgumentsSoFar(piece)
        # Behind what may be an invented result, each character counts.
        if self._kind == "call" or self._kind == "after an invented result":
            return None
        if self.text_to != before or self._open:
            return None
        self.text_to = length
        return _words(piece, before, self._kind)

    def tell_parts(self, text: str, parts: Iterable[Part], limit: int, *, is_open: bool) -> None:
        """Tells the words and asides up to `limit` that were not told."""
        for part in parts:
            start, end = max(part.span[0], self.text_to), min(part.span[1], limit)
            if start >= end or (is_open and text[start:end].isspace()):
                continue
            self.text_to, self._kind = end, part.kind
            if part.kind != "call":
                self._add(start, _words(text[start:end], start, part.kind))

    def tell_settled(self, settled: Pass) -> None:
        """Tells the calls and quotations that no further text can change."""
        if settled.restarts > self._restarts:
            self._withdraw(0)
            self._restarts, self._told_calls, self._quoted_to = settled.restarts, 0, 0
        calls = settled.calls[self._told_calls : settled.settled_calls]
        self._told_calls += len(calls)
        self._tell_items(settled.text, calls)
        if settled.position > self._quoted_to:
            self._tell_items(settled.text, settled.quotations(self._quoted_to))
            self._quoted_to = settled.position

    def drop_gone(self, calls: Iterable[ToolCall | MalformedCall]) -> None:
        """Withdraws a call that was begun, and is none of the calls that there are now."""
        starts = {call.span[0] for call in calls} if self._open else set()
        if gone := [start for start in self._open if start not in starts]:
            self._withdraw(min(gone))

    def tell_open(self, text: str, calls: Sequence[ToolCall | MalformedCall]) -> None:
        """Tells the calls that are being written, and what has come of them."""
        for call in calls:
            # A name at the end of the text may go on.
            if call.name and not text[slice(*call.span)].endswith(call.name):
                self._tell_written(text, call)

    def tell_all(self, text: str, reply: ParsedReply) -> None:
        """Tells what was not told of all calls and quotations, and withdraws what does not count."""
        self.drop_gone(reply.calls)
        now, told = sorted([*reply.calls, *reply.quotations], key=_place), sorted(self._told, key=_place)
        same = 0
        while same < min(len(now), len(told)) and _is_same(now[same], told[same]):
            same += 1
        if same < len(told):
            self._withdraw(told[same].span[0])
            same = len(self._told)
        self._tell_items(text, now[same:])

    def _add(self, position: int, event: ReplyEvent, rank: int = 1) -> None:
        self._waiting.append(((position, rank), event))

    def _withdraw(self, start: int) -> None:
        self._add(-1, Withdrawn(start))
        self._told = [item for item in self._told if item.span[0] < start]
        self._open = {begun: to for begun, to in self._open.items() if begun < start}

    def _tell_items(self, text: str, items: Iterable[Item]) -> None:
        for item in items:
            self._told.append(item)
            if isinstance(item, Quotation):
                self._add(item.span[1], Quoted(item), 2)
                continue
            self._tell_written(text, item)
            del self._open[item.span[0]]
            self._add(item.span[1], CallEnded(item) if isinstance(item, ToolCall) else Malformed(item), 0)

    def _tell_written(self, text: str, call: ToolCall | MalformedCall) -> None:
        start, end = call.span
        if start not in self._open:
            self._open[start] = start
            self._add(start, CallBegun(call.name, start))
        told = self._open[start]
        if told < end:
            self._add(max(told, start), ArgumentsSoFar(text[told:end]))
            self._open[start] = end


def _words(text: str, start: int, kind: QuotationReason | Literal["prose"]) -> Prose | Aside:
    span = start, start + len(text)
    return Prose(text, span) if kind == "prose" else Aside(text, span, kind)


def _place(item: Item) -> int:
    return item.span[0]


def _is_same(one: Item, other: Item) -> bool:
    return one == other and one.span == other.span
