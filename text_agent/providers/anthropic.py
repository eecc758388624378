"""The Anthropic Messages API, at its vendor and at every server that speaks it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Any, cast, get_args

import anthropic
import httpx2
from anthropic.resources.messages import DEPRECATED_MODELS
from anthropic.types.model import Model

from text_agent.errors import ProviderError
from text_agent.messages import CompletionRequest, ReplyPiece
from text_agent.providers import failures
from text_agent.providers.defaults import PLACEHOLDER_KEY, newest_alias
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.message_reader import MessageReader
from text_agent.providers.streaming import encoded, read_reply, wire_messages
from text_agent.providers.transport import (
    PATIENCE,
    TRANSPORT_ERRORS,
    Patience,
    event_hooks,
    timeout,
    translated,
)

PATH = "/v1/messages"


def default_model() -> str:
    """The newest Sonnet that the SDK lists by a name without a date and does not call deprecated."""
    literal, *_ = get_args(Model)
    return newest_alias(get_args(literal), "claude-sonnet", retired=DEPRECATED_MODELS)


class AnthropicProvider:
    """Completes requests through the vendor's SDK.

    Args:
        endpoint: where to, with which model; its secret is the key, or the token.
        is_token: the secret is a bearer token, which must not be sent as a key.
        patience: how long to wait.
    """

    name = "anthropic"

    def __init__(self, endpoint: Endpoint, *, is_token: bool = False, patience: Patience = PATIENCE) -> None:
        self.model = endpoint.model
        self._endpoint = endpoint
        self._client = _client(endpoint, is_token, patience)

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Sends one request and yields the reply as it comes; see `Provider.complete`."""
        content = encoded(
            {
                "model": self.model,
                "max_tokens": request.max_tokens,
                **({"system": request.system} if request.system else {}),
                "messages": wire_messages(request),
                "stream": True,
            }
        )
        with closing(self._post(content)) as response:
            yield from read_reply(response.iter_bytes(), MessageReader(), self._endpoint)

    def context_tokens(self) -> int | None:
        """The size of the context; see `Provider.context_tokens`."""
        return None

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def _post(self, content: bytes) -> httpx2.Response:
        try:
            answer = self._client.post(
                PATH, cast_to=httpx2.Response, content=content, stream=True, stream_cls=anthropic.Stream[Any]
            )
        except (anthropic.AnthropicError, *TRANSPORT_ERRORS) as error:
            raise provider_error(error, self._endpoint) from error
        # The signature knows only streams of typed events; `cast_to` gives the answer as it is.
        return cast(httpx2.Response, answer)


def provider_error(error: Exception, endpoint: Endpoint) -> ProviderError:
    """Our error for one of the SDK's, or of the transport's; the only place that knows the SDK's."""
    match error:
        case anthropic.APITimeoutError():
            return failures.timed_out(endpoint)
        case anthropic.APIConnectionError():
            return failures.unreachable(endpoint, error)
        case anthropic.APIStatusError(response=response):
            return failures.refused(
                endpoint, response.status_code, response.text, retry_after=response.headers.get("retry-after")
            )
        case anthropic.APIResponseValidationError(message=message):
            return failures.not_a_reply(endpoint, message)
        case anthropic.AnthropicError():
            return ProviderError(f"the request to {endpoint.shown} failed: {endpoint.quoted(str(error))}")
        case _:
            return translated(error, endpoint)


def _client(endpoint: Endpoint, is_token: bool, patience: Patience) -> anthropic.Anthropic:
    """The SDK's client, which takes nothing from the environment.

    It looks for credentials, a base URL and traces there only where it is given none, but for headers always.
    """
    key = endpoint.secret or PLACEHOLDER_KEY
    client = anthropic.Anthropic(
        api_key=None if is_token else key,
        auth_token=key if is_token else None,
        base_url=endpoint.base_url,
        max_retries=patience.retries,
        timeout=timeout(patience),
        open_telemetry=False,
        http_client=anthropic.DefaultHttpxClient(
            timeout=timeout(patience), event_hooks=event_hooks(patience)
        ),
    )
    # The SDK sends a key as a bearer token; most other servers of this API look for it in its old place.
    client._custom_headers = {} if is_token else {"x-api-key": key}
    return client
