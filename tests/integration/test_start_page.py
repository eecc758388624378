"""Every command of docs/start.md, played against a server that answers as its section's product does."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import TEXT_AGENT
from tests.support.products import llama_cpp, lm_studio, ollama, usual_ports, vllm
from tests.support.scripted_server import ScriptedServer

PAGE = Path(__file__).parents[2] / "docs/start.md"
KEY = "sk-0123456789-start"
# The programs of others, which are not played.
OTHERS = ("ollama", "lms", "llama-server", "vllm", "pipx", "uv", "pip")


@dataclass(frozen=True)
class Section:
    """What a section's server is.

    Attributes:
        pages: what it answers besides.
        models: which its requests name.
        is_found: it is looked for, and found.
    """

    models: set[str]
    pages: dict[str, Any] | None = None
    is_found: bool = True


SECTIONS = {
    "Install": Section(set()),
    "Ollama": Section({"qwen2.5-coder:7b"}, ollama("qwen2.5-coder:7b", "nomic-embed-text:latest")),
    "LM Studio": Section({"qwen/qwen3-4b"}, lm_studio()),
    "llama.cpp": Section({"qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"}, llama_cpp()),
    "vLLM": Section({"Qwen/Qwen2.5-Coder-7B-Instruct"}, vllm()),
    "A company gateway": Section({"large-coder"}, is_found=False),
    "An Anthropic-compatible server": Section({"some-model"}, is_found=False),
}


def commands(title: str) -> Iterator[list[str]]:
    """Yields the lines of each block of commands in a section."""
    section = re.split(rf"^## {re.escape(title)}\n", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1]
    for block in re.findall(r"^```sh\n(.*?)^```", section.partition("\n## ")[0], re.MULTILINE | re.DOTALL):
        yield block.splitlines()


def test_every_section_is_played() -> None:
    titles = re.findall(r"^## (.*)", PAGE.read_text("utf-8"), re.MULTILINE)
    assert titles == list(SECTIONS)
    lines = [line for title in titles for block in commands(title) for line in block]
    assert all(line.split()[0] in ("text-agent", *OTHERS) for line in lines)


@pytest.mark.parametrize("title", SECTIONS)
def test_the_commands_do_as_the_page_says(title: str, project: Path) -> None:
    section = SECTIONS[title]
    with ExitStack() as stack:
        if section.is_found:
            stack.enter_context(usual_ports())
        server = stack.enter_context(ScriptedServer(["Hello."] * 9, strict=False, pages=section.pages))
        for line in [line for block in commands(title) for line in block if line.startswith("text-agent")]:
            # An own key in the place of another kind of it: the page says so.
            if "api_key_" in line:
                play("text-agent config unset work.api_key; text-agent config unset work.api_key_env; "
                     "text-agent config unset work.api_key_file", project, server, section)  # fmt: skip
            done = play(line, project, server, section)
            assert done.returncode == 0, (line, done.stderr)
            assert KEY not in done.stdout + done.stderr
            if not re.match("text-agent (config|models)", line):
                assert "Hello." in done.stdout
        assert {request.model for request in server.requests} == section.models
        if "gateway" in title:
            assert server.requests[-1].headers["x-team"] == "blue"
            assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"


def play(
    line: str, project: Path, server: ScriptedServer, section: Section
) -> subprocess.CompletedProcess[str]:
    """Runs a line as a shell does, with the server in the place of every host; a key or a line is typed."""
    return subprocess.run(
        ["bash", "-c", re.sub(r"https?://[^/\s]+", server.url, line)],
        cwd=project,
        env={
            **os.environ,
            "PATH": f"{TEXT_AGENT.parent}:{os.environ['PATH']}",
            "TEXT_AGENT_DISCOVERY": "on" if section.is_found else "off",
            "OLLAMA_HOST": server.url,
            "TEXT_AGENT_PROJECT_VIEW": "off",
        },
        input=KEY if line.endswith("api_key") else "Say hello.\n",
        capture_output=True,
        text=True,
        check=False,
    )
