"""Anthropic's SDK, which carries the requests to Anthropic's own host; no other module imports it."""

from __future__ import annotations

from typing import Any, cast

import anthropic
import httpx2
from anthropic._types import RequestOptions

from text_agent.providers.anthropic import AnthropicProvider
from text_agent.providers.defaults import PLACEHOLDER_KEY
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.error_map import provider_error
from text_agent.providers.request_log import RequestLog
from text_agent.providers.transport import NOTHING, SENDING_ERRORS, Method, Patience, create_client


class SdkTransport:
    """Sends requests through the SDK, which takes nothing from the environment, and tries once.

    Args:
        endpoint: where to.
        patience: how long to wait.
        log: where requests and answers are written to.

    Raises:
        ConfigError: the certificates or a proxy cannot be used.
    """

    def __init__(self, endpoint: Endpoint, patience: Patience, log: RequestLog | None) -> None:
        self._endpoint = endpoint
        client = create_client(anthropic.DefaultHttpxClient, patience, endpoint, log)
        key = endpoint.secret or PLACEHOLDER_KEY
        # It looks for credentials, a base URL and traces in the environment only where it is given none.
        self._client = anthropic.Anthropic(
            api_key=None if endpoint.is_token else key,
            auth_token=key if endpoint.is_token else None,
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=client.timeout,
            open_telemetry=False,
            http_client=client,
        )
        # For headers it always looks there.
        self._client._custom_headers = {} if endpoint.is_token else {"x-api-key": key}

    def send(
        self, method: Method, url: str, content: bytes = NOTHING, seconds: float | None = None
    ) -> httpx2.Response:
        """Sends a request; see `Transport.send`."""
        options: RequestOptions = {} if seconds is None else {"timeout": seconds}
        # `cast_to` gives the answer as it is; the signature knows only streams of typed events.
        raw: Any = {"cast_to": httpx2.Response, "stream": True, "stream_cls": anthropic.Stream[Any]}
        try:
            if method == "GET":
                return cast(httpx2.Response, self._client.get(url, options=options, **raw))
            return cast(httpx2.Response, self._client.post(url, content=content, options=options, **raw))
        except (anthropic.AnthropicError, *SENDING_ERRORS) as error:
            caught: Exception = error
        # Outside: an error of ours that the SDK has wrapped must not become the cause of its own cause.
        ours = provider_error(caught, self._endpoint)
        raise ours from None if ours is caught.__cause__ else caught

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()


class SdkProvider(AnthropicProvider):
    """Completes requests by the Messages API, through the SDK; see `RemoteProvider`."""

    def _connect(self, patience: Patience, log: RequestLog | None) -> SdkTransport:
        return SdkTransport(self._endpoint, patience, log)
