"""What the model servers that people run answer, and the ports where they usually do."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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


def vllm(name: str = "Qwen/Qwen2.5-Coder-7B-Instruct", context_tokens: int = 32_768) -> dict[str, Any]:
    """The pages of a vLLM server."""
    entry = {"id": name, "object": "model", "owned_by": "vllm", "root": name, "parent": None}
    return {"/v1/models": {"object": "list", "data": [{**entry, "max_model_len": context_tokens}]}}


@contextmanager
def usual_ports() -> Iterator[None]:
    """While the context lasts, no other process of the tests listens at a product's usual port."""
    with (Path(tempfile.gettempdir()) / "text-agent-usual-ports.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
