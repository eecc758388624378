"""What a reader tells of a reply while it arrives."""

from __future__ import annotations

from dataclasses import dataclass

from text_agent.protocol.types import MalformedCall, Quotation, QuotationReason, ToolCall

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Prose:
    """The reply's own words, examples and their fences among them.

    Attributes:
        text: the next of them, as they are written.
        span: where they stand in the reply, in characters: start, end.
    """

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Aside:
    """What is no part of the answer, and holds no call that runs.

    Attributes:
        text: the next of it, with the tags around it.
        span: where it stands in the reply, in characters: start, end.
        reason: what it is, such as `thinking`.
    """

    text: str
    span: Span
    reason: QuotationReason


@dataclass(frozen=True, slots=True)
class CallBegun:
    """A call is being written.

    Attributes:
        name: the tool's name as written; None for a broken call that has none.
        start: where the call begins in the reply, in characters.
    """

    name: str | None
    start: int


@dataclass(frozen=True, slots=True)
class ArgumentsSoFar:
    """More of the call that was begun last.

    Attributes:
        text: what has come of it since the event before, as it is written; the first holds its beginning.
    """

    text: str


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call is complete, its block included."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Malformed:
    """An attempted call is over, and cannot be read."""

    call: MalformedCall


@dataclass(frozen=True, slots=True)
class Quoted:
    """Something looks like a call, and is none."""

    quotation: Quotation


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """What was told of calls and quotations from `start` on does not count: later text has shown what it was.

    Such a text is a closing tag of thinking that was never opened. What counts is told again.

    Attributes:
        start: in characters of the reply.
    """

    start: int


ReplyEvent = Prose | Aside | CallBegun | ArgumentsSoFar | CallEnded | Malformed | Quoted | Withdrawn
