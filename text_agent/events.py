"""What happens in a turn, told to whoever listens: the screen, the log, a saved session."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from text_agent.messages import Message, Refusal, Reply, Usage
from text_agent.protocol.types import ParsedReply, Plan, ToolCall, ToolKind, ToolResult

# Characters of a call in one line.
CALL_LINE_WIDTH = 160

TurnStatus = Literal[
    "answered", "step limit", "malformed", "cut", "filtered", "no progress", "budget", "interrupted"
]
# How a conversation was made shorter: old results were cut, a summary by the model took the place of its
# middle, or its middle was dropped.
CompactionWay = Literal["shortened", "summarised", "dropped"]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The user said something, and a turn begins."""

    text: str


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """The conversation has one message more."""

    message: Message


@dataclass(frozen=True, slots=True)
class ConversationReplaced:
    """The conversation consists of other messages now: it was cleared, or made shorter."""

    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignCallsSeen:
    """Calls stood in text from outside the model, and the echo guard knows them from now on."""

    marks: tuple[str, ...]  # what it remembers of them


@dataclass(frozen=True, slots=True)
class ModelChanged:
    """Another model answers from now on."""

    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A request is about to be sent."""

    step: int
    max_steps: int


@dataclass(frozen=True, slots=True)
class TextReceived:
    """The next piece of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningReceived:
    """The next piece of reasoning that the server reports apart from the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """A request failed, and is sent again after a wait; what was received of its reply is void."""

    reason: str  # what went wrong, in one sentence
    seconds: float  # the wait; Ctrl-C ends it, and the turn
    attempt: int  # which try comes next; the first one was 1

    @property
    def line(self) -> str:
        """The event in one line."""
        wait = f"in {math.ceil(self.seconds)} s (Ctrl-C stops)" if self.seconds else "now"
        return f"{self.reason.rstrip('.')}. Trying again {wait}."


@dataclass(frozen=True, slots=True)
class ReplyFinished:
    """The reply is complete and was parsed."""

    reply: Reply
    parsed: ParsedReply


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call is about to be decided on and run."""

    number: int  # the call's, in its session
    call: ToolCall  # the call
    is_own: bool = False  # the program makes it by itself: no reply waits for its result
    kind: ToolKind | None = None  # its tool's; None if there is no such tool

    @property
    def line(self) -> str:
        """The call in one line that fits a screen or a log."""
        arguments = json.dumps(dict(self.call.arguments), ensure_ascii=False, default=str)
        line = f"#{self.number} {self.call.name}({arguments})"
        return line if len(line) <= CALL_LINE_WIDTH else line[: CALL_LINE_WIDTH - 3] + "..."


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call was answered."""

    result: ToolResult  # what the model reads, and what it comes to
    refusal: Refusal | None = None  # why it was not run; None if it was
    reviewed: bool = False  # the user saw its change of a file before it was made
    kind: ToolKind | None = None  # its tool's; None if there is no such tool

    @property
    def unseen_diff(self) -> str:
        """What it changed in a file, unless the user has seen that; else empty."""
        return self.result.change.diff if self.result.change and not self.reviewed else ""


@dataclass(frozen=True, slots=True)
class PlanUpdated(Plan):
    """The model says what it is about to do, and how far it has come."""


@dataclass(frozen=True, slots=True)
class ContextMeasured:
    """How full the model's context is: the tokens of the prompt, and the most that it takes."""

    tokens: int
    limit: int

    @property
    def percent(self) -> int:
        """The part that is in use."""
        return round(100 * self.tokens / self.limit)


@dataclass(frozen=True, slots=True)
class ConversationCompacted:
    """The conversation was made shorter; `ConversationReplaced` has told what it consists of."""

    way: CompactionWay  # how
    before: int  # its tokens with the system prompt, about
    after: int  # the same, now

    @property
    def line(self) -> str:
        """What happened, in one line for the user."""
        what = {
            "shortened": "old results were shortened",
            "summarised": "the model summarised the conversation",
            "dropped": "the middle of the conversation was left out",
        }[self.way]
        return f"(to save room, {what}: from about {self.before:,} tokens to {self.after:,})"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the user should know and the model was or need not be told."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """How a turn ended."""

    status: TurnStatus  # `answered`, or why there is no answer
    answer: str  # the final answer's text; what there is of it if the reply was cut
    message: str = ""  # for the user, why the turn stopped; empty when it was answered
    steps: int = 0  # the requests that were sent
    denied_write: bool = False  # a write was refused because nobody could be asked
    usage: Usage = field(default_factory=Usage)  # the sum over the turn's requests
    cost: float | None = None  # what they cost; None where no prices are configured
    spent: str = field(default="", compare=False)  # what they took, in one line for the user
    commands: int = 0  # those that were run
    exit_code: int | None = None  # that of the last one; None without one
    remarks: tuple[str, ...] = ()  # facts that the answer does not fit, each half a sentence for the user
    unfulfilled: bool = False  # something was to be changed, nothing was, and nobody refused it


# What a saved session needs of the conversation; nobody else is told more by them.
ConversationEvent = TurnStarted | MessageAdded | ConversationReplaced | ForeignCallsSeen | ModelChanged
ReplyEvent = StepStarted | ContextMeasured | TextReceived | ReasoningReceived | RetryScheduled | ReplyFinished
WorkEvent = ToolStarted | ToolFinished | PlanUpdated | ConversationCompacted | Notice | TurnFinished
Event = ConversationEvent | ReplyEvent | WorkEvent
EventSink = Callable[[Event], None]


def fan_out(*sinks: EventSink) -> EventSink:
    """One sink that tells every event to each of `sinks`, in order."""

    def tell(event: Event) -> None:
        for sink in sinks:
            sink(event)

    return tell
