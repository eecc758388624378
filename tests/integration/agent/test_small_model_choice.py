"""Whether a model gets the help for small models: by what its server tells, its name, and the setting."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_command, run_here
from tests.support.endpoints import APIS, Api
from tests.support.products import llama_cpp, lm_studio, ollama, vllm
from tests.support.recorded import RecordedRequest
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat
from text_agent.providers.anthropic import AnthropicProvider
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.models import Model
from text_agent.providers.openai_compatible import OpenAIProvider

TASK = "Add Tue to week.py."
ON, OFF = "drafts and checks are on; --small-model off", "drafts and checks are off"


def entry(**more: Any) -> dict[str, Any]:
    return {"/v1/models": {"data": [{"id": "coder", "object": "model", **more}]}}


# The model, what its server shows of it, and whether it is small.
MODELS: Mapping[str, tuple[str, Mapping[str, Any], bool]] = {
    "Ollama, small": ("qwen2.5-coder:1.5b", ollama(), True),
    "Ollama, large": ("qwen2.5-coder:7b", ollama(), False),
    "Ollama, by its tags alone": (
        "coder",
        {
            **entry(owned_by="library"),
            "/api/tags": {"models": [{"name": "coder:latest", "details": {"parameter_size": "1.5B"}}]},
        },
        True,
    ),
    "LM Studio, small": ("qwen/qwen3-4b", lm_studio(), True),
    "LM Studio, large": ("mistral-7b-instruct-v0.3", lm_studio(), False),
    "llama.cpp, under any name": ("gpt-4", llama_cpp(), True),
    "llama.cpp, by its file": (
        "coder",
        {**entry(owned_by="llamacpp"), "/props": {"model_path": "/models/qwen2.5-coder-0.5b-q8_0.gguf"}},
        True,
    ),
    "vLLM, large": ("Qwen/Qwen2.5-Coder-7B-Instruct", vllm(), False),
    "vLLM, small": ("Qwen/Qwen3-0.6B", vllm("Qwen/Qwen3-0.6B"), True),
    "vLLM, under another name": ("coder", entry(owned_by="vllm", root="Qwen/Qwen2.5-Coder-3B"), True),
    "vLLM, an adapter": (
        "coder",
        entry(owned_by="vllm", root="/lora", parent="Qwen/Qwen2.5-Coder-1.5B", max_model_len=8192),
        True,
    ),
    "a name that exaggerates": ("coder-70b", entry(meta={"n_params": 1_500_000_000}), True),
    "a name that boasts of little": ("coder-1b", entry(meta={"n_params": 70_000_000_000}), False),
    "a name alone": ("SmolLM2-135M-Instruct", entry(), True),
    "experts": ("franken-3x7b", {}, False),
    "no size": ("coder", entry(), False),
}
both = pytest.mark.parametrize("api", APIS)


def flags(server: ScriptedServer, api: Api, model: str, *more: str) -> tuple[str, ...]:
    url = server.openai_url if api == "openai" else server.anthropic_url
    return ("--provider", api, "--base-url", url, "--model", model, "--sandbox", "off", *more)


@pytest.fixture
def week(project: Path) -> Path:
    (project / "week.py").write_text("DAYS = ['Mon']\n")
    return project


def is_draft(request: RecordedRequest) -> bool:
    return "tool: " not in request.system


@both
@pytest.mark.parametrize(("model", "pages", "is_small"), MODELS.values(), ids=MODELS)
def test_a_task_gets_the_help_that_the_model_needs(
    api: Api, model: str, pages: Mapping[str, Any], *, is_small: bool, week: Path
) -> None:
    with ScriptedServer(["Fine."] * 4, pages=pages, strict=False) as server:
        done = run_here(*flags(server, api, model, "-p", TASK), cwd=week)
        assert is_draft(server.requests[0]) is is_small
    assert done.stderr.count(ON) == is_small, done.stderr


@pytest.mark.parametrize("mode", ["on", "off"])
@pytest.mark.parametrize("model", ["qwen2.5-coder:1.5b", "qwen2.5-coder:7b"])
def test_what_is_set_counts(mode: str, model: str, week: Path) -> None:
    with ScriptedServer(["Fine."] * 4, pages=ollama(), strict=False) as server:
        done = run_here(*flags(server, "openai", model, "--small-model", mode, "-p", TASK), cwd=week)
        assert is_draft(server.requests[0]) is (mode == "on")
    assert done.stderr.count(ON) == (mode == "on")


@both
@pytest.mark.parametrize(("model", "pages", "is_small"), list(MODELS.values())[::5])
def test_doctor_tells_it_and_takes_the_flags_of_the_chat(
    api: Api, model: str, pages: Mapping[str, Any], *, is_small: bool, project: Path
) -> None:
    chat = ("--yes", "--no-memory", "--theme", "dark", "--max-steps", "3", "--sandbox-network")
    with ScriptedServer(["1"] * 20, pages=pages, strict=False) as server:
        told = run_here("doctor", *flags(server, api, model, *chat), cwd=project).stdout
        off = run_here("doctor", *flags(server, api, model, "--small-model", "off"), cwd=project).stdout
    assert (ON in told) is is_small
    assert OFF in (off if is_small else told)


def test_the_greeting_tells_it_by_the_name_before_any_request(project: Path) -> None:
    with (
        ScriptedServer(pages=ollama()) as server,
        Chat(*flags(server, "openai", "qwen2.5-coder:1.5b"), cwd=project) as chat,
    ):
        chat.expect("Small model (1.5B): drafts and checks are on; --small-model off switches them off.")
        chat.expect("you> ")
        assert server.other_requests == []


def test_another_model_is_decided_anew(project: Path) -> None:
    lines = "hello\n/model qwen2.5-coder:7b\nhello\n/model qwen2.5-coder:1.5b\nhello\n"
    with ScriptedServer(["Hi."] * 9, pages=ollama(), strict=False) as server:
        done = run_command(*flags(server, "openai", "qwen2.5-coder:1.5b"), cwd=project, stdin=lines)
    told = [line for line in done.stdout.splitlines() if "drafts and checks" in line]
    assert ["on;" in line for line in told] == [True, False, True]


@pytest.mark.parametrize(
    ("provider", "url", "model"),
    [
        ("anthropic", "https://api.anthropic.com", "claude"),
        ("openai", "https://api.openai.com/v1", "gpt-x"),
    ],
)
def test_the_vendors_are_not_asked(provider: str, url: str, model: str) -> None:
    where = Endpoint(url, "/chat/completions", model, "KEY")
    speaker = (OpenAIProvider if provider == "openai" else AnthropicProvider)(where)
    assert speaker.described() == Model(model)
    speaker.close()
