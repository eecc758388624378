"""What the model servers that people run answer, and the ports where they usually do."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.moves import ScriptEntry
from tests.support.scripted_server import ScriptedServer

_OLLAMA_MODELS = (
    ("qwen2.5-coder:7b", 4_683_087_332, "qwen2", "7.6B"),
    ("qwen2.5-coder:1.5b", 986_062_089, "qwen2", "1.5B"),
    ("nomic-embed-text:latest", 274_302_450, "nomic-bert", "137M"),
)


def ollama(*names: str, loaded: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The pages of an Ollama that has these models.

    Args:
        names: of its models; all that are known here if none is named.
        loaded: the contexts of those in memory, by name.
    """
    models = [model for model in _OLLAMA_MODELS if not names or model[0] in names]
    return {
        "/v1/models": {
            "object": "list",
            "data": [
                {"id": name, "object": "model", "created": 1, "owned_by": "library"} for name, *_ in models
            ],
        },
        "/api/tags": {
            "models": [
                {
                    "name": name,
                    "model": name,
                    "size": size,
                    "details": {"format": "gguf", "family": family, "parameter_size": parameters},
                }
                for name, size, family, parameters in models
            ]
        },
        "/api/ps": {
            "models": [
                {"name": name, "model": name, "context_length": size} for name, size in (loaded or {}).items()
            ]
        },
    }


def lm_studio() -> dict[str, Any]:
    """The pages of an LM Studio with a loaded model, one on the disk, and one for embeddings."""
    models: list[dict[str, Any]] = [
        {
            "type": "llm",
            "key": "qwen/qwen3-4b",
            "params_string": "4B",
            "size_bytes": 2_500_000_000,
            "loaded_instances": [{"id": "qwen/qwen3-4b", "config": {"context_length": 4096}}],
            "max_context_length": 262_144,
        },
        {
            "type": "llm",
            "key": "mistral-7b-instruct-v0.3",
            "params_string": "7B",
            "size_bytes": 4_080_000_000,
            "loaded_instances": [],
            "max_context_length": 32_768,
        },
        {
            "type": "embedding",
            "key": "text-embedding-nomic-embed-text-v1.5",
            "size_bytes": 84_106_624,
            "loaded_instances": [],
            "max_context_length": 2048,
        },
    ]
    listed = [{"id": each["key"], "object": "model", "owned_by": "organization_owner"} for each in models]
    return {"/v1/models": {"object": "list", "data": listed}, "/api/v1/models": {"models": models}}


def llama_cpp(context_tokens: int = 4096) -> dict[str, Any]:
    """The pages of a llama.cpp server."""
    name = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    meta = {"n_ctx_train": 32_768, "n_params": 1_543_714_304, "size": 1_111_376_896, "vocab_type": 2}
    return {
        "/v1/models": {
            "models": [{"name": name, "model": name, "capabilities": ["completion"]}],
            "object": "list",
            "data": [{"id": name, "object": "model", "owned_by": "llamacpp", "meta": meta}],
        },
        "/props": {"default_generation_settings": {"n_ctx": context_tokens}, "total_slots": 1},
    }


def llama_cpp_router() -> dict[str, Any]:
    """The pages of a llama.cpp server that loads one of several models when it is asked for."""
    states = {"ggml-org/gemma-3-4b-it-GGUF:Q4_K_M": "loaded", "Qwen2.5-Coder-7B-Instruct-Q4_K_M": "unloaded"}
    listed = [
        {
            "id": name,
            "object": "model",
            "owned_by": "llamacpp",
            "created": 1,
            "status": {"value": state, "args": []},
        }
        for name, state in states.items()
    ]
    return {"/v1/models": {"object": "list", "data": listed}, "/props": {"role": "router"}}


def vllm(name: str = "Qwen/Qwen2.5-Coder-7B-Instruct", context_tokens: int = 32_768) -> dict[str, Any]:
    """The pages of a vLLM server."""
    entry = {"id": name, "object": "model", "owned_by": "vllm", "root": name, "parent": None}
    return {"/v1/models": {"object": "list", "data": [{**entry, "max_model_len": context_tokens}]}}


def sglang() -> dict[str, Any]:
    """The pages of an SGLang server."""
    name = "Qwen/Qwen3-8B"
    entry = {"id": name, "object": "model", "created": 1, "owned_by": "sglang", "root": name, "parent": None}
    return {"/v1/models": {"object": "list", "data": [{**entry, "max_model_len": 40_960}]}}


