"""The values that travel between the loop, the protocol and the providers.

All of them are frozen: a value that was sent, stored or shown never changes afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from text_agent.protocol.types import Plan, ResultStatus

Role = Literal["user", "assistant"]
StopReason = Literal["end_turn", "max_tokens", "stop_sequence", "refusal", "other"]
Refusal = Literal[
    "malformed",
    "cut",
    "unknown tool",
    "wrong arguments",
    "quotation",
    "denied",
    "after a failure",
    "repeated",
]
# What a message is, beyond who said it: the user's own request; results of tools; a reply of the model;
# and, after a compaction, the plan and the summary. Anything else that the model is told is a note.
MessageKind = Literal["request", "results", "note", "reply", "plan", "summary"]


@dataclass(frozen=True, slots=True)
class ResultSpan:
    """Where the text of a tool's result stands in a message, and what the program has to know of it."""

    name: str  # the tool's, or what the model took for one
    status: ResultStatus  # the result's
    span: tuple[int, int]  # the text, without the header above it, in characters: start, end
    plan: Plan | None = None  # what the model said that it is about to do, if the call said it


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the conversation.

    Two of the same role and content are equal, whatever else is known of them: that is not sent.
    """

    role: Role  # who says it
    content: str  # what is sent
    kind: MessageKind = field(default="note", compare=False)  # what it is
    results: tuple[ResultSpan, ...] = field(default=(), compare=False)  # those in it, in order


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the server reported them; None where it did not.

    `input_tokens` counts the whole prompt, `cached_tokens` the part of it that the server re-used.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None

    def __add__(self, more: Usage) -> Usage:
        """The sum; what neither reports stays unknown."""
        return Usage(
            _add(self.input_tokens, more.input_tokens),
            _add(self.output_tokens, more.output_tokens),
            _add(self.cached_tokens, more.cached_tokens),
        )


def _add(total: int | None, more: int | None) -> int | None:
    return more if total is None else total + (more or 0)


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One request to a model: messages alternate, beginning and ending with the user's.

    `stop` holds texts at which the reply may end, where the endpoint knows such; the reply is without them.
    `grammar` is what a reply must keep to, for servers that know such (GBNF, llama.cpp); empty for none.
    `temperature` is from 0 to 2, where the user has set none; None leaves it to the endpoint.
    """

    system: str
    messages: tuple[Message, ...]
    max_tokens: int
    stop: tuple[str, ...] = ()
    grammar: str = ""
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of what the server reports apart from the reply as reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplyEnd:
    """The server ended the reply.

    `may_have_stopped` says that stop texts were in force: not every server tells whether one ended the reply.
    """

    stop_reason: StopReason
    usage: Usage = Usage()
    may_have_stopped: bool = False


@dataclass(frozen=True, slots=True)
class ReplyNote:
    """Something about the endpoint that the user should know."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplyRestarted:
    """The request failed and is sent again: what came of its reply so far is void."""

    reason: str  # what went wrong, in one sentence
    seconds: float  # waited before it is sent
    attempt: int  # which try comes next; the first one was 1


ReplyPiece = TextDelta | ReasoningDelta | ReplyNote | ReplyRestarted | ReplyEnd


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model wrote, before parsing."""

    text: str
    stop_reason: StopReason
    usage: Usage = Usage()
    reasoning: str = ""
    may_have_stopped: bool = False
