"""The size of the context, and prompt caching, over both APIs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.session import Chat
from tests.support.endpoints import APIS, Api, ask, provider
from tests.support.scripted_server import Fail, ScriptedServer
from text_agent.messages import CompletionRequest, Message

both = pytest.mark.parametrize("api", APIS)
LLAMA_CPP = {
    "/v1/models": {"data": [{"id": "scripted-model", "owned_by": "llamacpp"}]},
    "/props": {"default_generation_settings": {"n_ctx": 4096}},
}


@both
def test_the_size_is_asked_for_with_get_requests(api: Api) -> None:
    with ScriptedServer(pages=LLAMA_CPP, key="k" * 20) as server:
        speaker = provider(server, api, secret="k" * 20)
        assert speaker.context_tokens() == 4096
        speaker.close()
        assert [(each.method, each.path) for each in server.other_requests] == [
            ("GET", "/v1/models"),
            ("GET", "/props"),
        ]


@both
@pytest.mark.parametrize("models", [Fail(404), Fail(500), Fail(401)])
def test_a_failure_is_no_size(api: Api, models: Fail) -> None:
    with ScriptedServer(models=models) as server:
        speaker = provider(server, api)
        assert speaker.context_tokens() is None
        speaker.close()


@both
def test_an_endpoint_that_is_down_has_no_size(api: Api) -> None:
    speaker = provider("http://127.0.0.1:1", api)
    assert speaker.context_tokens() is None
    speaker.close()


CONVERSATION = CompletionRequest(
    "Be brief.", (Message("user", "One"), Message("assistant", "1"), Message("user", "Two")), max_tokens=64
)
MARK = {"cache_control": {"type": "ephemeral"}}


def test_the_messages_api_is_asked_to_keep_the_prompt() -> None:
    with ScriptedServer(["Fine."]) as server:
        ask(server, "anthropic", CONVERSATION)
        body = server.requests[0].body
    assert body["system"] == [{"type": "text", "text": "Be brief.", **MARK}]
    assert body["messages"] == [
        {"role": "user", "content": "One"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": [{"type": "text", "text": "Two", **MARK}]},
    ]


@pytest.mark.parametrize(
    "refusal",
    [
        "system.0.cache_control: Extra inputs are not permitted",
        "messages.2.content: Input should be a valid string",
        "system: str type expected",
    ],
)
def test_a_server_that_takes_no_marks_gets_none_from_then_on(refusal: str) -> None:
    with ScriptedServer([Fail(400, refusal), "Fine.", "Well."]) as server:
        speaker = provider(server, "anthropic")
        for _ in range(2):
            assert [type(piece).__name__ for piece in speaker.complete(CONVERSATION)][-1] == "ReplyEnd"
        speaker.close()
        for request in server.requests[1:]:
            assert request.body["system"] == "Be brief."
            assert request.body["messages"][-1] == {"role": "user", "content": "Two"}


def test_chat_completions_get_no_marks() -> None:
    with ScriptedServer(["Fine."]) as server:
        ask(server, "openai", CONVERSATION)
        assert server.requests[0].body["messages"][-1] == {"role": "user", "content": "Two"}


@both
def test_a_summary_is_asked_for_again_like_any_reply(api: Api, tmp_path: Path) -> None:
    busy = Fail(503, "busy", headers={"retry-after": "0"})
    with ScriptedServer(["One.", "Two.", busy, "## Goal\nCount."]) as server:
        url = server.openai_url if api == "openai" else server.anthropic_url
        chat = Chat(tmp_path, url, 16_000, api)
        chat.agent.run_turn("one")
        chat.agent.run_turn("two")
        assert "the model summarised" in chat.agent.compact()
        chat.provider.close()
