"""How many tokens a model takes, as its server tells in one of many places.

    GET {base}/models        vLLM: max_model_len; OpenRouter, Together: context_length; Groq: context_window;
                             Mistral: max_context_length; Anthropic: max_input_tokens
    GET {root}/props         llama.cpp: default_generation_settings.n_ctx, of one slot
    GET {root}/api/ps        Ollama: context_length of the models in memory
    GET {root}/api/v0/models LM Studio: loaded_context_length
    GET {root}/info          TGI: max_total_tokens

What a model was trained with (`n_ctx_train`, LM Studio's max_context_length) is not what a server gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from text_agent.config.limits import FEWEST_CONTEXT_TOKENS, MOST_TOKENS
from text_agent.providers.json_text import read_json

# Asks for a URL's path from the server's root on, and returns the answer's text, empty if there is none.
Get = Callable[[str], str]

_LISTED = ("max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens")
_OLLAMA, _LM_STUDIO = "library", "organization_owner"
LLAMA_CPP, VLLM, _TGI = "llamacpp", "vllm", "tgi"


def context_size(get: Get, list_path: str, model: str) -> int | None:
    """The context of `model`, if its server tells it; sends at most two `GET` requests.

    Args:
        get: asks the server.
        list_path: where its list of models is.
        model: the model's name.
    """
    entry = _entry(get(list_path), model)
    listed = [_size(entry.get(name)) for name in _LISTED]
    return next(filter(None, listed), None) or _asked(get, str(entry.get("owned_by", "")), model)


def listed_models(answer: str) -> Mapping[str, str]:
    """The names in a list of models, each with its owner, which tells the kind of server."""
    entries = _entries(_object(answer))
    named = [entry for entry in entries if isinstance(entry.get("id"), str) and entry["id"].strip()]
    return {entry["id"]: str(entry.get("owned_by", "")) for entry in named}


def _asked(get: Get, owner: str, model: str) -> int | None:
    """What the kind of server tells that the list of models shows."""
    if owner == _OLLAMA:
        return _size(_entry(get("/api/ps"), model, strict=True).get("context_length"))
    if owner == _LM_STUDIO:
        return _size(_entry(get("/api/v0/models"), model, strict=True).get("loaded_context_length"))
    if owner == LLAMA_CPP:
        settings = _object(get("/props")).get("default_generation_settings")
        return _size(settings.get("n_ctx")) if isinstance(settings, Mapping) else None
    return _size(_object(get("/info")).get("max_total_tokens")) if owner == _TGI else None


def _entry(answer: str, model: str, *, strict: bool = False) -> Mapping[str, Any]:
    """What a list says of the model: the entry of its name, or else the only one."""
    entries = list(_entries(_object(answer)))
    for entry in entries:
        if model in (entry.get("id"), entry.get("name"), entry.get("model")):
            return entry
    return entries[0] if len(entries) == 1 and not strict else {}


def _entries(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in ("data", "models"):
        listed = answer.get(name)
        if isinstance(listed, list):
            yield from (entry for entry in listed if isinstance(entry, Mapping))
            return


def _object(text: str) -> Mapping[str, Any]:
    try:
        value = read_json(text)
    except ValueError:
        return {}
    return value if isinstance(value, Mapping) else {}


def _size(value: object) -> int | None:
    """A number of tokens, if it is one."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and FEWEST_CONTEXT_TOKENS <= value <= MOST_TOKENS else None  # type: ignore[operator, return-value]
