"""What servers tell of their models, in the many forms of their lists.

    GET /v1/models       vLLM, SGLang: max_model_len; OpenRouter, Together: context_length; llama.cpp:
                         meta.n_params; Groq: context_window; Mistral: max_context_length; Anthropic:
                         max_input_tokens
    GET /api/tags        Ollama: details.parameter_size, size; /api/ps: context_length of what is in memory
    GET /api/v1/models   LM Studio: key, params_string, size_bytes, loaded_instances
    GET /api/v0/models   LM Studio before 0.4: type, state, loaded_context_length
    GET /props           llama.cpp: default_generation_settings.n_ctx, of one slot; model_path
    GET /info            TGI: max_total_tokens
    GET /v1/internal/model/info   text-generation-webui: model_name, of the loaded one

What a model was trained with (`n_ctx_train`, LM Studio's `max_context_length`) is not what a server gives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from text_agent.config.limits import FEWEST_CONTEXT_TOKENS, MOST_TOKENS, SMALL_MODEL_MAX_PARAMETERS
from text_agent.lazy_regex import late_pattern
from text_agent.providers.json_text import read_json

# Where an entry of a list tells a fact: dotted paths; the first with a value of the right kind counts.
_NAME = ("id", "key", "model", "name", "model_name")
_PARAMETERS = (
    "meta.n_params",
    "n_params",
    "details.parameter_size",
    "params_string",
    "parameter_size",
    # Or a name with it, behind the one that the model is served under.
    "root",
    "parent",
    "model_path",
)
_BYTES = ("size_bytes", "meta.size", "size")
_LOADED_CONTEXT = ("loaded_context_length", "loaded_instances.0.config.context_length")
_CONTEXT = (
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
    "default_generation_settings.n_ctx",
    "max_total_tokens",
    "value",
)
_STATE = ("state", "status.value", "loaded_instances")
_TYPE = ("type", "architecture.output_modalities", "capabilities")
_CHAT_TYPES = frozenset({"llm", "vlm", "chat", "text", "code", "completion", "model", "language"})
_OTHER_USE = late_pattern(
    r"embed|rerank|whisper|transcri|diffusion|dall-?e|gpt-image|text-to-|moderation|speech|kokoro|parakeet"
    r"|(?<![a-z])(bge|e5|gte|minilm|colbert|clip|siglip|tts|stt|bert|flux|sdxl|imagen|bark|musicgen)(?![a-z])",
    re.IGNORECASE,
)
# 1.5b, 0.6B, 8x7b, 135M; not the 3b of 30b-a3b, which are the weights of one token.
_SIZE = late_pattern(
    r"(?<![a-z0-9.])(?:(?P<times>\d{1,3})x)?(?P<number>\d{1,4}(?:\.\d{1,3})?) ?(?P<unit>[bm])(?![a-z0-9])",
    re.IGNORECASE,
)
_UNITS = {"b": 1_000_000_000, "m": 1_000_000}
# An `m` after a smaller number is the context, as in 1m.
_LEAST_MILLIONS = 10


@dataclass(frozen=True, slots=True)
class Model:
    """A model as its server describes it; None or empty where the server does not tell.

    Attributes:
        name: as requests name it.
        owner: who it belongs to, which often tells the kind of server.
        parameters: how many weights it has.
        file_bytes: how large its file is.
        context_tokens: what a prompt and its reply may have together now.
        is_loaded: it is in memory.
        is_chat: it writes text; an embedding, reranking, speech or image model does not.
        server: the kind of server that has it.
    """

    name: str
    owner: str = ""
    parameters: int | None = None
    file_bytes: int | None = None
    context_tokens: int | None = None
    is_loaded: bool | None = None
    is_chat: bool = True
    server: str = ""

    @property
    def is_small(self) -> bool:
        """It needs the help for small models: by its weights if they are known, else by its name."""
        return self.size is not None and self.size <= SMALL_MODEL_MAX_PARAMETERS

    @property
    def size(self) -> int | None:
        """How many weights it has, as its server or else its name says."""
        return self.parameters or parameters_in(self.name)

    def completed(self, other: Model) -> Model:
        """The model with what another description of it adds."""
        added = {
            field.name: getattr(other, field.name)
            for field in fields(Model)
            if getattr(self, field.name) in (None, "")
        }
        return replace(self, **added, is_chat=self.is_chat and other.is_chat)


def told_of(model: Model) -> str:
    """What is known of a model, for the user: `7.6B, 4.7 GB, context 4,096, loaded`; perhaps nothing."""
    size = model.parameters or 0
    facts = (
        f"{size / 1e9:.3g}B" if size >= 1e9 else f"{size / 1e6:.0f}M" if size else "",
        f"{model.file_bytes / 1e9:.1f} GB" if model.file_bytes else "",
        f"context {model.context_tokens:,}" if model.context_tokens else "",
        {True: "loaded", False: "not loaded", None: ""}[model.is_loaded],
        "" if model.is_chat else "not for chats",
    )
    return ", ".join(filter(None, facts))


def read_models(answer: str) -> tuple[Model, ...]:
    """The models of a list, in its order, each once; none if the text is no list.

    Args:
        answer: the body of the answer to one of the requests above.
    """
    models = {model.name: model for entry in _entries(_object(answer)) for model in _model(entry)}
    return tuple(models.values())


def find_model(models: Sequence[Model], name: str) -> Model | None:
    """The model of that name: with or without the tag `:latest`, or the path of its file."""
    named = {_plain(model.name): model for model in reversed(models)}
    return named.get(_plain(name))


def merged(models: Sequence[Model], others: Sequence[Model]) -> tuple[Model, ...]:
    """The models, each completed by the one of its name among the others."""
    return tuple(model.completed(find_model(others, model.name) or model) for model in models)


def with_loaded(models: Sequence[Model], loaded: Sequence[Model]) -> tuple[Model, ...]:
    """The models, each with whether it is among those in memory, and what is told of it there."""
    found = ((model, find_model(loaded, model.name)) for model in models)
    return tuple(
        replace((other or model).completed(model), name=model.name, is_loaded=other is not None)
        for model, other in found
    )


def parameters_in(name: str) -> int | None:
    """How many weights a model's name says that it has; the largest number counts, as in `30b-a3b`."""
    found = [
        int(float(size["number"]) * _UNITS[size["unit"].lower()] * int(size["times"] or 1))
        for size in _SIZE.finditer(name.replace("_", "-"))
        if size["unit"] in "bB" or float(size["number"]) >= _LEAST_MILLIONS
    ]
    return max(found, default=None)


