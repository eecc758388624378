"""The Chat Completions API, at its vendor, on this machine, and behind gateways."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any, cast

import httpx2
import openai
from openai._types import RequestOptions

from text_agent.config.limits import LIST_TIMEOUT_SECONDS
from text_agent.errors import InvalidResponseError, ProviderError
from text_agent.messages import CompletionRequest
from text_agent.providers import failures
from text_agent.providers.chat_reader import ChunkReader
from text_agent.providers.context_size import listed_models
from text_agent.providers.defaults import PLACEHOLDER_KEY
from text_agent.providers.endpoint import Endpoint
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

PATH = "/chat/completions"
# Of the list of models, which is asked for before there is anybody to tell of a wait.
_LIST_RETRIES = 2


class OpenAIProvider(RemoteProvider):
    """Completes requests through the vendor's SDK.

    Args:
        endpoint: where to, with which model; its secret is the key.
        patience: how long to wait.
        temperature: of the model; None leaves it to the endpoint.
        grammar: replies are held to a grammar; None: where it is known to be obeyed.
        log: where requests and answers are written to.
    """

    name = "openai"

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        patience: Patience = PATIENCE,
        temperature: float | None = None,
        grammar: bool | None = None,
        log: RequestLog | None = None,
    ) -> None:
        super().__init__(
            endpoint, RequestShape(), patience=patience, temperature=temperature, grammar=grammar, log=log
        )
        self._client = _client(endpoint, client_options(patience, endpoint, log))

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def _body(self, request: CompletionRequest) -> Payload:
        shape = self._shape
        system, messages = shape.conversation(request)
        has_temperature = shape.has_temperature and self._temperature is not None
        return {
            "model": self.model,
            "messages": [
                *([{"role": "system", "content": system}] if system else []),
                *wire_messages(messages),
            ],
            shape.limit_names[0]: shape.reply_limit(request.max_tokens),
            "stream": True,
            **({"stream_options": {"include_usage": True}} if shape.has_stream_options else {}),
            **({"stop": request.stop} if request.stop and shape.has_stop else {}),
            **({"temperature": self._temperature} if has_temperature else {}),
            **(_grammar_fields(request.grammar) if request.grammar and shape.has_grammar else {}),
        }

    def _fetch(self, url: str, seconds: float) -> str:
        options: RequestOptions = {"timeout": seconds}
        try:
            return self._client.get(url, cast_to=httpx2.Response, options=options).text
        except (openai.OpenAIError, *TRANSPORT_ERRORS) as error:
            raise provider_error(error, self._endpoint) from error

    def _reader(self) -> ChunkReader:
        return ChunkReader()

    def _post(self, content: bytes) -> httpx2.Response:
        url = self._endpoint.url(self._endpoint.path)
        try:
            answer = self._client.post(
                url, cast_to=httpx2.Response, content=content, stream=True, stream_cls=openai.Stream[Any]
            )
        except (openai.OpenAIError, *TRANSPORT_ERRORS) as error:
            raise provider_error(error, self._endpoint) from error
        # The signature knows only streams of typed chunks; `cast_to` gives the answer as it is.
        return cast(httpx2.Response, answer)


def _grammar_fields(grammar: str) -> Payload:
    """A grammar as llama.cpp takes it, and as vLLM does; each passes over what is the other's."""
    return {"grammar": grammar, "structured_outputs": {"grammar": grammar}}


def find_model(
    endpoint: Endpoint, *, patience: Patience = PATIENCE, log: RequestLog | None = None
) -> Endpoint:
    """The endpoint with the first model that it lists, in the form of its URL that has a list.

    Raises:
        ProviderError: it lists none, or cannot be asked.
    """
    with closing(_client(endpoint, client_options(patience, endpoint, log), _LIST_RETRIES)) as client:
        first = _models(client, endpoint)
        for form, answer in ((endpoint, first), _other_list(client, endpoint, first)):
            for name in listed_models(answer):
                return form.with_model(name)
    raise InvalidResponseError(
        f"{endpoint.shown}/models lists no model: {endpoint.quoted(failures.words(first))}",
        hint="Name one with --model or TEXT_AGENT_MODEL.",
    )


def _other_list(client: openai.OpenAI, endpoint: Endpoint, first: str) -> tuple[Endpoint, str]:
    """The answer of the URL's other form, if the first one lists no model; what fails there says nothing."""
    other = endpoint.other_form()
    with suppress(ProviderError):
        return other, "" if listed_models(first) else _models(client, other)
    return other, ""


def _models(client: openai.OpenAI, endpoint: Endpoint) -> str:
    options: RequestOptions = {"timeout": LIST_TIMEOUT_SECONDS}
    try:
        return client.get(endpoint.url("/models"), cast_to=httpx2.Response, options=options).text
    except openai.NotFoundError as error:
        return error.response.text  # not every server has a list
    except (openai.OpenAIError, *TRANSPORT_ERRORS) as error:
        raise provider_error(error, endpoint) from error


def provider_error(error: Exception, endpoint: Endpoint) -> ProviderError:
    """Our error for one of the SDK's, or of the transport's; the only place that knows the SDK's."""
    match error:
        case openai.APITimeoutError():
            return failures.timed_out(endpoint)
        case openai.APIConnectionError():
            return failures.unreachable(endpoint, error)
        case openai.APIStatusError(response=response):
            return refusal(response, endpoint)
        case openai.APIResponseValidationError(message=message):
            return failures.not_a_reply(endpoint, message)
        case openai.OpenAIError():
            return ProviderError(f"the request to {endpoint.shown} failed: {endpoint.quoted(str(error))}")
        case _:
            return translated(error, endpoint)


def _client(endpoint: Endpoint, options: Mapping[str, Any], retries: int = 0) -> openai.OpenAI:
    """The SDK's client, with nothing that it found in the environment."""
    client = openai.OpenAI(
        api_key=endpoint.secret or PLACEHOLDER_KEY,
        admin_api_key="",
        base_url=endpoint.base_url,
        max_retries=retries,
        timeout=options["timeout"],
        http_client=openai.DefaultHttpxClient(**options),
    )
    client.organization = client.project = None
    client._custom_headers = {}
    return client
