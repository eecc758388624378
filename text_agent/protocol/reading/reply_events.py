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

    >>> Prose("I look.", (0, 7)).text
    'I look.'
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

    >>> ReplyReader(tools).feed("<think>Well, then")[0].reason
    'thinking'
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

    >>> ReplyReader(tools).feed('tool: read_note({"')[0]
    CallBegun(name='read_note', start=0)
    """

    name: str | None
    start: int


@dataclass(frozen=True, slots=True)
class ArgumentsSoFar:
    """More of the call that was begun last.

    Attributes:
        text: what has come of it since the event before, as it is written; the first holds its beginning.

    >>> ReplyReader(tools).feed('tool: read_note({"')[1]
    ArgumentsSoFar(text='tool: read_note({"')
    """

    text: str


@dataclass(frozen=True, slots=True)
class CallEnded:
    r"""A call is complete, its block included.

    >>> ReplyReader(tools).feed('tool: read_note({"name": "a"})\n')[-1].call.name
    'read_note'
    """

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Malformed:
    """An attempted call is over, and cannot be read.

    >>> reader = ReplyReader(tools)
    >>> events = reader.feed('tool: read_note({"name": )') + reader.finish()
    >>> next(event for event in events if isinstance(event, Malformed)).call.error
    "a value is missing, at ')'"
    """

    call: MalformedCall


@dataclass(frozen=True, slots=True)
class Quoted:
    r"""Something looks like a call, and is none.

    >>> reader = ReplyReader(tools)
    >>> events = reader.feed("I could write tool: read_note({}).\n") + reader.finish()
    >>> events[-1].quotation.reason
    'sentence'
    """

    quotation: Quotation


@dataclass(frozen=True, slots=True)
class Withdrawn:
    r"""What was told of calls and quotations from `start` on does not count: later text has shown why.

    Such a text is a closing tag of thinking that was never opened. What counts is told again.

    Attributes:
        start: in characters of the reply.

    >>> reader = ReplyReader(tools)
    >>> Withdrawn(0) in reader.feed("tool: read_note({})\n") + reader.feed("</think>\nI look.")
    True
    """

    start: int


ReplyEvent = Prose | Aside | CallBegun | ArgumentsSoFar | CallEnded | Malformed | Quoted | Withdrawn
