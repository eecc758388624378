"""Every way an endpoint can fail: one sentence that names it, and a hint what to do."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.support.endpoints import HASTE, HELLO, SPEAKERS, Speaker, ask, provider
from tests.support.moves import Move
from tests.support.scripted_server import Drop, ErrorEvent, Fail, Hang, Html, Raw, Say, ScriptedServer, sse
from text_agent.errors import (
    AuthenticationError,
    ConnectionFailedError,
    ContextWindowExceededError,
    InvalidResponseError,
    ModelLoadingError,
    OverloadedError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    RequestRejectedError,
)
from text_agent.messages import ReplyEnd
from text_agent.providers.base import Provider
from text_agent.providers.transport import Patience

each = pytest.mark.parametrize("api", SPEAKERS)


def hear_out(speaker: Provider) -> None:
    for piece in speaker.complete(HELLO):
        assert not isinstance(piece, ReplyEnd)


def failure(
    move: Move,
    api: Speaker,
    *,
    secret: str | None = None,
    patience: Patience = HASTE,
    models: Sequence[str] | Fail = ("scripted-model",),
) -> ProviderError:
    """What one move of the server ends in; nothing that was yielded before may be a reply's end."""
    with ScriptedServer([move], models=models) as server:
        speaker = provider(server, api, secret=secret, patience=patience)
        try:
            with pytest.raises(ProviderError) as caught:
                hear_out(speaker)
        finally:
            speaker.close()
        assert server.url.removeprefix("http://") in str(caught.value) or "model" in str(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value


@each
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, RequestRejectedError),
        (401, AuthenticationError),
        (402, RequestRejectedError),
        (403, AuthenticationError),
        (404, RequestRejectedError),
        (405, RequestRejectedError),
        (408, ProviderTimeoutError),
        (409, RequestRejectedError),
        (413, ContextWindowExceededError),
        (418, RequestRejectedError),
        (422, RequestRejectedError),
        (429, RateLimitError),
        (500, OverloadedError),
        (501, OverloadedError),
        (503, OverloadedError),
        (504, OverloadedError),
        (529, OverloadedError),
    ],
)
def test_a_status_is_an_error_of_ours(api: Speaker, status: int, kind: type[ProviderError]) -> None:
    error = failure(Fail(status, "what the server says"), api)
    assert type(error) is kind
    assert f"({status}): what the server says" in str(error)


@each
@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "model 'scripted-model' not found", "type": "api_error"}},
        {"error": 'model "scripted-model" not found, try pulling it first'},
        {"object": "error", "message": "The model `scripted-model` does not exist.", "code": 404},
        {"type": "error", "error": {"type": "not_found_error", "message": "model: scripted-model"}},
    ],
)
def test_a_model_that_does_not_exist_is_named(api: Speaker, body: Mapping[str, Any]) -> None:
    error = failure(Fail(404, body), api)
    assert "has no model 'scripted-model'" in str(error)
    assert "--model" in error.hint


def test_a_gateway_that_calls_an_unknown_model_a_bad_request() -> None:
    error = failure(Fail(400, "Invalid model name passed in model=scripted-model"), "openai")
    assert "has no model 'scripted-model'" in str(error)


@each
@pytest.mark.parametrize(
    ("models", "hint"),
    [
        (["other", "scripted-model-2", "third"], "Choose one with --model: scripted-model-2, other, third"),
        ([f"m{n}" for n in range(9)], "Choose one with --model: m0, m1, m2, m3, m4, ..."),
        (["odd\n\x1b[31mname"], "Choose one with --model: odd [31mname"),
        ([], "Choose one with --model or TEXT_AGENT_MODEL."),
        (Fail(500, "no list"), "Choose one with --model or TEXT_AGENT_MODEL."),
    ],
)
def test_the_models_that_are_there_are_named(api: Speaker, models: list[str] | Fail, hint: str) -> None:
    error = failure(Fail(404, "model 'scripted-model' not found"), api, models=models)
    assert error.hint == hint


