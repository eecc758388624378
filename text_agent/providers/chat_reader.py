"""Reads replies of the Chat Completions API, as its many servers write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from text_agent.messages import ReasoningDelta, ReplyPiece, StopReason, TextDelta, Usage
from text_agent.providers.stop_reasons import read_stop_reason
from text_agent.providers.streaming import DONE, Payload, count


class ChunkReader:
    """Reads the chunks of the Chat Completions API, and the object of a server that does not stream."""

    def __init__(self) -> None:
        self.stop_reason: StopReason | None = None
        self.usage = Usage()
        self.started = False
        self.done = False

    def read(self, payload: Payload) -> Iterator[ReplyPiece]:
        """Yields what a chunk adds to the reply; chunks without a choice report usage, or nothing."""
        if payload is DONE:
            self.done = True
        self.usage = _usage(payload.get("usage")) or self.usage
        choices = payload.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self.started = True
            yield from _pieces(choices[0].get("delta") or choices[0].get("message"))
            if reason := choices[0].get("finish_reason"):
                self.stop_reason = read_stop_reason(reason)
            if isinstance(choices[0].get("stop_reason"), str) and self.stop_reason == "end_turn":
                # vLLM tells the stop text that ended the reply, and a number or nothing otherwise.
                self.stop_reason = "stop_sequence"


def _pieces(delta: Any) -> Iterator[ReplyPiece]:
    if not isinstance(delta, dict):
        return
    # Two names are in use for reasoning; a server that sends both sends the same text twice.
    if reasoning := _text(delta.get("reasoning_content")) or _text(delta.get("reasoning")):
        yield ReasoningDelta(reasoning)
    if text := _text(delta.get("content")):
        yield TextDelta(text)


def _text(content: Any) -> str:
    """A content's text: of a text, of a list of parts, or of nothing."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _usage(usage: Any) -> Usage | None:
    """The counts that are there; a gateway's chunk with none of them must not hide an earlier one's."""
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    counts = Usage(
        input_tokens=count(usage.get("prompt_tokens")),
        output_tokens=count(usage.get("completion_tokens")),
        cached_tokens=count(details.get("cached_tokens")) if isinstance(details, dict) else None,
    )
    return None if counts == Usage() else counts
