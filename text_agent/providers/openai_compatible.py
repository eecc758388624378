"""The Chat Completions API, at its vendor, on this machine, and behind gateways."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, cast

import httpx2
import openai

from text_agent.config import LIST_TIMEOUT_SECONDS
from text_agent.errors import InvalidResponseError, ProviderError
from text_agent.messages import CompletionRequest, ReplyPiece
from text_agent.providers import failures
from text_agent.providers.chat_reader import ChunkReader
from text_agent.providers.defaults import PLACEHOLDER_KEY
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.streaming import Payload, encoded, read_reply, wire_messages
from text_agent.providers.transport import (
    PATIENCE,
    TRANSPORT_ERRORS,
    Patience,
    event_hooks,
    timeout,
    translated,
)

PATH = "/chat/completions"

# A refusal of a parameter's value, not of the parameter.
_ABOUT_VALUE = re.compile(
    r"too (large|high|big)|at most|at least|exceed|less than|greater than", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RequestShape:
    """What an endpoint takes in a request, as far as its refusals have shown."""

    limit_name: str = "max_tokens"
    has_stream_options: bool = True

    def after(self, refusal: str) -> RequestShape:
        """The shape to try after a refusal with these words; the same if they name nothing of it."""
        if failures.is_overflow(refusal):
            return self
        if self.has_stream_options and re.search("stream_options|include_usage", refusal):
            return replace(self, has_stream_options=False)
        names_limit = "max_tokens" in refusal and not _ABOUT_VALUE.search(refusal)
        return replace(self, limit_name="max_completion_tokens") if names_limit else self


class OpenAIProvider:
    """Completes requests through the vendor's SDK.

    Args:
        endpoint: where to, with which model; its secret is the key.
        patience: how long to wait.
    """

    name = "openai"

    def __init__(self, endpoint: Endpoint, *, patience: Patience = PATIENCE) -> None:
        self.model = endpoint.model
        self._endpoint = endpoint
        self._client = _client(endpoint, patience)
        self._shape = RequestShape()

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Sends one request and yields the reply as it comes; see `Provider.complete`."""
        with closing(self._post(request)) as response:
            yield from read_reply(response.iter_bytes(), ChunkReader(), self._endpoint)

    def context_tokens(self) -> int | None:
        """The size of the context; see `Provider.context_tokens`."""
        return None

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def _post(self, request: CompletionRequest) -> httpx2.Response:
        """Sends the request, and once more for every part of it that the endpoint does not know."""
        while True:
            content = encoded(self._body(request))
            try:
                answer = self._client.post(
                    PATH, cast_to=httpx2.Response, content=content, stream=True, stream_cls=openai.Stream[Any]
                )
                # The signature knows only streams of typed chunks; `cast_to` gives the answer as it is.
                return cast(httpx2.Response, answer)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                shape = self._shape.after(error.response.text)
                if shape == self._shape:
                    raise provider_error(error, self._endpoint) from error
                self._shape = shape
            except (openai.OpenAIError, *TRANSPORT_ERRORS) as error:
                raise provider_error(error, self._endpoint) from error

    def _body(self, request: CompletionRequest) -> Payload:
        system = [{"role": "system", "content": request.system}] if request.system else []
        return {
            "model": self.model,
            "messages": [*system, *wire_messages(request)],
            self._shape.limit_name: request.max_tokens,
            "stream": True,
            **({"stream_options": {"include_usage": True}} if self._shape.has_stream_options else {}),
        }


def first_model(endpoint: Endpoint, *, patience: Patience = PATIENCE) -> str:
    """The first model that the endpoint lists.

    Raises:
        ProviderError: it lists none, or cannot be asked.
    """
    with closing(_client(endpoint, patience)) as client:
        try:
            answer = client.get(
                "/models", cast_to=httpx2.Response, options={"timeout": LIST_TIMEOUT_SECONDS}
            ).text
        except openai.NotFoundError as error:
            answer = error.response.text  # not every server has a list
        except (openai.OpenAIError, *TRANSPORT_ERRORS) as error:
            raise provider_error(error, endpoint) from error
    for name in _listed(answer):
        return name
    raise InvalidResponseError(
        f"{endpoint.shown}/models lists no model: {endpoint.quoted(failures.words(answer))}",
        hint="Name one with --model or TEXT_AGENT_MODEL.",
    )


def provider_error(error: Exception, endpoint: Endpoint) -> ProviderError:
    """Our error for one of the SDK's, or of the transport's; the only place that knows the SDK's."""
    match error:
        case openai.APITimeoutError():
            return failures.timed_out(endpoint)
        case openai.APIConnectionError():
            return failures.unreachable(endpoint, error)
        case openai.APIStatusError(response=response):
            return failures.refused(
                endpoint, response.status_code, response.text, retry_after=response.headers.get("retry-after")
            )
        case openai.APIResponseValidationError(message=message):
            return failures.not_a_reply(endpoint, message)
        case openai.OpenAIError():
            return ProviderError(f"the request to {endpoint.shown} failed: {endpoint.quoted(str(error))}")
        case _:
            return translated(error, endpoint)


def _client(endpoint: Endpoint, patience: Patience) -> openai.OpenAI:
    """The SDK's client, with nothing that it found in the environment."""
    client = openai.OpenAI(
        api_key=endpoint.secret or PLACEHOLDER_KEY,
        admin_api_key="",
        base_url=endpoint.base_url,
        max_retries=patience.retries,
        timeout=timeout(patience),
        http_client=openai.DefaultHttpxClient(timeout=timeout(patience), event_hooks=event_hooks(patience)),
    )
    client.organization = client.project = None
    client._custom_headers = {}
    return client


def _listed(answer: str) -> Iterator[str]:
    """The models' names in a list as `{"data": [{"id": ...}]}`."""
    try:
        models = json.loads(answer).get("data")
    except (ValueError, AttributeError):
        return
    for model in models if isinstance(models, list) else []:
        if isinstance(model, dict) and isinstance(model.get("id"), str):
            yield model["id"]
