"""What a task does where no endpoint is configured: it looks for a model server on this machine."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_command
from tests.support.products import FOUND, at_usual_ports, llama_cpp, lm_studio, ollama, vllm
from tests.support.scripted_server import ScriptedServer

ON = {"TEXT_AGENT_DISCOVERY": "on"}
TASK = ("-p", "hi", "--project-view", "off")
ONE_CHAT_MODEL: dict[str, tuple[dict[str, Any], str]] = {
    "Ollama": (ollama("qwen2.5-coder:7b", "nomic-embed-text:latest"), "qwen2.5-coder:7b"),
    "llama.cpp": (llama_cpp(), "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
    "vLLM": (vllm(), "Qwen/Qwen2.5-Coder-7B-Instruct"),
}


def at(server: ScriptedServer) -> dict[str, str]:
    return {**ON, "OLLAMA_HOST": server.url}


@pytest.mark.parametrize(("product", "row"), ONE_CHAT_MODEL.items(), ids=ONE_CHAT_MODEL)
def test_a_single_model_is_taken_and_said(
    product: str, row: tuple[dict[str, Any], str], project: Path
) -> None:
    pages, model = row
    with ScriptedServer(["Hello."], pages=pages) as server:
        done = run_command(*TASK, cwd=project, environment=at(server))
    assert (done.returncode, done.stdout) == (0, "Hello.\n"), done.stderr
    assert server.requests[0].model == model
    assert f"endpoint: {server.openai_url} ({product}, found on this machine), model: {model}" in done.stderr


def test_of_several_the_user_has_to_choose(project: Path) -> None:
    with ScriptedServer(pages=lm_studio()) as server:
        done = run_command(*TASK, cwd=project, environment=at(server))
    assert done.returncode == 2
    assert "qwen/qwen3-4b (4B, 2.5 GB, context 4,096, loaded), LM Studio" in done.stderr
    assert "mistral-7b-instruct-v0.3 (7B, 4.1 GB, not loaded), LM Studio" in done.stderr
    assert "embed" not in done.stderr
    assert "--model" in done.stderr
    assert "--base-url" in done.stderr


def test_a_model_alone_is_looked_for(project: Path) -> None:
    with ScriptedServer(["Hello."], pages=ollama()) as server:
        done = run_command(*TASK, "--model", "qwen2.5-coder:1.5b", cwd=project, environment=at(server))
    assert (done.returncode, done.stdout) == (0, "Hello.\n"), done.stderr
    assert server.requests[0].model == "qwen2.5-coder:1.5b"


def test_a_model_that_is_not_there_is_told_with_those_that_are(project: Path) -> None:
    with ScriptedServer(pages=ollama()) as server:
        done = run_command(*TASK, "--model", "qwen2.5-codr:7b", cwd=project, environment=at(server))
    assert done.returncode == 2
    assert "Did you mean qwen2.5-coder:7b?" in done.stderr
    assert "qwen2.5-coder:1.5b" in done.stderr


def test_embeddings_are_no_chat(project: Path) -> None:
    with ScriptedServer(pages=ollama("nomic-embed-text:latest")) as server:
        done = run_command(*TASK, cwd=project, environment=at(server))
    assert done.returncode == 2
    assert "no model server" in done.stderr


@pytest.mark.parametrize("product", FOUND)
def test_each_product_is_found_at_its_usual_port(product: str, project: Path) -> None:
    found = FOUND[product]
    with at_usual_ports(product) as (server,):
        listed = run_command("models", "--json", cwd=project, environment=ON)
        done = run_command(*TASK, cwd=project, environment=ON)
    (told,) = json.loads(listed.stdout)
    assert told["product"] == product.partition(",")[0]
    assert [model["name"] for model in told["models"] if model["is_chat"]] == list(found.models)
    assert {request.method for request in server.other_requests} == {"GET"}
    if found.models[1:]:
        assert (done.returncode, server.requests) == (2, [])
        assert all(line in done.stderr for line in found.lines)
    else:
        assert (done.returncode, done.stdout) == (0, "Hello.\n"), done.stderr
        assert server.requests[0].model == found.models[0]


def test_several_servers_at_their_usual_ports(project: Path) -> None:
    with at_usual_ports("LM Studio", "vLLM"):
        done = run_command(*TASK, cwd=project, environment=ON)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert [line.rpartition(", ")[2] for line in lines if line.startswith("  ")] == [
        "http://127.0.0.1:1234/v1",
        "http://127.0.0.1:1234/v1",
        "http://127.0.0.1:8000/v1",
    ]


def test_one_that_hangs_is_not_there(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = f"127.0.0.1:{silent.getsockname()[1]}"
        done = run_command(*TASK, cwd=project, environment={**ON, "OLLAMA_HOST": host})
    assert done.returncode == 2
    assert "no model server answers on this machine" in done.stderr


@pytest.mark.parametrize("off", ["flag", "variable"])
def test_nobody_is_asked_where_it_is_switched_off(off: str, project: Path) -> None:
    with ScriptedServer(pages=llama_cpp()) as server:
        flags = ("--no-discovery",) if off == "flag" else ()
        environment = {**at(server), **({"TEXT_AGENT_DISCOVERY": "off"} if off == "variable" else {})}
        done = run_command(*TASK, *flags, cwd=project, environment=environment)
    assert done.returncode == 2
    assert server.connections == 0
    assert "--provider local" in done.stderr


@pytest.mark.parametrize("line", ["TEXT_AGENT_DISCOVERY=on", "TEXT_AGENT_DISCOVERY=off"])
def test_a_project_does_not_decide_it(line: str, project: Path) -> None:
    (project / ".env").write_text(line + "\n")
    done = run_command(*TASK, cwd=project, environment={"TEXT_AGENT_DISCOVERY": ""})
    assert done.returncode == 2
    assert "TEXT_AGENT_DISCOVERY must not stand in" in done.stderr


def test_a_project_does_not_say_where_ollama_is(project: Path) -> None:
    with ScriptedServer(pages=llama_cpp()) as server:
        (project / ".env").write_text(f"OLLAMA_HOST={server.url}\n")
        done = run_command(*TASK, cwd=project, environment=ON)
    assert done.returncode == 2
    assert server.connections == 0


def test_what_is_configured_is_not_looked_for(project: Path) -> None:
    with ScriptedServer(["Hello."]) as server, ScriptedServer(pages=llama_cpp()) as other:
        done = run_command(*TASK, *server.flags(), cwd=project, environment=at(other))
    assert (done.returncode, other.connections) == (0, 0)


def test_a_chat_without_a_terminal_fetches_nothing(project: Path) -> None:
    done = run_command(cwd=project, environment=ON)
    assert done.returncode == 2
    assert "no model is configured" in done.stderr
