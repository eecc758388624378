"""Where servers tell how many tokens their models take."""

from __future__ import annotations

import json
from typing import Any

import pytest

from text_agent.providers.servers import describe_model

SERVERS: dict[str, tuple[dict[str, Any], int | None]] = {
    "vLLM": ({"/v1/models": {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 8192}]}}, 8192),
    "OpenRouter": (
        {
            "/v1/models": {
                "data": [{"id": "x", "context_length": 1000}, {"id": "m", "context_length": 131072}]
            }
        },
        131072,
    ),
    "Groq": ({"/v1/models": {"data": [{"id": "m", "context_window": 131072}]}}, 131072),
    "Mistral": ({"/v1/models": {"data": [{"id": "m", "max_context_length": 32768}]}}, 32768),
    "Anthropic": ({"/v1/models": {"data": [{"id": "m", "max_input_tokens": 200000}]}}, 200000),
    "llama.cpp": (
        {
            "/v1/models": {
                "models": [{"name": "m"}],
                "data": [{"id": "path.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072}}],
            },
            "/props": {"default_generation_settings": {"n_ctx": 4096}},
        },
        4096,
    ),
    "llama.cpp without props": ({"/v1/models": {"data": [{"id": "m", "owned_by": "llamacpp"}]}}, None),
    "Ollama": (
        {
            "/v1/models": {"data": [{"id": "m", "owned_by": "library"}]},
            "/api/ps": {"models": [{"name": "m", "context_length": 4096}]},
        },
        4096,
    ),
    "Ollama before the model is loaded": (
        {
            "/v1/models": {"data": [{"id": "m", "owned_by": "library"}]},
            "/api/ps": {"models": [{"name": "another", "context_length": 4096}]},
        },
        None,
    ),
    "LM Studio": (
        {
            "/v1/models": {"data": [{"id": "m", "owned_by": "organization_owner"}]},
            "/api/v0/models": {
                "data": [{"id": "m", "loaded_context_length": 4096, "max_context_length": 131072}]
            },
        },
        4096,
    ),
    "LM Studio, not loaded": (
        {
            "/v1/models": {"data": [{"id": "m", "owned_by": "organization_owner"}]},
            "/api/v1/models": {
                "models": [{"key": "m", "loaded_instances": [], "max_context_length": 131072}]
            },
        },
        None,
    ),
    "KoboldCpp": (
        {
            "/v1/models": {"data": [{"id": "koboldcpp/m", "owned_by": "koboldcpp"}]},
            "/api/extra/true_max_context_length": {"value": 8192},
        },
        8192,
    ),
    "TGI": (
        {"/v1/models": {"data": [{"id": "m", "owned_by": "tgi"}]}, "/info": {"max_total_tokens": 4096}},
        4096,
    ),
    "the only model under another name": ({"/v1/models": {"data": [{"id": "x", "max_model_len": 512}]}}, 512),
    "several, and none of this name": (
        {"/v1/models": {"data": [{"id": "x", "max_model_len": 512}, {"id": "y", "max_model_len": 512}]}},
        None,
    ),
    "no number": (
        {"/v1/models": {"data": [{"id": "m", "max_model_len": "8k", "context_length": True}]}},
        None,
    ),
    "too small": ({"/v1/models": {"data": [{"id": "m", "max_model_len": 0}]}}, None),
    "no list": ({"/v1/models": {"data": 5}}, None),
    "no object": ({"/v1/models": [1, 2]}, None),
    "nothing": ({}, None),
}


@pytest.mark.parametrize(("pages", "size"), SERVERS.values(), ids=SERVERS.keys())
def test_a_server_tells_its_context(pages: dict[str, Any], size: int | None) -> None:
    asked: list[str] = []

    def get(path: str) -> str:
        asked.append(path)
        return json.dumps(pages[path]) if path in pages else "not JSON"

    assert describe_model(get, "/v1/models", "m").context_tokens == size
    assert len(asked) <= 3
