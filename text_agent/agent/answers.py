"""What the runner gives for a call."""

from __future__ import annotations

from dataclasses import dataclass

from text_agent.events import AppliedChange
from text_agent.messages import Refusal
from text_agent.protocol.types import MalformedCall, ToolCall, ToolResult

INTERRUPTED = "not run: the user interrupted."


@dataclass(frozen=True, slots=True)
class Answer:
    """A call's result, and what the user should know of it.

    Attributes:
        result: what the model reads.
        diff: the change that was applied without a review; else empty.
        refusal: why the call was not run; None if it was.
        unattended: it was refused without anybody having been asked.
        change: the change that was applied to a file, whether reviewed or not.
        took_back: it was run, and changes of files that it had made were refused.
        exit_code: that of a command that failed; None if none did.
    """

    result: ToolResult
    diff: str = ""
    refusal: Refusal | None = None
    unattended: bool = False
    change: AppliedChange | None = None
    took_back: bool = False
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool gave.

    Attributes:
        text: for the model.
        diff: for the user, if nobody has seen it yet; else empty.
        foreign: the text may come from files or commands, not from the model itself.
        change: what was changed in a file, if anything.
    """

    text: str
    diff: str = ""
    foreign: bool = True
    change: AppliedChange | None = None


def interrupted(number: int, call: ToolCall | MalformedCall) -> ToolResult:
    """The result of a call that an interrupt kept from running."""
    return ToolResult(number, call.name or "call", "not run", INTERRUPTED)
