"""Both remote providers against a server over real HTTP: requests, replies, and the odd ways of servers."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator

import pytest

from tests.support.endpoints import HASTE, HELLO, SPEAKERS, Speaker, ask, provider, whole_reply
from tests.support.moves import Hang, Move, ScriptEntry
from tests.support.recorded import NO_LIMIT
from tests.support.scripted_server import Fail, Raw, RecordedRequest, Say, ScriptedServer, sse
from text_agent.config.version import __version__
from text_agent.errors import OverloadedError
from text_agent.messages import CompletionRequest, Message, StopReason, TextDelta, Usage
from text_agent.providers.anthropic import API_VERSION
from text_agent.providers.transport import Patience

each = pytest.mark.parametrize("api", SPEAKERS)

CONVERSATION = CompletionRequest(
    "You are a coding agent.",
    (Message("user", "Hello"), Message("assistant", "Hi.\n\n"), Message("user", "Naïve \u2028 🐍?")),
    max_tokens=99,
)


@each
def test_a_conversation_arrives_as_it_is_and_the_reply_comes_in_pieces(api: Speaker) -> None:
    text = 'Grüße,\n\ntool: read_file({"path": "a\u2028b.py"})\r\n🐍'
    with ScriptedServer([Say(text, chunks=11)]) as server:
        speaker = provider(server, api)
        pieces = [piece.text for piece in speaker.complete(CONVERSATION) if isinstance(piece, TextDelta)]
        speaker.close()
    assert "".join(pieces) == text
    assert len(pieces) > 5
    (request,) = server.requests
    assert request.system == CONVERSATION.system
    assert [message.content for message in request.messages] == ["Hello", "Hi.", "Naïve \u2028 🐍?"]
    assert request.body["max_tokens"] == 99
    assert request.model == "scripted-model"


@each
def test_text_that_is_no_unicode_does_not_break_a_request(api: Speaker) -> None:
    with ScriptedServer(["ok"]) as server:
        ask(server, api, CompletionRequest("s", (Message("user", "a\udcffb"),), 9))
    assert server.requests[0].last == "a?b"


@each
def test_usage_counts_the_whole_prompt(api: Speaker) -> None:
    with ScriptedServer([Say("x", usage=Usage(1200, 7, 1000))]) as server:
        assert ask(server, api).usage == Usage(1200, 7, 1000)


@each
@pytest.mark.parametrize("usage", [Usage(), Usage(output_tokens=7), Usage(input_tokens=5)])
def test_usage_may_be_missing_or_partial(api: Speaker, usage: Usage) -> None:
    with ScriptedServer([Say("x", usage=usage)]) as server:
        reply = ask(server, api)
    assert (reply.text, reply.usage) == ("x", usage)


@each
@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("end_turn", "end_turn"),
        ("max_tokens", "max_tokens"),
        ("refusal", "refusal"),
        ("something_new", "other"),
        ("tool_use", "other"),
    ],
)
def test_stop_reasons(api: Speaker, said: str, heard: StopReason) -> None:
    with ScriptedServer([Say("x", stop_reason=said)]) as server:
        assert ask(server, api).stop_reason == heard


@each
def test_reasoning_is_kept_apart(api: Speaker) -> None:
    with ScriptedServer([Say("the answer", reasoning="tool: evil({}) maybe")]) as server:
        reply = ask(server, api)
    assert (reply.text, reply.reasoning) == ("the answer", "tool: evil({}) maybe")


@each
def test_a_reply_of_reasoning_alone_has_no_text(api: Speaker) -> None:
    with ScriptedServer([Say("", reasoning="hmm", stop_reason="max_tokens")]) as server:
        reply = ask(server, api)
    assert (reply.text, reply.reasoning, reply.stop_reason) == ("", "hmm", "max_tokens")


@each
def test_a_server_that_does_not_stream_is_understood(api: Speaker) -> None:
    say = Say("whole", reasoning="why", streamed=False, stop_reason="max_tokens", usage=Usage(5, 2, 1))
    with ScriptedServer([say]) as server:
        reply = ask(server, api)
    assert (reply.text, reply.reasoning, reply.stop_reason) == ("whole", "why", "max_tokens")
    assert reply.usage == Usage(5, 2, 1)


@each
def test_keep_alives_and_unknown_events_are_skipped(api: Speaker) -> None:
    noise = (
        b": ping\n",
        b": OPENROUTER PROCESSING\n\n",
        b'event: ping\ndata: {"type": "ping"}\n\n',
        b"data:\n\n",
        b"event: ping\ndata:\n\n",
        b"data: : keep-alive\n\n",
        b"retry: 10\nid: 7\n\n",
        b'event: new\ndata: {"type": "brand_new", "choices": [], "usage": null}\n\n',
    )
    with ScriptedServer([Raw((*noise, *(b for b in _reply(api, "hi")), *noise))]) as server:
        reply = ask(server, api)
    assert (reply.text, reply.stop_reason) == ("hi", "end_turn")


@each
@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"])
def test_any_line_end_will_do(api: Speaker, line_end: bytes) -> None:
    body = b"".join(_reply(api, "hi")).replace(b"\n", line_end)
    with ScriptedServer([Raw(body)]) as server:
        assert ask(server, api).text == "hi"


@each
def test_a_reply_cut_into_single_bytes_is_put_together(api: Speaker) -> None:
    body = b"".join(_reply(api, "Grüße 🐍"))
    with ScriptedServer([Raw(tuple(body[n : n + 1] for n in range(len(body))))]) as server:
        assert ask(server, api).text == "Grüße 🐍"


@each
def test_a_wrong_content_type_does_not_matter(api: Speaker) -> None:
    with ScriptedServer([Raw(b"".join(_reply(api, "hi")), content_type="text/plain")]) as server:
        assert ask(server, api).text == "hi"


@each
def test_a_reply_that_said_its_end_is_whole_though_the_connection_breaks(api: Speaker) -> None:
    *events, _end = _reply(api, "hi")
    with ScriptedServer([Raw(tuple(events), cut=True)]) as server:
        assert ask(server, api).text == "hi"


def test_null_content_and_parts_of_content() -> None:
    def chunk(delta: object, finish: str | None = None) -> bytes:
        return sse({"choices": [{"delta": delta, "finish_reason": finish}]})

    events = (
        chunk({"role": "assistant", "content": None}),
        sse({"choices": [], "prompt_filter_results": []}),
        chunk({"content": None, "reasoning": "thinking "}),
        chunk({"content": [{"type": "text", "text": "from parts"}, {"type": "other"}]}),
        chunk(None),
        sse({"choices": None}),
        chunk({}, "stop"),
        sse({"choices": [], "usage": {"prompt_tokens": None, "completion_tokens": 3}}),
    )
    with ScriptedServer([Raw(events)]) as server:
        reply = ask(server, "openai")
    assert (reply.text, reply.reasoning) == ("from parts", "thinking ")
    assert reply.usage == Usage(None, 3, None)


@pytest.mark.parametrize(
    ("told", "heard"), [("\ntool_result(", "stop_sequence"), (None, "end_turn"), (151645, "end_turn")]
)
def test_a_server_that_tells_the_stop_text(told: object, heard: str) -> None:
    events = (
        sse({"choices": [{"delta": {"content": "hi"}, "finish_reason": None, "stop_reason": None}]}),
        sse({"choices": [{"delta": {}, "finish_reason": "stop", "stop_reason": told}]}),
    )
    with ScriptedServer([Raw(events)]) as server:
        assert ask(server, "openai").stop_reason == heard


def test_done_ends_a_reply_of_a_server_without_finish_reasons() -> None:
    events = (sse({"choices": [{"delta": {"content": "hi"}}]}), b"data: [DONE]\n\n")
    with ScriptedServer([Raw(events)]) as server:
        reply = ask(server, "openai")
    assert (reply.text, reply.stop_reason) == ("hi", "other")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "max_tokens",
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
        ),
        ("stream_options", "Unrecognized request argument supplied: stream_options"),
    ],
)
def test_a_refused_parameter_is_changed_once_and_remembered(name: str, message: str) -> None:
    def pick(request: RecordedRequest) -> str | Fail:
        return Fail(400, message) if name in request.body else "ok"

    with ScriptedServer([pick, pick, pick]) as server:
        speaker = provider(server, "openai")
        assert whole_reply(speaker).text == "ok"
        assert whole_reply(speaker).text == "ok"
        speaker.close()
    assert [name in request.body for request in server.requests] == [True, False, False]
    if name == "max_tokens":
        assert server.requests[-1].body["max_completion_tokens"] == HELLO.max_tokens


def test_two_refused_parameters_are_both_changed() -> None:
    def pick(request: RecordedRequest) -> str | Fail:
        for name in ("stream_options", "max_tokens"):
            if name in request.body:
                return Fail(
                    422, {"detail": [{"loc": ["body", name], "msg": "Extra inputs are not permitted"}]}
                )
        return "ok"

    with ScriptedServer([pick] * 3) as server:
        assert ask(server, "openai").text == "ok"


def test_a_limit_that_is_refused_under_every_name_is_not_sent() -> None:
    def pick(request: RecordedRequest) -> str | Fail:
        named = [name for name in ("max_tokens", "max_completion_tokens") if name in request.body]
        return Fail(422, f"{named[0]}: Extra inputs are not permitted") if named else "ok"

    with ScriptedServer([pick] * 4, allowed=[NO_LIMIT]) as server:
        speaker = provider(server, "openai")
        assert [whole_reply(speaker).text for _ in range(2)] == ["ok", "ok"]
        speaker.close()


@each
def test_closing_a_reply_early_closes_the_connection(api: Speaker) -> None:
    with ScriptedServer([Say("word " * 1000, delay_seconds=0.02), "next"]) as server:
        speaker = provider(server, api)
        pieces = speaker.complete(HELLO)
        assert isinstance(next(pieces), TextDelta)
        pieces.close()
        assert server.left.wait(2)
        assert whole_reply(speaker).text == "next"
        speaker.close()


@each
@pytest.mark.parametrize(
    "move", [Hang(20), Say("word " * 1000, delay_seconds=0.5)], ids=["silence", "stream"]
)
def test_an_interrupt_ends_a_request_at_once(api: Speaker, move: Move) -> None:
    with ScriptedServer([move, "next"]) as server:
        speaker = provider(server, api, patience=Patience(connect_seconds=2, idle_seconds=30))
        # The main thread must get it, as it gets a terminal's Ctrl-C: another one would not end its waiting.
        main_thread = threading.main_thread().ident
        assert main_thread is not None
        timer = threading.Timer(0.4, signal.pthread_kill, [main_thread, signal.SIGINT])
        timer.start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            whole_reply(speaker)
        assert time.monotonic() - start < 5
        assert server.left.wait(2)
        assert whole_reply(speaker).text == "next"
        speaker.close()
        timer.join()


@each
def test_keys_and_tokens_are_sent_as_servers_look_for_them(api: Speaker) -> None:
    with ScriptedServer(["a", "b"], key="sk-secret") as server:
        assert ask(server, api, secret="sk-secret").text == "a"
        assert ask(server, api, secret="sk-secret").text == "b"
    headers = server.requests[0].headers
    assert headers["authorization"] == "Bearer sk-secret"
    assert headers.get("x-api-key") == (None if api == "openai" else "sk-secret")
    assert headers.get("anthropic-version") == (None if api == "openai" else API_VERSION)
    assert headers["user-agent"] == f"text-agent/{__version__}"


@each
def test_without_a_key_a_placeholder_is_sent(api: Speaker) -> None:
    with ScriptedServer(["a"]) as server:
        ask(server, api)
    assert server.requests[0].headers["authorization"] == "Bearer no-key-needed"


@each
def test_the_environment_of_the_sdks_does_not_leak_in(api: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_WORKSPACE_ID"),
        *("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
    ):
        monkeypatch.setenv(name, "leaked")
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://leaked.invalid")
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "x-custom: leaked\nAuthorization: Bearer leaked\nx-api-key: leaked")
    with ScriptedServer(["a"]) as server:
        ask(server, api, secret="sk-mine")
    assert "leaked" not in str(server.requests[0])


@each
def test_many_requests_use_one_provider_and_one_connection(api: Speaker) -> None:
    with ScriptedServer([f"reply {n}" for n in range(20)]) as server:
        speaker = provider(server, api, patience=HASTE)
        assert [whole_reply(speaker).text for _ in range(20)] == [f"reply {n}" for n in range(20)]
        speaker.close()
        assert server.connections == 1


@each
@pytest.mark.parametrize("pause", [b"", b": bye\n\n" * 3])
def test_a_connection_whose_answer_does_not_end_is_given_up_soon(api: Speaker, pause: bytes) -> None:
    """The reply is whole; what the server waits for after it is nobody's concern."""

    def lingering() -> Iterator[bytes]:
        yield from _reply(api, "hi")
        for _ in range(200):
            yield pause
            time.sleep(0.05)

    with ScriptedServer([Raw(lingering()), "next"]) as server:
        speaker = provider(server, api)
        start = time.monotonic()
        assert whole_reply(speaker).text == "hi"
        assert time.monotonic() - start < 5
        assert whole_reply(speaker).text == "next"
        speaker.close()
        assert server.connections == 2


@each
def test_a_connection_serves_on_after_an_answer_in_one_piece_and_a_refusal(api: Speaker) -> None:
    moves: list[ScriptEntry] = [Say("whole", streamed=False), Fail(500, "busy"), Say("more", streamed=False)]
    with ScriptedServer(moves) as server:
        speaker = provider(server, api)
        assert whole_reply(speaker).text == "whole"
        with pytest.raises(OverloadedError):
            whole_reply(speaker)
        assert whole_reply(speaker).text == "more"
        speaker.close()
        assert server.connections == 1


def _reply(api: Speaker, text: str) -> list[bytes]:
    """The fewest events that make a reply."""
    if api == "openai":
        return [
            sse({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}),
            sse({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
            b"data: [DONE]\n\n",
        ]
    return [
        sse({"type": "message_start", "message": {"usage": None}}, "message_start"),
        sse({"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}),
        sse({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        sse({"type": "message_stop"}),
    ]
