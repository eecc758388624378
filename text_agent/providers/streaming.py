"""From the bytes of an answer to the pieces of a reply: what both APIs have in common."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Protocol

from text_agent.config.limits import MOST_TOKENS, REPLY_MAX_BYTES
from text_agent.messages import (
    Message,
    ReasoningDelta,
    ReplyEnd,
    ReplyPiece,
    StopReason,
    TextDelta,
    Usage,
)
from text_agent.providers import failures
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.error_map import provider_error
from text_agent.providers.json_text import read_json
from text_agent.providers.limited import TRANSPORT_ERRORS, within
from text_agent.providers.special_tokens import EndTrimmer
from text_agent.providers.sse import EventTooLargeError, ServerSentEvent, read_events

Payload = Mapping[str, Any]
# Stands for the event that ends a stream of Chat Completions, which is not JSON, and for the end of an
# answer that is no stream.
DONE: Payload = {"type": "[DONE]"}

# The first letters of a stream's fields (data, event, id, retry), and of a comment.
_STREAM_STARTS = (b"d", b"e", b"i", b"r", b":")


class ReplyReader(Protocol):
    """Understands the payloads of one API, for one reply.

    Attributes:
        stop_reason: None until the server said why the reply ends.
        started: there was a reply, or the beginning of one.
        done: the server has marked the end of its answer.
    """

    stop_reason: StopReason | None
    started: bool
    done: bool

    @property
    def usage(self) -> Usage:
        """What the server has reported so far."""
        ...

    def read(self, payload: Payload) -> Iterator[ReplyPiece]:
        """Yields what a payload adds to the reply."""
        ...


def read_reply(chunks: Iterator[bytes], reader: ReplyReader, endpoint: Endpoint) -> Iterator[ReplyPiece]:
    """Yields the pieces of a reply as its bytes come; the last is a `ReplyEnd`.

    Raises:
        ProviderError: the answer was no reply, or broke off.
    """
    last: Payload = {}
    trimmer = EndTrimmer()
    rest = REPLY_MAX_BYTES
    try:
        for payload in _payloads(chunks, endpoint):
            for piece in reader.read(payload):
                rest -= len(piece.text) if isinstance(piece, TextDelta | ReasoningDelta) else 0
                yield TextDelta(trimmer.feed(piece.text)) if isinstance(piece, TextDelta) else piece
            if rest < 0:
                raise failures.too_large(endpoint, REPLY_MAX_BYTES)
            if reader.done:
                break
            last = payload
    except EventTooLargeError:
        raise failures.too_large(endpoint, REPLY_MAX_BYTES) from None
    except TRANSPORT_ERRORS as error:
        # A reply that has said its end is whole, even if the server closes the connection badly.
        if reader.stop_reason is None:
            raise provider_error(error, endpoint, begun=True) from error
    if reader.done and not reader.started:
        raise failures.not_a_reply(endpoint, json.dumps(last))
    if reader.stop_reason is None and not reader.done:
        raise failures.broke_off(endpoint) if reader.started else failures.ended(endpoint)
    yield TextDelta(trimmer.finish())
    yield ReplyEnd(reader.stop_reason or "other", reader.usage)


def wire_messages(messages: Iterable[Message]) -> list[dict[str, str]]:
    """The conversation as both APIs take it; some refuse an assistant's message that ends in blanks."""
    return [
        {
            "role": message.role,
            "content": message.content.rstrip() if message.role == "assistant" else message.content,
        }
        for message in messages
    ]


def encoded(body: Payload) -> bytes:
    """A body as JSON; what is no valid Unicode text in it becomes a question mark."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def count(value: object) -> int | None:
    """A token count, if it is one."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= MOST_TOKENS else None  # type: ignore[operator, return-value]


def _payloads(chunks: Iterator[bytes], endpoint: Endpoint) -> Iterator[Payload]:
    """The JSON objects of an answer: of each event, or the whole of an answer that is no stream.

    What an answer is, its first character tells; content types are wrong too often.
    """
    start = _beginning(chunks)
    if start and not start.startswith(_STREAM_STARTS):
        body = b"".join(within(chain([start], chunks), REPLY_MAX_BYTES, endpoint))
        yield from (_parsed(body.decode("utf-8", "replace"), endpoint), DONE)
        return
    for event in read_events(chain([start], chunks), REPLY_MAX_BYTES):
        yield from _payload(event, endpoint)


def _beginning(chunks: Iterator[bytes]) -> bytes:
    """The first bytes that are not white space, or nothing."""
    start = b""
    for chunk in chunks:
        start += chunk
        if BOM_UTF8.startswith(start):
            continue  # it may come in parts
        if start := start.removeprefix(BOM_UTF8).lstrip():
            return start
    return b""


def _payload(event: ServerSentEvent, endpoint: Endpoint) -> Iterable[Payload]:
    if event.data.strip() == "[DONE]":
        return [DONE]
    if event.name == "error" and not event.data.lstrip().startswith("{"):
        raise failures.error_in_reply(endpoint, event.data)
    if not event.data.lstrip().startswith(("{", "[")):
        return []  # a keep-alive in data's clothes
    if not event.complete:
        return _cut_payload(event.data, endpoint)
    payload = _parsed(event.data, endpoint)
    if event.name == "error" and "error" not in payload:
        raise failures.error_in_reply(endpoint, payload)
    return [payload]


def _cut_payload(data: str, endpoint: Endpoint) -> Iterable[Payload]:
    """The last event without its blank line: whole, or cut with the connection."""
    try:
        read_json(data)
    except ValueError:
        return []
    return [_parsed(data, endpoint)]


def _parsed(text: str, endpoint: Endpoint) -> Payload:
    """The JSON object that a text is.

    Raises:
        ProviderError: it is none, or one that reports an error.
    """
    try:
        payload = read_json(text)
    except ValueError as error:
        raise failures.not_a_reply(endpoint, text) from error
    if not isinstance(payload, dict):
        raise failures.not_a_reply(endpoint, text)
    if payload.get("error"):
        raise failures.error_in_reply(endpoint, payload["error"])
    if "error" in (payload.get("type"), payload.get("object")):
        raise failures.error_in_reply(endpoint, payload)
    return payload
