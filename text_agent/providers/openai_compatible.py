"""The Chat Completions API, at its vendor, on this machine, and behind gateways."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from itertools import count

from text_agent.config.limits import (
    CONNECTION_RETRIES,
    LIST_TIMEOUT_SECONDS,
    LOADING_RETRIES,
    LOADING_RETRY_MAX_SECONDS,
)
from text_agent.errors import InvalidResponseError, ModelLoadingError, ProviderError
from text_agent.events import RetryScheduled
from text_agent.messages import CompletionRequest
from text_agent.providers.chat_reader import ChunkReader
from text_agent.providers.defaults import PLACEHOLDER_KEY
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.error_bodies import words
from text_agent.providers.models import read_models
from text_agent.providers.remote import RemoteProvider
from text_agent.providers.request_log import RequestLog
from text_agent.providers.retries import growing_wait
from text_agent.providers.shape import RequestShape
from text_agent.providers.streaming import Payload, wire_messages
from text_agent.providers.transport import PATIENCE, HttpTransport, Patience, Transport, text_at

PATH = "/chat/completions"


class OpenAIProvider(RemoteProvider):
    """Completes requests by the Chat Completions API; see `RemoteProvider`."""

    name = "openai"
    first_shape = RequestShape()

    @staticmethod
    def headers(endpoint: Endpoint) -> Mapping[str, str]:
        """The headers of the API, with the key."""
        return {"Authorization": f"Bearer {endpoint.secret or PLACEHOLDER_KEY}"}

    def _body(self, request: CompletionRequest) -> Payload:
        shape = self._shape
        system, messages = shape.conversation(request)
        return {
            **self._common(request),
            "messages": [
                *([{"role": "system", "content": system}] if system else []),
                *wire_messages(messages),
            ],
            **({"stream_options": {"include_usage": True}} if shape.has_stream_options else {}),
            **({"stop": request.stop} if request.stop and shape.has_stop else {}),
            **(_grammar_fields(request.grammar) if request.grammar and shape.has_grammar else {}),
        }

    def _reader(self) -> ChunkReader:
        return ChunkReader()


def _grammar_fields(grammar: str) -> Payload:
    """A grammar as llama.cpp takes it, and as vLLM does; each passes over what is the other's."""
    return {"grammar": grammar, "structured_outputs": {"grammar": grammar}}


def find_model(
    endpoint: Endpoint,
    *,
    patience: Patience = PATIENCE,
    log: RequestLog | None = None,
    sleep: Callable[[float], None] = time.sleep,
    tell: Callable[[str], None] = lambda _: None,
) -> Endpoint:
    """The endpoint with the first model that it lists, in the form of its URL that has a list.

    Args:
        endpoint: without a model.
        patience: how long to wait for an answer.
        log: where requests and answers are written to.
        sleep: waits so many seconds before it is asked again.
        tell: takes what the user should know of a longer wait, that for a model which is being loaded.

    Raises:
        ConfigError: the endpoint's certificates, or a proxy, cannot be used.
        ProviderError: it lists none, or cannot be asked.
    """
    transport = HttpTransport(endpoint, OpenAIProvider.headers(endpoint), patience, log)
    with closing(transport):
        first = _models(transport, endpoint, sleep, tell)
        for form, answer in ((endpoint, first), _other_list(transport, endpoint, first)):
            for model in read_models(answer):
                if model.is_chat:
                    return form.with_model(model.name)
    raise InvalidResponseError(
        f"{endpoint.shown}/models lists no model: {endpoint.quoted(words(first))}",
        hint="Name one with --model or TEXT_AGENT_MODEL.",
    )


def _other_list(transport: Transport, endpoint: Endpoint, first: str) -> tuple[Endpoint, str]:
    """The answer of the URL's other form, if the first one lists no model; what fails there says nothing."""
    other = endpoint.other_form()
    with suppress(ProviderError):
        return other, "" if read_models(first) else _models(transport, other, None)
    return other, ""


def _models(
    transport: Transport,
    endpoint: Endpoint,
    sleep: Callable[[float], None] | None,
    tell: Callable[[str], None] = lambda _: None,
) -> str:
    """The list of models as it is written; with `sleep` it is asked for again where a failure may pass."""
    for attempt in count(1):
        try:
            return text_at(transport, endpoint.url("/models"), LIST_TIMEOUT_SECONDS, endpoint)
        except ProviderError as error:
            if error.status == 404:
                return error.body  # not every server has a list
            is_loading = isinstance(error, ModelLoadingError)
            most = LOADING_RETRIES if is_loading else CONNECTION_RETRIES
            if sleep is None or not error.retryable or attempt > most:
                raise
            seconds = growing_wait(attempt, LOADING_RETRY_MAX_SECONDS)
            if is_loading:
                tell(RetryScheduled(str(error), seconds, attempt + 1).line)
            sleep(seconds)
    raise AssertionError
