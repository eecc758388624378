"""Work on a conversation that is done once for each message, however often the conversation is sent."""

from __future__ import annotations

from collections.abc import Callable

from text_agent.messages import Message


class EachMessageOnce:
    """Changes the messages of a conversation that grows; those that were there before are not done again.

    Args:
        change: makes another message of one; the same one always gives the same.
    """

    def __init__(self, change: Callable[[Message], Message]) -> None:
        self._change = change
        self._seen: tuple[Message, ...] = ()
        self._changed: tuple[Message, ...] = ()

    def __call__(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The changed messages."""
        same = self._same(messages)
        self._changed = (*self._changed[:same], *map(self._change, messages[same:]))
        self._seen = messages
        return self._changed

    def _same(self, messages: tuple[Message, ...]) -> int:
        """How many messages there were before; of those, only the last one may have grown since."""
        count = min(len(self._seen), len(messages))
        # Equal tuples of the same objects are compared at a glance.
        return next((n for n in (count, count - 1) if n > 0 and self._seen[:n] == messages[:n]), 0)
