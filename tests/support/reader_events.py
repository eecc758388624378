"""What the events of a reader come to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from tests.support.described_tools import SEVEN_TOOLS
from text_agent.protocol.reading.reply_events import (
    ArgumentsSoFar,
    CallBegun,
    CallEnded,
    Malformed,
    Prose,
    Quoted,
    ReplyEvent,
    Withdrawn,
)
from text_agent.protocol.reading.streaming import ReplyReader
from text_agent.protocol.types import MalformedCall, Quotation, ToolCall


def read_in_pieces(text: str, cuts: Iterable[int]) -> tuple[ReplyReader, list[ReplyEvent]]:
    """A reader that was fed up to each cut and to the end, or until it had ended, and all of its events."""
    reader, events = ReplyReader(SEVEN_TOOLS), list[ReplyEvent]()
    for start, end in pairwise(sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})):
        events += reader.feed(text[start:end])
        if reader.ended:
            break
    return reader, events


def items_of(events: Iterable[ReplyEvent]) -> tuple[list[ToolCall | MalformedCall], list[Quotation]]:
    """The calls and the quotations that were told, and not withdrawn."""
    items: list[ToolCall | MalformedCall | Quotation] = []
    for event in events:
        match event:
            case Withdrawn(start):
                items = [item for item in items if item.span[0] < start]
            case CallEnded(item) | Malformed(item) | Quoted(item):
                items.append(item)
    calls = [item for item in items if not isinstance(item, Quotation)]
    quotations = [item for item in items if isinstance(item, Quotation)]
    return calls, sorted(quotations, key=lambda quotation: quotation.span)


def words_of(events: Iterable[ReplyEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, Prose))


def written_calls(events: Iterable[ReplyEvent]) -> list[str]:
    """The text of each call that was begun."""
    written: list[str] = []
    for event in events:
        match event:
            case CallBegun():
                written.append("")
            case ArgumentsSoFar(text):
                written[-1] += text
    return written
