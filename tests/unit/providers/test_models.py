"""What the lists of model servers tell of their models."""

from __future__ import annotations

import json
from typing import Any

import pytest

from text_agent.providers.models import Model, find_model, parameters_in, read_models

ENTRIES: dict[str, tuple[dict[str, Any], Model]] = {
    "OpenAI": (
        {"id": "gpt-4o-mini", "object": "model", "owned_by": "system"},
        Model("gpt-4o-mini", "system"),
    ),
    "Ollama": (
        {
            "name": "qwen2.5-coder:1.5b",
            "model": "qwen2.5-coder:1.5b",
            "size": 986062089,
            "details": {"family": "qwen2", "parameter_size": "1.5B", "quantization_level": "Q4_K_M"},
        },
        Model("qwen2.5-coder:1.5b", parameters=1_500_000_000, file_bytes=986062089),
    ),
    "Ollama, an embedding model": (
        {"name": "x:latest", "details": {"family": "nomic-bert", "parameter_size": "137M"}},
        Model("x:latest", parameters=137_000_000, is_chat=False),
    ),
    "LM Studio, loaded": (
        {
            "type": "llm",
            "key": "qwen/qwen3-4b",
            "params_string": "4B",
            "size_bytes": 2_500_000_000,
            "loaded_instances": [{"id": "qwen/qwen3-4b", "config": {"context_length": 4096}}],
            "max_context_length": 262144,
            "capabilities": {"vision": False, "trained_for_tool_use": True},
        },
        Model(
            "qwen/qwen3-4b",
            parameters=4_000_000_000,
            file_bytes=2_500_000_000,
            context_tokens=4096,
            is_loaded=True,
        ),
    ),
    "LM Studio, not loaded": (
        {"id": "m", "type": "vlm", "state": "not-loaded", "max_context_length": 32768},
        Model("m", is_loaded=False),
    ),
    "LM Studio, embeddings": ({"id": "m", "type": "embeddings"}, Model("m", is_chat=False)),
    "llama.cpp": (
        {
            "id": "some.gguf",
            "owned_by": "llamacpp",
            "meta": {"n_params": 1543714304, "n_ctx_train": 32768, "size": 1111376896},
        },
        Model("some.gguf", "llamacpp", parameters=1543714304, file_bytes=1111376896),
    ),
    "llama.cpp's router": (
        {"id": "m", "owned_by": "llamacpp", "status": {"value": "unloaded"}},
        Model("m", "llamacpp", is_loaded=False),
    ),
    "vLLM": (
        {"id": "m", "owned_by": "vllm", "max_model_len": 32768, "parent": None},
        Model("m", "vllm", context_tokens=32768),
    ),
    "OpenRouter": (
        {"id": "m", "context_length": 131072, "architecture": {"output_modalities": ["text"]}},
        Model("m", context_tokens=131072),
    ),
    "OpenRouter, an image model": (
        {"id": "m", "architecture": {"output_modalities": ["image"]}},
        Model("m", is_chat=False),
    ),
    "Together": ({"id": "m", "type": "rerank"}, Model("m", is_chat=False)),
    "Anthropic": ({"id": "claude-x", "type": "model"}, Model("claude-x")),
    "kinds that make no sense": (
        {"id": "m", "type": 5, "capabilities": [None, 3]},
        Model("m"),
    ),
    "numbers that make no sense": (
        {"id": "m", "size": -1, "meta": {"n_params": True}, "max_model_len": 10**12, "status": 4},
        Model("m"),
    ),
}


@pytest.mark.parametrize(("entry", "model"), ENTRIES.values(), ids=ENTRIES.keys())
@pytest.mark.parametrize("key", ["data", "models"])
def test_an_entry_tells_of_a_model(entry: dict[str, Any], model: Model, key: str) -> None:
    assert read_models(json.dumps({key: [entry, 5, {"id": ""}, {"id": 7}, {}]})) == (model,)


@pytest.mark.parametrize("answer", ["", "[]", "{}", '{"data": {}}', '{"data": [1]}', "[" * 100_000, "<html>"])
def test_what_is_no_list_tells_of_none(answer: str) -> None:
    assert read_models(answer) == ()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("qwen2.5-coder:1.5b", 1_500_000_000),
        ("Qwen3-0.6B-GGUF", 600_000_000),
        ("mixtral-8x7b", 56_000_000_000),
        ("franken-3x7b-Q4_K_M", 21_000_000_000),
        ("qwen3-30b-a3b", 30_000_000_000),
        ("SmolLM2-135M-Instruct", 135_000_000),
        ("meta-llama/Llama-3.2-1B-Instruct", 1_000_000_000),
        ("models/gemma_2_2b_it.gguf", 2_000_000_000),
        ("Qwen2.5-7B-Instruct-1M", 7_000_000_000),
        ("gemini-1.5-pro-1m", None),
        ("gpt-4o-mini", None),
        ("llama3.2:latest", None),
        ("model-8bit", None),
        ("phi-3-mini-4k-instruct", None),
        ("", None),
    ],
)
def test_a_name_tells_the_number_of_weights(name: str, parameters: int | None) -> None:
    assert parameters_in(name) == parameters


@pytest.mark.parametrize(
    ("model", "is_small"),
    [
        (Model("x:1.5b"), True),
        (Model("x:3x7b"), False),
        (Model("x", parameters=1_500_000_000), True),
        (Model("x-70b", parameters=1_500_000_000), True),
        (Model("x-1b", parameters=70_000_000_000), False),
        (Model("Qwen3-4B", parameters=4_022_468_096), True),
        (Model("mistral-7b"), False),
        (Model("some-model"), False),
    ],
)
def test_a_model_is_small_by_its_weights_or_else_by_its_name(model: Model, *, is_small: bool) -> None:
    assert model.is_small is is_small


@pytest.mark.parametrize(
    "name",
    [
        "nomic-embed-text",
        "text-embedding-3-small",
        "bge-m3:latest",
        "mxbai-embed-large",
        "jina-reranker-v2",
        "whisper-1",
        "gpt-4o-mini-tts",
        "tts-1-hd",
        "dall-e-3",
        "stable-diffusion-xl",
        "black-forest-labs/FLUX.1-dev",
        "omni-moderation-latest",
        "all-minilm",
        "e5-large",
        "gpt-4o-transcribe",
    ],
)
def test_a_name_tells_that_a_model_does_not_chat(name: str) -> None:
    (model,) = read_models(json.dumps({"data": [{"id": name}]}))
    assert not model.is_chat


@pytest.mark.parametrize(
    "name", ["qwen2.5-coder:7b", "gpt-4o", "claude-sonnet-4", "eclipse-7b", "albert-chat"]
)
def test_a_name_that_only_looks_like_one_of_those(name: str) -> None:
    (model,) = read_models(json.dumps({"data": [{"id": name}]}))
    assert model.is_chat


@pytest.mark.parametrize("name", ["m", "M", "m:latest", "models/m"])
def test_a_model_is_found_by_its_name(name: str) -> None:
    listed = (Model("other"), Model("m:latest"), Model("m"))
    assert find_model(listed, name) == Model("m:latest")
    assert find_model(listed, "n") is None