@each
@pytest.mark.parametrize(
    "said",
    [
        "Loading model",
        "The model is still loading, please wait",
        "Model scripted-model is currently loading",
        "model 'm' is being loaded into memory",
        "Model not ready",
        "the model is warming up",
    ],
)
@pytest.mark.parametrize("status", [500, 503])
def test_a_model_that_is_being_loaded(api: Speaker, status: int, said: str) -> None:
    error = failure(Fail(status, said), api)
    assert type(error) is ModelLoadingError
    assert error.retryable
    assert f"is loading the model ({status}): {said}" in str(error)


@each
def test_a_model_that_cannot_be_loaded_is_not_waited_for(api: Speaker) -> None:
    assert type(failure(Fail(500, "failed to load the model: out of memory"), api)) is OverloadedError


@each
def test_a_model_that_is_missing_in_a_200_is_not_asked_for_again(api: Speaker) -> None:
    error = failure(Raw(b'{"error": "model \'scripted-model\' not found, try pulling it first"}'), api)
    assert "has no model 'scripted-model'" in str(error)
    assert not error.retryable


@each
def test_a_path_that_is_not_served_is_named(api: Speaker) -> None:
    error = failure(Fail(404, {"detail": "Not Found"}), api)
    assert "nothing is served at http://127.0.0.1:" in str(error)
    path = "/v1/chat/completions" if api == "openai" else "/v1/messages"
    assert f"{path} (404)" in str(error)


@each
@pytest.mark.parametrize(
    "message",
    [
        "prompt is too long: 208310 tokens > 200000 maximum",
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        "the request exceeds the available context size (4096 tokens), try increasing it",
        "'max_tokens' is too large: 4096. This model's maximum context length is 2048 tokens",
    ],
)
def test_a_request_that_is_too_long(api: Speaker, message: str) -> None:
    assert type(failure(Fail(400, message), api)) is ContextWindowExceededError


@each
def test_a_wrong_key_is_masked_and_its_variable_named(api: Speaker) -> None:
    secret = "sk-very-secret-1234"
    error = failure(Fail(401, f"Incorrect API key provided: {secret}."), api, secret=secret)
    assert secret not in str(error) + error.hint
    assert "provided: ***." in str(error)
    assert f"{api.partition('-')[0].upper()}_API_KEY" in error.hint


@each
def test_a_missing_key_is_asked_for(api: Speaker) -> None:
    assert "wants a key: set TEXT_AGENT_API_KEY" in failure(Fail(401), api).hint


@each
@pytest.mark.parametrize("status", [200, 403, 404, 502])
def test_an_html_page(api: Speaker, status: int) -> None:
    error = failure(Html(status=status), api)
    assert "an HTML page ('Sign in')" in str(error)
    assert "<" not in str(error)


@each
@pytest.mark.parametrize("after_chunks", [0, 1, 3])
def test_a_connection_that_breaks(api: Speaker, after_chunks: int) -> None:
    error = failure(Drop(after_chunks, "tool: run({})\nand more to come"), api)
    assert type(error) is ConnectionFailedError
    assert error.retryable


@each
def test_a_stream_that_ends_without_its_end(api: Speaker) -> None:
    error = failure(Say("half a re", stop_reason=None), api)
    assert type(error) is ConnectionFailedError
    assert "broke off in the middle" in str(error)


@each
def test_a_stream_without_length_that_is_cut_in_an_event(api: Speaker) -> None:
    whole = sse({"type": "content_block_delta", "choices": [{"delta": {"content": "hi"}}]})
    assert type(failure(Raw((whole, whole[:20])), api)) is ConnectionFailedError


