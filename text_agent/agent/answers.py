"""What the runner gives for a call."""

from __future__ import annotations

from dataclasses import dataclass

from text_agent.messages import Refusal
from text_agent.protocol.types import MalformedCall, ToolCall, ToolResult

INTERRUPTED = "not run: the user interrupted."


@dataclass(frozen=True, slots=True)
class Answer:
    """A call's result, and how it came about."""

    result: ToolResult  # what the model reads, and what the call came to
    refusal: Refusal | None = None  # why the call was not run; None if it was
    unattended: bool = False  # it was refused without anybody having been asked
    took_back: bool = False  # it was run, and changes of files that it had made were refused
    reviewed: bool = False  # a person saw its change of a file before it was made

    @property
    def was_run(self) -> bool:
        """Whether its tool was run to an end; a command that did not even start was not."""
        return self.result.status == "ok" or self.result.exit_code is not None or self.took_back


def interrupted(number: int, call: ToolCall | MalformedCall) -> ToolResult:
    """The result of a call that an interrupt kept from running."""
    return ToolResult(number, call.name or "call", "not run", INTERRUPTED)
