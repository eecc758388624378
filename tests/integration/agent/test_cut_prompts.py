"""A server that reads a part of the prompt alone: from then on requests are as long as it can read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_here
from tests.support.endpoints import APIS, Api
from tests.support.moves import ErrorEvent, Fail, Move, Say
from tests.support.products import lm_studio, ollama
from tests.support.recorded import RecordedRequest
from tests.support.scripted_server import ScriptedServer
from text_agent.messages import Usage

TURNS = 10
ANSWER = "It is noted, and nothing is to be done about it. " * 12
CHARS_PER_TOKEN = 4.2
TEXT = "The quick brown fox jumps over the lazy dog, and then it sleeps under a tree for an hour. "
Reads = Callable[[RecordedRequest, int], int]


def tokens(request: RecordedRequest) -> int:
    texts = [request.system, *(message.content for message in request.messages)]
    return round(sum(map(len, texts)) / CHARS_PER_TOKEN)


def the_end(request: RecordedRequest, size: int) -> int:
    """Cuts the tokens, as llama.cpp's runners and LM Studio do."""
    return min(tokens(request), size)


def last_messages(request: RecordedRequest, size: int) -> int:
    """Leaves out whole messages, as Ollama does before its runner cuts the last one."""
    read, least = len(request.system), True
    for message in reversed(request.messages):
        if not least and (read + len(message.content)) / CHARS_PER_TOKEN > size:
            break
        read, least = read + len(message.content), False
    return min(round(read / CHARS_PER_TOKEN), size)


def unlisted(name: str) -> dict[str, Any]:
    return {"/v1/models": {"data": [{"id": name, "object": "model", "owned_by": "somebody"}]}}


SERVERS: Mapping[str, tuple[str, Callable[[int], Mapping[str, Any]], str]] = {
    "Ollama, loaded": (
        "qwen2.5-coder:7b",
        lambda size: ollama(loaded={"qwen2.5-coder:7b": size}),
        "OLLAMA_CONTEXT_LENGTH",
    ),
    "Ollama that does not tell": ("qwen2.5-coder:7b", lambda _: ollama(), "OLLAMA_CONTEXT_LENGTH"),
    "LM Studio that does not tell": ("mistral-7b-instruct-v0.3", lambda _: lm_studio(), "Context Length"),
    "somebody": ("m-7b", lambda _: unlisted("m-7b"), "llama.cpp: -c"),
}


def flags(server: ScriptedServer, api: Api, model: str) -> tuple[str, ...]:
    url = server.openai_url if api == "openai" else server.anthropic_url
    more = ("--project-view", "off", "--max-tokens", "600", "--sandbox", "off")
    return ("--provider", api, "--base-url", url, "--model", model, *more)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("name", SERVERS)
def test_prompts_stop_growing(name: str, api: Api, project: Path) -> None:
    size, reads = 4096, last_messages if "Ollama" in name else the_end
    model, pages, remedy = SERVERS[name]
    cut: list[int] = []

    def answer(request: RecordedRequest) -> Move:
        read = reads(request, size)
        cut.append(len(server.requests) if read < tokens(request) else 0)
        return Say(ANSWER, usage=Usage(read, 90))

    with ScriptedServer([answer] * 60, pages=pages(size), strict=False) as server:
        # A line of the chat is a turn.
        lines = [TEXT * 80] + [TEXT * 40] * (TURNS - 1)
        done = run_here(*flags(server, api, model), cwd=project, stdin="\n".join(lines) + "\n")
        sent = [tokens(request) for request in server.requests]
    told = done.stdout.count("the server has read only")
    cuts = [each for each in cut if each]
    # Twice at most: where the size is guessed too large, the second time tells it.
    assert len(cuts) <= 2, (sent, cut)
    assert told <= 1
    if cuts:
        assert told == 1, (sent, cut)
        assert remedy in done.stdout
    assert all(each <= size for each in sent[max(cuts, default=0) :])
    assert len(sent) >= TURNS + bool(cuts) - (sum(cuts) == 0)


OVERFLOWS = [
    ("Trying to keep the first 8011 tokens when context the overflows. However, the model is loaded with "
     "context length of only 4096 tokens, which is not enough. Load it with a larger one", 4096),
    ("The number of tokens to keep from the initial prompt is greater than the context length "
     "(n_keep: 8011>= n_ctx: 4096). Try to load the model with a larger context length", 4096),
    ("The number of tokens to keep from the initial prompt is greater than the context length.", None),
    ("Cannot truncate prompt with n_keep (8011) >= n_ctx (4096)", 4096),
    ("Reached context length of 4096 tokens with model (arch: qwen2) but this model does not currently "
     "support mid-generation context overflow.", 4096),
    ("The prompt is greater than the context length (8011 > 4096)", 4096),
]  # fmt: skip


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("where", ["stream", "answer"])
@pytest.mark.parametrize(("words", "figure"), OVERFLOWS)
def test_an_overflow_is_read_for_its_true_figure(
    api: Api, where: str, words: str, figure: int | None, project: Path
) -> None:
    move = ErrorEvent("error", words) if where == "stream" else Fail(400, words)
    line = TEXT * 300
    with ScriptedServer([move, "Fine."], pages=lm_studio()) as server:
        model = "mistral-7b-instruct-v0.3"
        done = run_here(*flags(server, api, model), cwd=project, stdin=f"{line}\n/usage\n")
        sent = [tokens(request) for request in server.requests]
    assert "Fine." in done.stdout
    assert sent[1] < sent[0]
    if figure:
        assert f"of {figure:,} tokens" in done.stdout
        assert sent[1] <= figure
