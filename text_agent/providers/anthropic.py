"""The Anthropic Messages API, at its vendor and at every server that speaks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

import anthropic
import httpx2
from anthropic._types import RequestOptions
from anthropic.resources.messages import DEPRECATED_MODELS
from anthropic.types.model import Model

from text_agent.errors import ProviderError
from text_agent.messages import CompletionRequest
from text_agent.providers import failures
from text_agent.providers.defaults import PLACEHOLDER_KEY, newest_alias
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.message_reader import MessageReader
from text_agent.providers.remote import RemoteProvider
from text_agent.providers.request_log import RequestLog
from text_agent.providers.shape import RequestShape
from text_agent.providers.streaming import Payload, wire_messages
from text_agent.providers.transport import (
    PATIENCE,
    TRANSPORT_ERRORS,
    Patience,
    client_options,
    refusal,
    translated,
)

PATH = "/v1/messages"


def default_model() -> str:
    """The newest Sonnet that the SDK lists by a name without a date and does not call deprecated."""
    literal, *_ = get_args(Model)
    return newest_alias(get_args(literal), "claude-sonnet", retired=DEPRECATED_MODELS)


class AnthropicProvider(RemoteProvider):
    """Completes requests through the vendor's SDK.

    Args:
        endpoint: where to, with which model; its secret is the key, or the token.
        is_token: the secret is a bearer token, which must not be sent as a key.
        patience: how long to wait.
        temperature: of the model; None leaves it to the endpoint.
        log: where requests and answers are written to.
    """

    name = "anthropic"

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        is_token: bool = False,
        patience: Patience = PATIENCE,
        temperature: float | None = None,
        log: RequestLog | None = None,
    ) -> None:
        shape = RequestShape(limit_names=("max_tokens",), has_stream_options=False, has_cache_marks=True)
        super().__init__(endpoint, shape, patience=patience, temperature=temperature, log=log)
        self._client = _client(endpoint, is_token, client_options(patience, endpoint, log))

    @property
    def takes_grammar(self) -> bool:
        """Never: the API has no field for one, and servers that have one elsewhere pass over it here."""
        return False

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def _body(self, request: CompletionRequest) -> Payload:
        shape = self._shape
        system, messages = shape.conversation(request)
        marked = _marked if shape.has_cache_marks else _plain
        *earlier, last = wire_messages(messages)
        has_temperature = shape.has_temperature and self._temperature is not None
        return {
            "model": self.model,
            shape.limit_names[0]: shape.reply_limit(request.max_tokens),
            **({"system": marked(system)} if system else {}),
            "messages": [*earlier, {**last, "content": marked(last["content"])}],
            "stream": True,
            **({"stop_sequences": request.stop} if request.stop and shape.has_stop else {}),
            **({"temperature": self._temperature} if has_temperature else {}),
        }

    def _fetch(self, url: str, seconds: float) -> str:
        options: RequestOptions = {"timeout": seconds}
        try:
            return self._client.get(url, cast_to=httpx2.Response, options=options).text
        except (anthropic.AnthropicError, *TRANSPORT_ERRORS) as error:
            raise provider_error(error, self._endpoint) from error

    def _reader(self) -> MessageReader:
        return MessageReader()

    def _post(self, content: bytes) -> httpx2.Response:
        url = self._endpoint.url(self._endpoint.path)
        try:
            answer = self._client.post(
                url, cast_to=httpx2.Response, content=content, stream=True, stream_cls=anthropic.Stream[Any]
            )
        except (anthropic.AnthropicError, *TRANSPORT_ERRORS) as error:
            raise provider_error(error, self._endpoint) from error
        # The signature knows only streams of typed events; `cast_to` gives the answer as it is.
        return cast(httpx2.Response, answer)


def _marked(text: str) -> list[Mapping[str, Any]]:
    """A text up to whose end the prompt is worth keeping: the next request begins with the same."""
    return [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]


def _plain(text: str) -> str:
    return text


def provider_error(error: Exception, endpoint: Endpoint) -> ProviderError:
    """Our error for one of the SDK's, or of the transport's; the only place that knows the SDK's."""
    match error:
        case anthropic.APITimeoutError():
            return failures.timed_out(endpoint)
        case anthropic.APIConnectionError():
            return failures.unreachable(endpoint, error)
        case anthropic.APIStatusError(response=response):
            return refusal(response, endpoint)
        case anthropic.APIResponseValidationError(message=message):
            return failures.not_a_reply(endpoint, message)
        case anthropic.AnthropicError():
            return ProviderError(f"the request to {endpoint.shown} failed: {endpoint.quoted(str(error))}")
        case _:
            return translated(error, endpoint)


def _client(endpoint: Endpoint, is_token: bool, options: Mapping[str, Any]) -> anthropic.Anthropic:
    """The SDK's client, which takes nothing from the environment, and tries once.

    It looks for credentials, a base URL and traces there only where it is given none, but for headers always.
    """
    key = endpoint.secret or PLACEHOLDER_KEY
    client = anthropic.Anthropic(
        api_key=None if is_token else key,
        auth_token=key if is_token else None,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=options["timeout"],
        open_telemetry=False,
        http_client=anthropic.DefaultHttpxClient(**options),
    )
    # The SDK sends a key as a bearer token; most other servers of this API look for it in its old place.
    client._custom_headers = {} if is_token else {"x-api-key": key}
    return client