@each
@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (ErrorEvent(), OverloadedError),
        (ErrorEvent("rate_limit_error", "slow down"), RateLimitError),
        (ErrorEvent("authentication_error", "key expired"), AuthenticationError),
        (ErrorEvent("invalid_request_error", "prompt is too long"), ContextWindowExceededError),
        (ErrorEvent("invalid_request_error", "bad thing"), RequestRejectedError),
        (ErrorEvent("api_error", "Internal server error"), OverloadedError),
        (ErrorEvent("brand_new_error", "no idea"), OverloadedError),
        (ErrorEvent("timeout_error", "took too long"), ProviderTimeoutError),
    ],
)
def test_an_error_inside_the_stream(api: Speaker, event: ErrorEvent, kind: type[ProviderError]) -> None:
    error = failure(event, api)
    assert type(error) is kind
    assert f"({event.type}): {event.message}" in str(error)


@each
@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"code": 502, "message": "upstream is down"}}',
        b'data: {"error": {"code": 502, "message": "upstream is down"}, "choices": []}\n\n',
        b'event: error\ndata: {"code": 502, "message": "upstream is down"}\n\n',
        b"event: error\ndata: upstream is down\n\n",
    ],
)
def test_an_error_in_a_200(api: Speaker, body: bytes) -> None:
    error = failure(Raw(body), api)
    assert type(error) is OverloadedError
    assert "upstream is down" in str(error)


@each
@pytest.mark.parametrize(
    "body",
    [
        b'{"choices": []}',
        b'{"unexpected": true}',
        b"[1, 2]",
        b"Ollama is running",
        b'{"choices": [{"message"',
        b'data: {"choices": []}\n\ndata: [DONE]\n\n',
        b"data: [DONE]\n\n",
        b"data: {broken}\n\n",
        b"data: [1]\n\n",
    ],
)
def test_an_answer_that_is_no_reply_is_quoted(api: Speaker, body: bytes) -> None:
    error = failure(Raw(body), api)
    assert type(error) is InvalidResponseError
    assert "gave no reply of the model 'scripted-model'" in str(error)


@each
@pytest.mark.parametrize("body", [b"", b"\n\n", b": only comments\n\n"])
def test_an_empty_answer(api: Speaker, body: bytes) -> None:
    error = failure(Raw(body), api)
    assert type(error) is ConnectionFailedError
    assert "without a reply" in str(error)


@each
def test_silence_ends_in_a_timeout(api: Speaker) -> None:
    patience = Patience(connect_seconds=1, idle_seconds=0.2)
    assert type(failure(Hang(3), api, patience=patience)) is ProviderTimeoutError
    assert type(failure(Say("slow reply", delay_seconds=3), api, patience=patience)) is ProviderTimeoutError


@each
@pytest.mark.parametrize("move", [Fail(500, "busy"), Drop(0), Raw(b"[1]")], ids=["refused", "lost", "odd"])
def test_the_causes_of_an_error_come_to_an_end(api: Speaker, move: Move) -> None:
    causes: list[BaseException] = [failure(move, api)]
    while cause := causes[-1].__cause__ or causes[-1].__context__:
        assert cause not in causes
        causes.append(cause)


@each
def test_a_server_that_is_not_running(api: Speaker) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(ConnectionFailedError, match=rf"cannot reach {url}.*refused") as caught:
        ask(url, api)
    assert "Is the server running" in caught.value.hint


@each
def test_a_host_that_does_not_exist(api: Speaker) -> None:
    with pytest.raises(ConnectionFailedError, match=r"cannot reach http://no-such-host\.invalid"):
        ask("http://no-such-host.invalid", api)


@each
def test_a_certificate_that_is_not_trusted(api: Speaker, untrusted_server: str) -> None:
    with pytest.raises(
        ConnectionFailedError, match=r"certificate of https://localhost:.* is not trusted"
    ) as caught:
        ask(untrusted_server, api)
    assert "SSL_CERT_FILE" in caught.value.hint


@each
def test_a_password_in_the_url_is_not_shown(api: Speaker) -> None:
    with ScriptedServer([Fail(500)]) as server, pytest.raises(OverloadedError) as caught:
        ask(server.url.replace("http://", "http://user:hunter2@"), api)
    assert "hunter2" not in str(caught.value)
