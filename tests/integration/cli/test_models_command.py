"""`text-agent models`, run as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command import run_command
from tests.support.products import lm_studio, ollama
from tests.support.scripted_server import Fail, ScriptedServer

ON = {"TEXT_AGENT_DISCOVERY": "on"}


def test_the_models_of_this_machine(project: Path) -> None:
    with ScriptedServer(pages=ollama(loaded={"qwen2.5-coder:7b": 4096})) as server:
        done = run_command("models", cwd=project, environment={**ON, "OLLAMA_HOST": server.url})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"Ollama at {server.openai_url}:",
        "  qwen2.5-coder:7b         7.6B, 4.7 GB, context 4,096, loaded",
        "  qwen2.5-coder:1.5b       1.5B, 1.0 GB, not loaded",
        "  nomic-embed-text:latest  137M, 0.3 GB, not loaded, not for chats",
    ]


def test_the_models_of_an_endpoint_as_json(project: Path) -> None:
    with ScriptedServer(pages=lm_studio()) as server:
        done = run_command("models", "--json", "--base-url", server.openai_url, cwd=project)
    assert done.returncode == 0
    (listed,) = json.loads(done.stdout)
    assert listed["product"] == "LM Studio"
    assert listed["models"][0] == {
        "name": "qwen/qwen3-4b",
        "owner": "organization_owner",
        "parameters": 4_000_000_000,
        "file_bytes": 2_500_000_000,
        "context_tokens": 4096,
        "is_loaded": True,
        "is_chat": True,
        "server": "",
    }
    assert [model["is_chat"] for model in listed["models"]] == [True, True, False]


def test_an_endpoint_without_a_list_is_told(project: Path) -> None:
    with ScriptedServer(models=Fail(404), strict=False) as server:
        done = run_command("models", "--base-url", server.openai_url, cwd=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("text-agent: nothing is served at")


def test_nobody_answers(project: Path) -> None:
    done = run_command("models", cwd=project, environment=ON)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Ollama" in done.stderr
