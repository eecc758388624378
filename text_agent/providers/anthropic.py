"""The Anthropic Messages API, at its vendor and at every server that speaks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from text_agent.messages import CompletionRequest
from text_agent.providers.defaults import PLACEHOLDER_KEY
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.message_reader import MessageReader
from text_agent.providers.remote import RemoteProvider
from text_agent.providers.shape import RequestShape
from text_agent.providers.streaming import Payload, wire_messages

PATH = "/v1/messages"
# The version of the API that its vendor's SDK speaks.
API_VERSION = "2026-10-21"


class AnthropicProvider(RemoteProvider):
    """Completes requests by the Messages API; see `RemoteProvider`."""

    name = "anthropic"
    first_shape = RequestShape(limit_names=("max_tokens",), has_stream_options=False, has_cache_marks=True)

    @staticmethod
    def headers(endpoint: Endpoint) -> Mapping[str, str]:
        """The headers of the API: a key stands in both places in which servers look for it."""
        key = endpoint.secret or PLACEHOLDER_KEY
        own = {} if endpoint.is_token else {"x-api-key": key}
        return {"anthropic-version": API_VERSION, "Authorization": f"Bearer {key}", **own}

    @property
    def takes_grammar(self) -> bool:
        """Never: the API has no field for one, and servers that have one elsewhere pass over it here."""
        return False

    def _body(self, request: CompletionRequest) -> Payload:
        shape = self._shape
        system, messages = shape.conversation(request)
        marked = _marked if shape.has_cache_marks else _plain
        *earlier, last = wire_messages(messages)
        return {
            **self._common(request),
            **({"system": marked(system)} if system else {}),
            "messages": [*earlier, {**last, "content": marked(last["content"])}],
            **({"stop_sequences": request.stop} if request.stop and shape.has_stop else {}),
        }

    def _reader(self) -> MessageReader:
        return MessageReader()


def _marked(text: str) -> list[Mapping[str, Any]]:
    """A text up to whose end the prompt is worth keeping: the next request begins with the same."""
    return [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]


def _plain(text: str) -> str:
    return text
