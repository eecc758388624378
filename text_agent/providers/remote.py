"""What the adapters of both APIs share: finding out what an endpoint takes, and reading its replies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from difflib import get_close_matches

import httpx2

from text_agent.config.limits import ANSWER_MAX_BYTES, LIST_TIMEOUT_SECONDS, QUESTION_TIMEOUT_SECONDS
from text_agent.errors import ModelMissingError, ProviderError
from text_agent.messages import CompletionRequest, ReplyEnd, ReplyNote, ReplyPiece
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.known import NOTHING_KNOWN, KnownEndpoint
from text_agent.providers.limited import read_out, unpacked, within
from text_agent.providers.models import Model, read_models
from text_agent.providers.request_log import RequestLog
from text_agent.providers.servers import describe_model, describe_models
from text_agent.providers.shape import RequestShape
from text_agent.providers.streaming import Payload, ReplyReader, encoded, read_reply
from text_agent.providers.transport import PATIENCE, HttpTransport, Patience, Transport, text_at
from text_agent.providers.urls import ANTHROPIC_HOST, OPENAI_HOST, is_same_host

# Models that a hint names, and of a list that are compared with the missing one.
_MOST_NAMED = 5
_MOST_COMPARED = 1_000


class RemoteProvider(ABC):
    """An adapter to one API at one endpoint.

    Args:
        endpoint: where to, with which model.
        known: what was found out about the endpoint before.
        patience: how long to wait.
        temperature: of the model, whatever a request asks for; None leaves it to the request.
        grammar: replies are held to a grammar; None: where it is known to be obeyed.
        log: where requests and answers are written to.

    Raises:
        ConfigError: the endpoint's certificates, or a proxy, cannot be used.
    """

    name: str

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        known: KnownEndpoint = NOTHING_KNOWN,
        patience: Patience = PATIENCE,
        temperature: float | None = None,
        grammar: bool | None = None,
        log: RequestLog | None = None,
    ) -> None:
        self.model = endpoint.model
        self._endpoint = endpoint
        self._known = known
        self._shape = known.applied(self.first_shape)
        self._temperature = temperature
        self._grammar = known.has_grammar if grammar is None else grammar
        self._log = log
        self._transport = self._connect(patience, log)
        self._has_answered = False
        self._described: Model | None = None
        # What the URL as it was written gave, while its other form is tried.
        self._failed_form: ProviderError | None = None

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Sends one request and yields the reply as it comes; see `Provider.complete`.

        What the endpoint does not take is left out or written in another way, from then on.
        """
        while True:
            has_begun = False
            try:
                with closing(self._attempt(request)) as pieces:
                    for piece in pieces:
                        has_begun = True
                        yield piece
                return
            except ProviderError as error:
                note = None if has_begun else self._adapt(error, request)
                if note is None:
                    self._name_models(error)
                    raise
            if note:
                yield ReplyNote(note)

    @property
    def endpoint(self) -> Endpoint:
        """Where requests go, in the form of its URL that was found to be right."""
        return self._endpoint

    @property
    def takes_grammar(self) -> bool:
        """Whether replies are to be held to a grammar; see `Provider.takes_grammar`."""
        return self._grammar and self._shape.has_grammar

    @property
    def shape(self) -> RequestShape:
        """What the endpoint takes, as far as its refusals have shown."""
        return self._shape

    def described(self) -> Model:
        """The model; see `Provider.described`. The vendors' own hosts are not asked: theirs are large."""
        hosts = (ANTHROPIC_HOST, OPENAI_HOST)
        is_vendor = any(is_same_host(self._endpoint.base_url, host) for host in hosts)
        return Model(self.model) if is_vendor else self._description()

    def context_tokens(self) -> int | None:
        """The size of the context; see `Provider.context_tokens`.

        Where the endpoint does not tell it, or not yet, it is what was found out before.
        """
        self._described = None  # it may have changed since
        return self._description().context_tokens or self._known.context_tokens

    def listed_models(self) -> tuple[Model, ...]:
        """The models that the endpoint lists, with what it tells of them; sends `GET` requests only.

        Raises:
            ProviderError: it cannot be asked, or has no list.
        """
        url = self._url(self._list_path)
        listed = text_at(self._transport, url, LIST_TIMEOUT_SECONDS, self._endpoint)
        return describe_models(self._get, listed, self._root)

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    @property
    @abstractmethod
    def first_shape(self) -> RequestShape:
        """What the API takes, before the endpoint has refused anything."""

    @staticmethod
    @abstractmethod
    def headers(endpoint: Endpoint) -> Mapping[str, str]:
        """The headers of the API, with the key."""

    @abstractmethod
    def _body(self, request: CompletionRequest) -> Payload:
        """The request as the API has it, in the shape that the endpoint takes."""

    @abstractmethod
    def _reader(self) -> ReplyReader:
        """What understands one reply."""

    @property
    def _root(self) -> str:
        return self._endpoint.base_url.removesuffix("/v1")

    @property
    def _list_path(self) -> str:
        """Where the list of models is, from the server's root on."""
        endpoint = self._endpoint
        version = "/v1" if "/v1" in endpoint.base_url[len(self._root) :] + endpoint.path else ""
        return f"{version}/models"

    def _description(self) -> Model:
        """What the endpoint tells of the model; with the first reply it may be loaded, and is asked again."""
        if self._described is None:
            self._described = describe_model(self._get, self._list_path, self.model, self._root)
        return self._described

    def _url(self, path: str) -> str:
        return replace(self._endpoint, base_url=self._root).url(path)

    def _get(self, path: str) -> str:
        """The text of an answer to a question that may fail; empty if it does."""
        try:
            return text_at(self._transport, self._url(path), QUESTION_TIMEOUT_SECONDS, self._endpoint)
        except ProviderError:
            return ""

    def _attempt(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Sends the request once, as the endpoint is known to take it."""
        stops = bool(request.stop) and self._shape.has_stop
        with closing(self._answer(encoded(self._body(request)))) as response:
            chunks = within(unpacked(response), ANSWER_MAX_BYTES, self._endpoint)
            chunks = self._log.read(chunks) if self._log else chunks
            for piece in read_reply(chunks, self._reader(), self._endpoint):
                yield from self._first_note()
                yield replace(piece, may_have_stopped=stops) if isinstance(piece, ReplyEnd) else piece
            read_out(response, chunks)

    def _connect(self, patience: Patience, log: RequestLog | None) -> Transport:
        """Returns what sends the requests: HTTP, as all servers of the API take it."""
        return HttpTransport(self._endpoint, self.headers(self._endpoint), patience, log)

    def _common(self, request: CompletionRequest) -> Payload:
        """What both APIs have of a request."""
        shape = self._shape
        temperature = self._wanted_temperature(request) if shape.has_temperature else None
        limit_name = shape.limit_names[0]
        return {
            "model": self.model,
            **({limit_name: shape.reply_limit(request.max_tokens)} if limit_name else {}),
            "stream": True,
            **({} if temperature is None else {"temperature": temperature}),
        }

    def _wanted_temperature(self, request: CompletionRequest) -> float | None:
        return request.temperature if self._temperature is None else self._temperature

    def _answer(self, content: bytes) -> httpx2.Response:
        try:
            return self._transport.send("POST", self._endpoint.url(self._endpoint.path), content)
        except ProviderError as error:
            if self._log:
                self._log.body(error.body or str(error))
            raise

    def _first_note(self) -> Iterator[ReplyNote]:
        """Tells which form of the URL is right, once, if it is not the one that was written."""
        failed, self._failed_form = self._failed_form, None
        if not self._has_answered:
            self._has_answered, self._described = True, None
        if failed:
            yield ReplyNote(f"({str(failed).rstrip('.')}. From now on {self._endpoint.tried} is used.)")

    def _adapt(self, error: ProviderError, request: CompletionRequest) -> str | None:
        """Changes what the endpoint has refused.

        Returns:
            What to tell the user, perhaps nothing; None if nothing of it can be changed.
        """
        if error.nothing_here:
            return self._try_other_form(error)
        shape, before = self._shape.after(error.status, error.body, request), self._shape
        self._shape = shape
        if shape == before:
            return None
        if shape.has_temperature != before.has_temperature and self._wanted_temperature(request) is not None:
            return "(The endpoint takes no temperature: it is left out from now on.)"
        if shape.has_grammar != before.has_grammar:
            return "(The endpoint takes no grammar: it is left out from now on.)"
        if shape.has_system != before.has_system:
            return "(The endpoint takes no system prompt: it stands in the first message from now on.)"
        return ""

    def _name_models(self, error: ProviderError) -> None:
        """Adds the models that are there to the hint of an error that one is missing."""
        if not isinstance(error, ModelMissingError):
            return
        models = read_models(self._get(self._list_path))
        listed = [model.name for model in models if model.is_chat][:_MOST_COMPARED]
        nearest = get_close_matches(self.model, listed, n=_MOST_NAMED)
        names = list(dict.fromkeys([*nearest, *listed]))
        more = ", ..." if names[_MOST_NAMED:] else ""
        if names:
            shown = self._endpoint.quoted(", ".join(names[:_MOST_NAMED]))
            error.hint = f"Choose one with --model: {shown}{more}"
        if nearest:
            error.args = (f"{error} Did you mean {self._endpoint.quoted(nearest[0])}?",)

    def _try_other_form(self, error: ProviderError) -> str | None:
        if self._has_answered:
            return None
        self._endpoint = self._endpoint.other_form()
        if self._failed_form is None:
            self._failed_form = error
            return ""
        # Neither is served; the one that the user has written is the one to tell.
        failed, self._failed_form = self._failed_form, None
        failed.hint = f"{failed.hint} ({self._endpoint.other_form().tried} is none either.)"
        raise failed
