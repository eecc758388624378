"""The model servers that people run, and what of them answers on this machine."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import urlsplit

from text_agent.config.limits import DISCOVERY_SECONDS
from text_agent.errors import ProviderError
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.models import Model, find_model, merged, model_of, read_models, with_loaded

T = TypeVar("T")
# Asks for a URL's path from the server's root on, and returns the answer's text, empty if there is none.
Get = Callable[[str], str]
LIST_PATH = "/v1/models"


@dataclass(frozen=True, slots=True)
class Product:
    """A kind of model server.

    Attributes:
        name: as its users know it.
        ports: where it listens by default.
        owners: who it says its models belong to.
        lists: its own lists of models, which tell more than `/v1/models`.
        in_memory: where it tells which of them are loaded.
        settings: where it tells the context of the one model that it serves.
        larger_context: what gives a model a larger one.
    """

    name: str
    ports: tuple[int, ...] = ()
    owners: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    in_memory: str = ""
    settings: str = ""
    larger_context: str = ""


OLLAMA = Product(
    "Ollama",
    (11434,),
    ("library",),
    lists=("/api/tags",),
    in_memory="/api/ps",
    larger_context="start it with OLLAMA_CONTEXT_LENGTH=16384, or set num_ctx in the Modelfile",
)
LLAMA_CPP = Product(
    "llama.cpp", (8080,), ("llamacpp",), settings="/props", larger_context="-c 16384, also called --ctx-size"
)
VLLM = Product("vLLM", (8000,), ("vllm",), larger_context="--max-model-len 16384")
# In the order in which they are shown.
PRODUCTS = (
    OLLAMA,
    Product(
        "LM Studio",
        (1234,),
        ("organization_owner",),
        lists=("/api/v1/models", "/api/v0/models"),
        larger_context="Context Length in the settings that the model is loaded with",
    ),
    LLAMA_CPP,
    VLLM,
    Product("SGLang", (30000,), ("sglang",)),
    Product("Jan", (1337,)),
    Product(
        "KoboldCpp",
        (5001,),
        ("koboldcpp",),
        settings="/api/extra/true_max_context_length",
        larger_context="--contextsize 16384",
    ),
    Product("text-generation-webui", (5000,), in_memory="/v1/internal/model/info"),
    Product("TGI", (), ("tgi",), settings="/info"),
)
_UNKNOWN = Product("a server")
# What a status says of a server that gives no list.
_PROBLEMS = {401: "it asks for a key", 403: "it asks for a key", 503: "it is still loading its model"}


@dataclass(frozen=True, slots=True)
class Server:
    """A model server that answers.

    Attributes:
        product: its kind.
        base_url: where its API is.
        models: all that it lists.
        problem: why it lists none, if it says so.
    """

    product: str
    base_url: str
    models: tuple[Model, ...] = ()
    problem: str = ""

    @property
    def chat_models(self) -> tuple[Model, ...]:
        """The models that a chat can be with."""
        return tuple(model for model in self.models if model.is_chat)


def product_of(models: Sequence[Model], url: str = "", products: Sequence[Product] = PRODUCTS) -> Product:
    """The kind of server that lists these models: by their owners, or else by the port of its URL."""
    owners, port = {model.owner for model in models}, urlsplit(url).port
    by_owner = (product for product in products if owners & set(product.owners))
    by_port = (product for product in products if port in product.ports)
    return next(by_owner, None) or next(by_port, _UNKNOWN)


def larger_context(server: str = "") -> str:
    """What gives a model a larger context at a kind of server, or at all of them; without a full stop."""
    known = [product for product in PRODUCTS if product.larger_context]
    named = [product for product in known if product.name == server] or known
    ways = "; ".join(f"{product.name}: {product.larger_context}" for product in named)
    return f"Give the model more, such as 16,384 tokens ({ways})"


def describe_models(get: Get, listed: str, url: str) -> tuple[Model, ...]:
    """The models of a server with all that it tells of them; sends `GET` requests only.

    Args:
        get: asks the server.
        listed: its list of models.
        url: where it is, which may tell its kind.
    """
    models = read_models(listed)
    product = product_of(models, url)
    for path in product.lists:
        models = merged(models, read_models(get(path)))
    if product.in_memory and (told := get(product.in_memory)):
        models = with_loaded(models, read_models(told))
    if product.settings and len(models) == 1 and not models[0].context_tokens:
        models = (models[0].completed(model_of(models[0].name, get(product.settings))),)
    return models


def describe_model(get: Get, list_path: str, name: str, url: str = "") -> Model:
    """A model with all that its server tells of it; sends a few `GET` requests.

    Args:
        get: asks the server.
        list_path: where its list of models is.
        name: the model's.
        url: where the server is, which may tell its kind.
    """
    models = describe_models(get, get(list_path), url)
    only = models[0] if len(models) == 1 else None
    model = find_model(models, name) or only or Model(name)
    return replace(model, name=name, server=product_of(models, url).name)


def find_servers(
    environment: Mapping[str, str], urls: Sequence[str] | None = None, seconds: float = DISCOVERY_SECONDS
) -> tuple[Server, ...]:
    """The servers that answer on this machine, and where `OLLAMA_HOST` points to.

    All are asked at once, by `GET` requests and without a key. What takes longer than `seconds` is not there.

    Args:
        environment: the user's own; a project's files must have no part in it.
        urls: where to look, without `/v1`, in the order of the answer; None: at the products' own ports.
        seconds: for all together.
    """
    own = [f"http://127.0.0.1:{port}" for product in PRODUCTS for port in product.ports]
    ollama = ollama_url(environment.get("OLLAMA_HOST", ""))
    roots = list(dict.fromkeys([*filter(None, [ollama]), *(own if urls is None else urls)]))
    open_roots = _at_once(_is_open, roots, seconds)
    if not any(open_roots):
        return ()
    # Imported when somebody is there, and not on the time that he has; httpx2 imports the others late.
    import h11  # noqa: F401
    import httpcore2  # noqa: F401

    import text_agent.providers.transport  # noqa: F401

    asked = [root for root, is_open in zip(roots, open_roots, strict=True) if is_open]
    return tuple(filter(None, _at_once(_ask, asked, seconds)))


def ollama_url(host: str) -> str:
    """The URL that `OLLAMA_HOST` means, as Ollama reads it; empty if it is empty or means none.

    An address that a server listens on everywhere (`0.0.0.0`) is this machine for who asks it.
    """
    text = host.strip().strip("\"'")
    scheme, separator, rest = text.rpartition("://")
    try:
        parts = urlsplit(f"//{rest}")
        port = parts.port or {"http": 80, "https": 443}.get(scheme if separator else "", OLLAMA.ports[0])
    except ValueError:
        return ""
    name = parts.hostname or "127.0.0.1"
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)
    shown = f"[{name}]" if ":" in name else name
    return f"{scheme or 'http'}://{shown}:{port}{parts.path.rstrip('/')}" if text else ""


def _at_once(ask: Callable[[str, float], T], roots: Sequence[str], seconds: float) -> list[T | None]:
    """The answers to a question put to all at once; None for those that have not come, or failed, in time."""
    end = time.monotonic() + seconds
    pool = ThreadPoolExecutor(max(1, len(roots)))
    asked = [pool.submit(ask, root, end) for root in roots]
    wait(asked, seconds)
    pool.shutdown(wait=False, cancel_futures=True)
    return [each.result() if each.done() and not each.cancelled() else None for each in asked]


def _is_open(root: str, end: float) -> bool:
    """Whether anybody listens; a closed port of this machine is known at once."""
    parts = urlsplit(root)
    with suppress(OSError):
        socket.create_connection((parts.hostname or "", parts.port or 0), _rest(end)).close()
        return True
    return False


def _ask(root: str, end: float) -> Server | None:
    """The server at a URL, if what answers is one."""
    from text_agent.providers.transport import HttpTransport, Patience, text_at

    seconds = _rest(end)
    endpoint = Endpoint(f"{root}/v1", "/chat/completions", "", "")
    transport = HttpTransport(endpoint, {}, Patience(seconds, seconds, seconds), None)

    def get(path: str) -> str:
        return text_at(transport, root + path, _rest(end), endpoint)

    with closing(transport):
        try:
            models = describe_models(_silent(get), get(LIST_PATH), root)
        except ProviderError as error:
            problem = _PROBLEMS.get(error.status or 0, "")
            return Server(product_of((), root).name, endpoint.base_url, problem=problem) if problem else None
    return Server(product_of(models, root).name, endpoint.base_url, models) if models else None


def _silent(get: Get) -> Get:
    """The same question, whose failure is an empty answer."""

    def ask(path: str) -> str:
        with suppress(ProviderError):
            return get(path)
        return ""

    return ask


def _rest(end: float) -> float:
    """The seconds that are left, and a moment at least."""
    return max(end - time.monotonic(), 0.01)
