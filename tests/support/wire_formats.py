"""Replies and errors in the two APIs' own forms."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.moves import ErrorEvent, Fail, Say
from tests.support.recorded import Api, RecordedRequest
from text_agent.messages import Usage

_PIECE_CHARS = 7
_STOP_REASONS: dict[Api, dict[str, str]] = {
    "openai": {
        "end_turn": "stop",
        "max_tokens": "length",
        "stop_sequence": "stop",
        "refusal": "content_filter",
    },
    "anthropic": {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"},
}
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Frames:
    """The events of a streamed reply, each as it goes over the wire."""

    opening: list[bytes]
    pieces: list[bytes]
    closing: list[bytes]


def streamed(say: Say, request: RecordedRequest) -> Frames:
    """The events of a reply."""
    return _anthropic_frames(say, request) if request.api == "anthropic" else _openai_frames(say, request)


def unstreamed(say: Say, request: RecordedRequest) -> dict[str, Any]:
    """The reply as one object."""
    usage = _usage(say, request)
    if request.api == "anthropic":
        thinking = (
            [{"type": "thinking", "thinking": say.reasoning, "signature": "s"}] if say.reasoning else []
        )
        return {
            **_anthropic_message(request),
            "content": [*thinking, {"type": "text", "text": say.text}],
            "stop_reason": _stop_reason(say, "anthropic"),
            "usage": _anthropic_usage(usage) or None,
        }
    message = {"role": "assistant", "content": say.text, "reasoning_content": say.reasoning or None}
    choice = {"index": 0, "message": message, "finish_reason": _stop_reason(say, "openai")}
    return {
        **_openai_head(request),
        "object": "chat.completion",
        "choices": [choice],
        "usage": _openai_usage(usage),
    }


def failure_body(fail: Fail, api: Api) -> bytes:
    """The body of an error answer."""
    if isinstance(fail.body, Mapping):
        return json.dumps(fail.body).encode()
    kind = _ERROR_TYPES.get(fail.status, "api_error" if fail.status >= 500 else "invalid_request_error")
    return json.dumps(_error(kind, fail.body, api)).encode()


def error_frame(event: ErrorEvent, api: Api) -> bytes:
    """An error inside a stream."""
    body = _error(event.type, event.message, api)
    return sse(body, "error") if api == "anthropic" else sse(body)


def sse(data: Mapping[str, Any], event: str = "") -> bytes:
    """One server-sent event."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def split(text: str, chunks: int | None) -> list[str]:
    """A text in (at most) so many pieces, or in pieces of a few characters."""
    size = _PIECE_CHARS if chunks is None else max(1, math.ceil(len(text) / chunks))
    return [text[start : start + size] for start in range(0, len(text), size)]


def _error(kind: str, message: str, api: Api) -> dict[str, Any]:
    if api == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}}
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def _openai_frames(say: Say, request: RecordedRequest) -> Frames:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return sse({**_openai_head(request), "choices": [choice]})

    opening = [chunk({"role": "assistant", "content": ""})]
    opening += [chunk({"reasoning_content": piece}) for piece in split(say.reasoning, None)]
    closing = [chunk({}, _stop_reason(say, "openai"))] if say.stop_reason else []
    if (request.body.get("stream_options") or {}).get("include_usage"):
        closing.append(
            sse({**_openai_head(request), "choices": [], "usage": _openai_usage(_usage(say, request))})
        )
    if say.stop_reason:
        closing.append(b"data: [DONE]\n\n")
    return Frames(opening, [chunk({"content": piece}) for piece in split(say.text, say.chunks)], closing)


def _anthropic_frames(say: Say, request: RecordedRequest) -> Frames:
    def event(kind: str, **fields: Any) -> bytes:
        return sse({"type": kind, **fields}, kind)

    def delta(index: int, kind: str, field: str, piece: str) -> bytes:
        return event("content_block_delta", index=index, delta={"type": kind, field: piece})

    usage = _anthropic_usage(_usage(say, request))
    output = usage.pop("output_tokens", None)
    opening = [event("message_start", message={**_anthropic_message(request), "usage": usage or None})]
    if say.reasoning:
        opening += [
            event("content_block_start", index=0, content_block={"type": "thinking", "thinking": ""}),
            *(delta(0, "thinking_delta", "thinking", piece) for piece in split(say.reasoning, None)),
            delta(0, "signature_delta", "signature", "c2lnbmVk"),
            event("content_block_stop", index=0),
        ]
    opening += [
        event("content_block_start", index=1, content_block={"type": "text", "text": ""}),
        event("ping"),
    ]
    pieces = [delta(1, "text_delta", "text", piece) for piece in split(say.text, say.chunks)]
    closing = [event("content_block_stop", index=1)]
    if say.stop_reason:
        end = {"stop_reason": _stop_reason(say, "anthropic"), "stop_sequence": None}
        last_usage = None if output is None else {"output_tokens": output}
        closing += [event("message_delta", delta=end, usage=last_usage), event("message_stop")]
    return Frames(opening, pieces, closing)


def _openai_head(request: RecordedRequest) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": request.model,
    }


def _anthropic_message(request: RecordedRequest) -> dict[str, Any]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": request.model}
    return {**head, "content": [], "stop_reason": None, "stop_sequence": None}


def _stop_reason(say: Say, api: Api) -> str | None:
    return None if say.stop_reason is None else _STOP_REASONS[api].get(say.stop_reason, say.stop_reason)


def _usage(say: Say, request: RecordedRequest) -> Usage:
    if say.usage is not None:
        return say.usage
    prompt = len(request.system) + sum(len(message.content) for message in request.messages)
    return Usage(prompt // 4 + 1, len(say.text) // 4 + 1, 0)


def _openai_usage(usage: Usage) -> dict[str, Any] | None:
    if usage == Usage():
        return None
    details = None if usage.cached_tokens is None else {"cached_tokens": usage.cached_tokens}
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": (usage.input_tokens or 0) + (usage.output_tokens or 0),
        "prompt_tokens_details": details,
    }


def _anthropic_usage(usage: Usage) -> dict[str, int]:
    cached = usage.cached_tokens
    fresh = None if usage.input_tokens is None else usage.input_tokens - (cached or 0)
    fields = {"input_tokens": fresh, "cache_read_input_tokens": cached, "output_tokens": usage.output_tokens}
    return {name: count for name, count in fields.items() if count is not None}
