"""Reads replies of the Anthropic Messages API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from text_agent.messages import ReasoningDelta, ReplyPiece, StopReason, TextDelta, Usage
from text_agent.providers.stop_reasons import read_stop_reason
from text_agent.providers.streaming import DONE, Payload, count

_READ, _WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"
_COUNTS = ("input_tokens", "output_tokens", _READ, _WRITTEN)


class MessageReader:
    """Reads the events of the Messages API, and the message of a server that does not stream."""

    def __init__(self) -> None:
        self.stop_reason: StopReason | None = None
        self.started = False
        self.done = False
        self._counts: dict[str, int] = {}

    def read(self, payload: Payload) -> Iterator[ReplyPiece]:
        """Yields what an event adds to the reply; events of unknown types add nothing."""
        kind = payload.get("type")
        self.started = self.started or kind in ("message_start", "content_block_delta", "message")
        if kind == "message_start":
            self._count(_object(payload, "message"))
        elif kind == "content_block_start":
            yield from _pieces(_object(payload, "content_block"))
        elif kind == "content_block_delta":
            yield from _pieces(_object(payload, "delta"))
        elif kind == "message_delta":
            self._count(payload)
            self._stop(_object(payload, "delta"))
        elif kind == "message":
            yield from _content(payload.get("content"))
            self._count(payload)
            self._stop(payload)
        elif kind == "message_stop" or payload is DONE:
            self.done = True

    @property
    def usage(self) -> Usage:
        """The counts so far; the API reports the cached parts of the prompt apart from the rest."""
        cached = sum(self._counts.get(name, 0) for name in (_READ, _WRITTEN))
        fresh = self._counts.get("input_tokens")
        return Usage(
            input_tokens=None if fresh is None else fresh + cached,
            output_tokens=self._counts.get("output_tokens"),
            cached_tokens=self._counts.get(_READ),
        )

    def _count(self, holder: Payload) -> None:
        """Takes over the counts that a later event knows better; some servers end with zeros."""
        usage = _object(holder, "usage")
        for name in _COUNTS:
            if number := count(usage.get(name)):
                self._counts[name] = number
            elif number == 0:
                self._counts.setdefault(name, 0)

    def _stop(self, holder: Payload) -> None:
        if reason := holder.get("stop_reason"):
            self.stop_reason = read_stop_reason(reason)


def _content(content: Any) -> Iterator[ReplyPiece]:
    """A message's content: a list of blocks, or only a text."""
    for block in content if isinstance(content, list) else [{"text": content}]:
        yield from _pieces(block)


def _pieces(block: Any) -> Iterator[ReplyPiece]:
    """The text of a content block, or of a delta of one."""
    if not isinstance(block, dict):
        return
    if isinstance(thinking := block.get("thinking"), str) and thinking:
        yield ReasoningDelta(thinking)
    if isinstance(text := block.get("text"), str) and text:
        yield TextDelta(text)


def _object(holder: Payload, name: str) -> Payload:
    value = holder.get(name)
    return value if isinstance(value, dict) else {}
