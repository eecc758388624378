"""What the chat's footer says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from text_agent.events import Event, ReplyFinished
from text_agent.terminal.sanitize import sanitize


class StatusLine:
    """An event sink that knows how things stand.

    Args:
        facts: each tells a few words, such as the model's name; none where there is nothing to say.
        dot: what stands between them.
    """

    def __init__(self, facts: Sequence[Callable[[], str]], dot: str = "\u00b7") -> None:
        self._facts = facts
        self._dot = dot
        self._context = ""

    def __call__(self, event: Event) -> None:
        """Takes what the event says of the context."""
        match event:
            case ReplyFinished(reply=reply) if reply.usage.input_tokens is not None:
                tokens = reply.usage.input_tokens + (reply.usage.output_tokens or 0)
                self._context = f"{tokens:,} tokens in context"
            case _:
                pass

    def text(self) -> str:
        """All of it in one line."""
        facts = [*(fact() for fact in self._facts), self._context]
        return sanitize(f" {self._dot} ".join(fact for fact in facts if fact))