def model_of(name: str, settings: str) -> Model:
    """The one model of a server, by the text of the server's own settings."""
    entry = _object(settings)
    return Model(name, parameters=_parameters(entry), context_tokens=_context(entry))


def _context(entry: Mapping[str, Any]) -> int | None:
    """The tokens that an entry, or a server's own settings, give a model."""
    # Where a server tells whether a model is loaded, only a loaded one has a size that counts.
    told = _CONTEXT if _first(entry, _STATE) is None else ()
    return next(filter(None, (_size(value) for value in _values(entry, (*_LOADED_CONTEXT, *told)))), None)


def _object(text: str) -> Mapping[str, Any]:
    """The JSON object that a text is; an empty one if it is none."""
    try:
        value = read_json(text)
    except ValueError:
        return {}
    return value if isinstance(value, Mapping) else {}


def _model(entry: Mapping[str, Any]) -> Iterator[Model]:
    name = next((value for value in _values(entry, _NAME) if isinstance(value, str) and value.strip()), None)
    if name is None:
        return
    owner = entry.get("owned_by")
    yield Model(
        name=name,
        owner=owner if isinstance(owner, str) else "",
        parameters=_parameters(entry),
        file_bytes=next((value for value in _values(entry, _BYTES) if _is_count(value)), None),
        context_tokens=_context(entry),
        is_loaded=_is_loaded(entry),
        is_chat=_is_chat(entry, name),
    )


def _entries(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The entries of a list, or the only one; of llama.cpp's two forms in one, the first tells more."""
    for key in ("data", "models"):
        listed = answer.get(key)
        if isinstance(listed, list):
            yield from (entry for entry in listed if isinstance(entry, Mapping))
            return
    if "model_name" in answer:
        yield answer


def _values(entry: Mapping[str, Any], paths: Iterable[str]) -> Iterator[Any]:
    """What stands at dotted paths; a number in one is an index."""
    for path in paths:
        value: Any = entry
        for step in path.split("."):
            if isinstance(value, Mapping):
                value = value.get(step)
            else:
                value = value[0] if step == "0" and isinstance(value, list) and value else None
        if value is not None:
            yield value


def _first(entry: Mapping[str, Any], paths: Iterable[str]) -> Any:
    return next(_values(entry, paths), None)


def _parameters(entry: Mapping[str, Any]) -> int | None:
    """A count of weights as a number, or as in `7.6B`."""
    for value in _values(entry, _PARAMETERS):
        if _is_count(value):
            return int(value)
        if isinstance(value, str) and (found := parameters_in(value)):
            return found
    return None


def _is_loaded(entry: Mapping[str, Any]) -> bool | None:
    state = _first(entry, _STATE)
    if isinstance(state, list):
        return bool(state)
    return state == "loaded" if isinstance(state, str) else None


def _is_chat(entry: Mapping[str, Any], name: str) -> bool:
    """Whether a model writes text: neither its type nor its name or family says otherwise."""
    told = [value if isinstance(value, list) else [value] for value in _values(entry, _TYPE)]
    words = {word.lower() for words in told for word in words if isinstance(word, str)}
    names = (name, *_values(entry, ("details.family", "arch", "architecture")))
    is_other = any(isinstance(text, str) and _OTHER_USE.search(text) for text in names)
    return not is_other and (not words or bool(words & _CHAT_TYPES))


def _plain(name: str) -> str:
    return name.removesuffix(":latest").removeprefix("models/").lower()


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _size(value: object) -> int | None:
    """A number of tokens, if it is one."""
    is_size = _is_count(value) and FEWEST_CONTEXT_TOKENS <= value <= MOST_TOKENS  # type: ignore[operator]
    return value if is_size else None  # type: ignore[return-value]