def jan() -> dict[str, Any]:
    """The pages of Jan's server, which lists the models that run."""
    entry = {"id": "Jan-v1-4B-Q4_K_M", "object": "model", "created": 1, "owned_by": "user"}
    return {"/v1/models": {"object": "list", "data": [entry]}}


def kobold_cpp() -> dict[str, Any]:
    """The pages of a KoboldCpp."""
    name = "koboldcpp/Qwen2.5-Coder-14B-Q4_K_S"
    entry = {
        "id": name,
        "object": "model",
        "created": 1,
        "owned_by": "koboldcpp",
        "permission": [],
        "root": "koboldcpp",
    }
    return {
        "/v1/models": {"object": "list", "data": [entry]},
        "/api/extra/true_max_context_length": {"value": 16_384},
    }


def text_generation_webui() -> dict[str, Any]:
    """The pages of a text-generation-webui, which lists all models, and answers with the loaded one."""
    names = ("Qwen3-4B-Q5_K_M.gguf", "Mistral-7B-Instruct-v0.3-Q4_K_M.gguf")
    listed = [{"id": name, "object": "model", "created": 0, "owned_by": "user"} for name in names]
    return {
        "/v1/models": {"object": "list", "data": listed},
        "/v1/internal/model/info": {"model_name": names[0], "lora_names": []},
    }


@dataclass(frozen=True)
class Found:
    """What is found of a product.

    Attributes:
        port: where it listens by default.
        pages: what it answers.
        lines: of its chat models, as the user is shown them.
    """

    port: int
    pages: Mapping[str, Any]
    lines: tuple[str, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """The names of its chat models."""
        return tuple(line.partition(" (")[0] for line in self.lines)


FOUND: Mapping[str, Found] = {
    "Ollama": Found(
        11434,
        ollama(loaded={"qwen2.5-coder:7b": 4096}),
        (
            "qwen2.5-coder:7b (7.6B, 4.7 GB, context 4,096, loaded)",
            "qwen2.5-coder:1.5b (1.5B, 1.0 GB, not loaded)",
        ),
    ),
    "LM Studio": Found(
        1234,
        lm_studio(),
        (
            "qwen/qwen3-4b (4B, 2.5 GB, context 4,096, loaded)",
            "mistral-7b-instruct-v0.3 (7B, 4.1 GB, not loaded)",
        ),
    ),
    "llama.cpp": Found(
        8080, llama_cpp(), ("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf (1.54B, 1.1 GB, context 4,096)",)
    ),
    "llama.cpp, several": Found(
        8080,
        llama_cpp_router(),
        ("ggml-org/gemma-3-4b-it-GGUF:Q4_K_M (loaded)", "Qwen2.5-Coder-7B-Instruct-Q4_K_M (not loaded)"),
    ),
    "vLLM": Found(8000, vllm(), ("Qwen/Qwen2.5-Coder-7B-Instruct (7B, context 32,768)",)),
    "SGLang": Found(30000, sglang(), ("Qwen/Qwen3-8B (8B, context 40,960)",)),
    "Jan": Found(1337, jan(), ("Jan-v1-4B-Q4_K_M",)),
    "KoboldCpp": Found(5001, kobold_cpp(), ("koboldcpp/Qwen2.5-Coder-14B-Q4_K_S (context 16,384)",)),
    "text-generation-webui": Found(
        5000,
        text_generation_webui(),
        ("Qwen3-4B-Q5_K_M.gguf (loaded)", "Mistral-7B-Instruct-v0.3-Q4_K_M.gguf (not loaded)"),
    ),
}


@contextmanager
def usual_ports() -> Iterator[None]:
    """While the context lasts, no other process of the tests listens at a product's usual port."""
    with (Path(tempfile.gettempdir()) / "text-agent-usual-ports.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def at_usual_ports(
    *products: str, script: Sequence[ScriptEntry] = ("Hello.",)
) -> Iterator[list[ScriptedServer]]:
    """Servers that answer as these products do, at their usual ports, while the context lasts.

    Args:
        products: names of `FOUND`.
        script: what each of them replies.

    Skips the test where one of the ports is taken.
    """
    with usual_ports(), ExitStack() as servers:
        try:
            yield [
                servers.enter_context(
                    ScriptedServer(script, pages=FOUND[name].pages, port=FOUND[name].port, strict=False)
                )
                for name in products
            ]
        except OSError as error:
            pytest.skip(f"a usual port is taken: {error}")
