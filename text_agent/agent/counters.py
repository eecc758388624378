"""Counts how well a model keeps the protocol, and what was refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from text_agent.events import Event, ReplyFinished, ToolFinished
from text_agent.messages import Refusal
from text_agent.protocol.types import ParsedReply, QuotationReason, ToolCall


@dataclass(slots=True)
class ProtocolCounters:
    """An event sink that counts over a session."""

    replies: int = 0  # replies read to their end
    calls: int = 0  # well-formed calls
    repaired: int = 0  # those of them that had to be read liberally
    refused: Counter[Refusal] = field(default_factory=Counter)  # calls that were not run, by reason
    # Text that looks like a call and was not taken as one, by reason.
    quotations: Counter[QuotationReason] = field(default_factory=Counter)
    invented: int = 0  # replies that were cut where an invented result began

    def __call__(self, event: Event) -> None:
        """Counts one event."""
        if isinstance(event, ReplyFinished):
            self._count(event.parsed)
        elif isinstance(event, ToolFinished) and event.refusal:
            self.refused[event.refusal] += 1

    def _count(self, parsed: ParsedReply) -> None:
        calls = [call for call in parsed.calls if isinstance(call, ToolCall)]
        self.replies += 1
        self.calls += len(calls)
        self.repaired += sum(bool(call.repairs) for call in calls)
        self.quotations.update(quotation.reason for quotation in parsed.quotations)
        self.invented += parsed.invented_at is not None

    def as_json(self) -> dict[str, object]:
        """The counts as JSON values."""
        return {
            "replies": self.replies,
            "calls": self.calls,
            "repaired": self.repaired,
            "refused": dict(self.refused),
            "quotations": dict(self.quotations),
            "invented_results": self.invented,
        }
