"""Everything that odd endpoints do, over both APIs: each ends in a right answer or in one clear sentence.

The server checks every request that it gets: strict alternation, nothing empty, the user's message last.
"""

from __future__ import annotations

import copy
import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.endpoints import APIS, HASTE, Api, provider
from tests.support.moves import ScriptEntry
from tests.support.scripted_server import (
    Drop,
    ErrorEvent,
    Fail,
    Hang,
    Html,
    Raw,
    RecordedRequest,
    Say,
    ScriptedServer,
    sse,
)
from tests.support.turns import Setting
from text_agent.events import Event, ReasoningReceived, TextReceived, ToolFinished, ToolStarted
from text_agent.messages import Usage
from text_agent.permissions.policy import Review, ReviewRequest
from text_agent.providers.transport import Patience

NOW = {"retry-after": "0"}
WRITE = 'tool: write_file({"path": "new.txt", "content": "x"})\n'
READ = 'tool: read_file({"path": "a.txt"})'
PAST = "Thu, 01 Jan 1970 00:00:00 GMT"


@dataclass(frozen=True)
class Scenario:
    """What a server does, and what must come of it.

    Attributes:
        script: the server's moves; a function makes them for an API.
        answer: what stands on standard output; empty if the turn ends without an answer.
        error: the sentence on standard error that ends the turn, as a pattern.
        told: something that standard error says besides, as a pattern.
        waits: the seconds before each request that is sent again.
        files: the files in the folder afterwards; `a.txt` is there from the beginning.
    """

    name: str
    script: Sequence[ScriptEntry] | Callable[[Api], Sequence[ScriptEntry]]
    answer: str = ""
    error: str = ""
    code: int = 0
    told: str = ""
    waits: tuple[float, ...] = ()
    files: tuple[str, ...] = ("a.txt",)
    apis: tuple[Api, ...] = APIS
    paths: tuple[str, ...] = ("/v1/chat/completions", "/v1/messages")
    temperature: float | None = None
    patience: Patience = field(default=HASTE)


def refusing(name: str, message: object, then: str = "Fine.") -> Callable[[RecordedRequest], str | Fail]:
    """A move that refuses requests with a parameter."""
    body = {"error": {"message": message, "type": "invalid_request_error"}}

    def move(request: RecordedRequest) -> str | Fail:
        return Fail(400, body) if name in request.body else then

    return move


def stopping(text: str) -> Callable[[RecordedRequest], Say]:
    """A move that ends the reply at a stop text, if it is given one."""

    def move(request: RecordedRequest) -> Say:
        stops = request.body.get("stop") or request.body.get("stop_sequences") or ["\0"]
        kept, found, _ = text.partition(stops[0])
        return Say(kept, stop_reason="stop_sequence" if found else "end_turn")

    return move


def mute_with_stop(request: RecordedRequest) -> str:
    return "" if "stop" in request.body or "stop_sequences" in request.body else "Fine."


def no_system_role(status: int, message: str) -> Callable[[RecordedRequest], str | Fail]:
    """A move that refuses the system role, and otherwise reads a file, then answers."""

    def move(request: RecordedRequest) -> str | Fail:
        if request.system:
            return Fail(status, message)
        assert request.messages[0].content.startswith("You are")
        assert request.messages[0].content.endswith("Hello")
        return "Fine." if len(request.messages) > 1 else READ

    return move


def body_of(api: Api, text: str) -> tuple[bytes, ...]:
    """The fewest events that make a reply."""
    if api == "openai":
        return (
            sse({"choices": [{"delta": {"content": text}}]}),
            sse({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
            b"data: [DONE]\n\n",
        )
    return (
        sse({"type": "message_start", "message": {"usage": None}}),
        sse({"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}),
        sse({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        sse({"type": "message_stop"}),
    )


NOISE = (
    b": ping\n\n",
    b"data:\n\n",
    b"data: : keep-alive\n\n",
    b"retry: 10\nid: 7\n\n",
    b'event: new\ndata: {"type": "brand_new", "choices": [], "usage": null}\n\n',
)


def empty_payloads(api: Api) -> list[ScriptEntry]:
    return [Raw(b'{"choices": []}' if api == "openai" else b'{"unexpected": true}')]


def null_content(api: Api) -> list[ScriptEntry]:
    if api == "openai":
        message = b'{"choices": [{"message": {"content": null}, "finish_reason": "stop"}]}'
    else:
        message = b'{"type": "message", "content": null, "stop_reason": "end_turn"}'
    return [Raw(message)]


def passing(status: int, waits: tuple[float, ...] = (1.0,)) -> Scenario:
    return Scenario(
        f"status {status} passes", [Fail(status), "Fine."], "Fine.", told=rf"\({status}\)", waits=waits
    )


DEEP = Raw(b"[" * 100_000, "application/json")
DEEP_EVENT = Raw(b"data: " + b"[" * 100_000 + b"\n\n")
DEEP_ERROR = Raw(b'{"error":' * 100_000 + b"1" + b"}" * 100_000, "application/json", 400)


def slow(seconds: str) -> Fail:
    """A server that asks to wait."""
    return Fail(429, headers={"retry-after": seconds})


def charset(name: str) -> Fail:
    """An error whose text is in a charset by name only."""
    return Fail(400, headers={"content-type": f"application/json; charset={name}"})


def unstreamed_content(content: object) -> Callable[[Api], Sequence[ScriptEntry]]:
    """The same reply, whose content is not what the API says, as often as it is asked for."""

    def script(api: Api) -> Sequence[ScriptEntry]:
        message = {"role": "assistant", "content": content}
        body: dict[str, object] = {"choices": [{"message": message, "finish_reason": "stop"}]}
        if api == "anthropic":
            body = {"type": "message", **message, "stop_reason": "end_turn"}
        replies = 1 if isinstance(content, str) else 5
        return [Raw(json.dumps(body).encode(), "application/json")] * replies

    return script


def split_mark(api: Api) -> Sequence[ScriptEntry]:
    """A reply that begins with a byte order mark, sent byte by byte."""
    [reply] = unstreamed_content("Fine.")(api)
    assert isinstance(reply, Raw)
    assert isinstance(reply.body, bytes)
    return [Raw(tuple(bytes([byte]) for byte in BOM_UTF8 + reply.body), "application/json")]


SCENARIOS = [
    Scenario("an answer", ["Fine."], "Fine."),
    Scenario("a call and an answer", [WRITE, "Done."], "Done.", files=("a.txt", "new.txt")),
    # --- Failures that pass.
    *(passing(status) for status in (408, 409, 429, 500, 502, 503, 504, 529)),
    Scenario(
        "the server says when", [Fail(429, headers={"retry-after": "7"}), "Fine."], "Fine.", waits=(7.0,)
    ),
    Scenario(
        "a date that is past", [Fail(503, headers={"retry-after": PAST}), "Fine."], "Fine.", waits=(0.0,)
    ),
    Scenario("twice in a row", [Fail(529), Fail(529), "Fine."], "Fine.", waits=(1.0, 2.0)),
    Scenario("in the middle of a turn", [READ, Fail(503, headers=NOW), "Fine."], "Fine.", waits=(0.0,)),
    Scenario(
        "it breaks before a byte", [Drop(0), "Fine."], "Fine.", told="cannot reach|without", waits=(1.0,)
    ),
    Scenario(
        "it breaks in a reply", [Drop(3, WRITE + "more"), "Fine."], "Fine.", told="broke off", waits=(1.0,)
    ),
    Scenario(
        "it breaks after a whole call", [Drop(99, WRITE), "Fine."], "Fine.", told="broke off", waits=(1.0,)
    ),
    Scenario("a stream without its end", [Say(WRITE, stop_reason=None), "Fine."], "Fine.", waits=(1.0,)),
    Scenario("an empty answer", [Raw(b""), "Fine."], "Fine.", told="without a reply", waits=(1.0,)),
    Scenario(
        "an error in the stream", [ErrorEvent(after=WRITE), "Fine."], "Fine.", told="Overload", waits=(1.0,)
    ),
    Scenario(
        "an error in a 200",
        [Raw(b'{"error": {"code": 502, "message": "upstream is down"}}'), "Fine."],
        "Fine.",
        told="upstream is down",
        waits=(1.0,),
    ),
    Scenario(
        "no choices, once",
        lambda api: [*empty_payloads(api), "Fine."],
        "Fine.",
        told="gave no reply",
        waits=(1.0,),
    ),
    Scenario(
        "silence, once",
        [Hang(3), "Fine."],
        "Fine.",
        told="did not answer in time",
        waits=(1.0,),
        patience=Patience(connect_seconds=2, idle_seconds=0.2),
    ),
    Scenario(
        "the model is being loaded",
        [*[Fail(503, "Loading model")] * 7, "Fine."],
        "Fine.",
        told=r"is loading the model \(503\)",
        waits=(1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0),
    ),
    Scenario(
        "a moment to come back at that is past",
        [Fail(429, headers={"retry-after": "1500000000"}), "Fine."],
        "Fine.",
        waits=(1.0,),
    ),
    # --- Failures that do not.
    Scenario(
        "it stays overloaded",
        [Fail(503, "busy")] * 5,
        error=r"failed on its own side \(503\): busy\n.*It was tried 5 times",
        code=1,
        waits=(1.0, 2.0, 4.0, 8.0),
    ),
    Scenario("it breaks again and again", [Drop(2)] * 3, error="broke off", code=1, waits=(1.0, 2.0)),
    Scenario(
        "a wait of an hour",
        [Fail(429, headers={"retry-after": "3600"})],
        error="asks to slow down.*\nTry again in 3600 seconds",
        code=1,
    ),
    Scenario(
        "no credit",
        [Fail(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})],
        error="no credit left",
        code=1,
    ),
    Scenario(
        "it has moved",
        [Fail(308, headers={"location": "https://other.example.com/v9/chat/completions"})],
        error="has moved to https://other.example.com/v9/chat/completions",
        code=1,
    ),
    Scenario(
        "it knows no such method", [Html(status=501)], error=r"\(501\): an HTML page \('Sign in'\)", code=1
    ),
    Scenario("a wrong key", [Fail(401)], error="refused access", code=1),
    Scenario("no right", [Fail(403)], error="refused access", code=1),
    Scenario("not paid", [Fail(402, "Payment required")], error=r"\(402\): Payment required", code=1),
    Scenario("a refusal without reason", [Fail(400, "no")], error="refused the request", code=1),
    Scenario("no such model", [Fail(404, "model 'm' not found")], error="has no model", code=1),
    Scenario(
        "a wrong key, in the stream", [ErrorEvent("authentication_error")], error="refused access", code=1
    ),
    Scenario(
        "no choices, always", lambda api: empty_payloads(api) * 2, error="gave no reply", code=1, waits=(1.0,)
    ),
    Scenario(
        "text instead of JSON",
        [Raw(b"It works!")] * 2,
        error="gave no reply.*It works!",
        code=1,
        waits=(1.0,),
    ),
    Scenario(
        "silence, always",
        [Hang(3), Hang(3)],
        error="did not answer in time",
        code=1,
        waits=(1.0,),
        patience=Patience(connect_seconds=2, idle_seconds=0.2),
    ),
    Scenario(
        "signs of life for ever",
        [Raw((b": ping\n\n",) * 50)],
        error="did not end its reply within 0 seconds",
        code=1,
        patience=Patience(connect_seconds=2, idle_seconds=5, total_seconds=0.0),
    ),
    # --- URLs.
    Scenario(
        "served without /v1",
        ["Fine."],
        "Fine.",
        told="From now on http://.* is used",
        paths=("/chat/completions", "/messages"),
    ),
    Scenario(
        "a page instead of a reply", [Html()], error=r"/(completions|messages) answered with an HTML", code=1
    ),
    Scenario("nothing is served", [], error=r"nothing is served at .*\n.*is none either", code=1, paths=()),
    Scenario("a method that is not allowed", [Fail(405)], error=r"nothing is served at .*\(405\)", code=1),
    # --- Parameters.
    Scenario(
        "max_tokens is refused",
        [refusing("max_tokens", "Use 'max_completion_tokens' instead of 'max_tokens'.")] * 2,
        "Fine.",
        apis=("openai",),
    ),
    Scenario(
        "stream_options is refused",
        [refusing("stream_options", "Unrecognized request argument: stream_options")] * 2,
        "Fine.",
        apis=("openai",),
    ),
    Scenario(
        "stop texts are refused",
        lambda api: [refusing("stop" if api == "openai" else "stop_sequences", "unknown field `stop`")] * 2,
        "Fine.",
    ),
    Scenario(
        "the temperature is refused",
        [refusing("temperature", "temperature is deprecated for this model")] * 2,
        "Fine.",
        told="takes no temperature",
        temperature=0.5,
    ),
    Scenario(
        "a refusal in a list of details",
        [
            lambda request: (
                Fail(
                    422, {"detail": [{"loc": ["body", "temperature"], "msg": "extra", "input": {"stop": 1}}]}
                )
                if "temperature" in request.body
                else "Fine."
            )
        ]
        * 2,
        "Fine.",
        temperature=0.0,
    ),
    Scenario(
        "the limit is too high",
        [
            lambda request: (
                Fail(
                    400, "max_tokens is too large: 5000. This model supports at most 4096 completion tokens."
                )
                if request.body["max_tokens"] > 4096
                else "Fine."
            )
        ]
        * 2,
        "Fine.",
    ),
    # --- The system role.
    *(
        Scenario(
            f"no system role: {message[:30]}",
            [no_system_role(status, message)] * 3,
            "Fine.",
            told="takes no system prompt",
        )
        for status, message in (
            (400, "System role not supported"),
            (400, "Conversation roles must alternate user/assistant/user/assistant/..."),
            (400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
            (422, "messages[0].role: Input should be 'user' or 'assistant'"),
            (500, "Jinja Exception: Only user and assistant roles are supported!"),
        )
    ),
    # --- Stop texts.
    Scenario(
        "a stop text after a call", [stopping(f"{READ}\ntool_result(x):\n1| made up"), "Fine."], "Fine."
    ),
    Scenario(
        "no stop text: the result is discarded",
        [f"{READ}\ntool_result(read_file #1 ok):\n1| made up\ntool: no({{}})", "Fine."],
        "Fine.",
        told="made up|make up",
    ),
    Scenario(
        "a stop text in a block",
        [
            stopping('tool: write_file({"path": "b.md"})\n```\nIt says:\ntool_result(x):\n```\n'),
            stopping('tool: write_file({"path": "b.md"})\n```\nIt says:\ntool_result(x):\n```\n'),
            "Done.",
        ],
        "Done.",
        told="stopped the reply too soon",
        files=("a.txt", "b.md"),
    ),
    Scenario(
        "a stop text in an example",
        [stopping("So:\n```\na\ntool_result(x):\n```\nThat is it.")] * 2,
        "So:\n```\na\ntool_result(x):\n```\nThat is it.",
        told="stopped the reply too soon",
    ),
    Scenario("a stop text makes it mute", [mute_with_stop] * 2, "Fine.", told="stopped the reply too soon"),
    # --- Replies.
    Scenario("null content", lambda api: [*null_content(api), "Fine."], "Fine."),
    Scenario("reasoning alone", [Say("", reasoning="hm"), "Fine."], "Fine."),
    Scenario("a call in the reasoning", [Say("Fine.", reasoning=f"I could:\n{WRITE}")], "Fine."),
    Scenario("no usage", [Say("Fine.", usage=Usage())], "Fine."),
    Scenario("half of the usage", [Say("Fine.", usage=Usage(output_tokens=3))], "Fine."),
    Scenario("keep-alives", lambda api: [Raw((*NOISE, *body_of(api, "Fine."), *NOISE))], "Fine."),
    Scenario(
        "single bytes",
        lambda api: [Raw(tuple(bytes([b]) for b in b"".join(body_of(api, "Fine ü."))))],
        "Fine ü.",
    ),
    Scenario(
        "other line ends",
        lambda api: [Raw(b"".join(body_of(api, "Fine.")).replace(b"\n", b"\r\n"), content_type="text/plain")],
        "Fine.",
    ),
    Scenario("no stream", [Say("Fine.", streamed=False)], "Fine."),
    Scenario("an end token after an answer", ["Fine.<|im_end|>"], "Fine."),
    Scenario("end tokens after a call", [f"{READ}<|eot_id|>\n</s>", "Fine.</s>"], "Fine."),
    Scenario("an unknown stop reason", [Say("Fine.", stop_reason="brand_new")], "Fine."),
    Scenario(
        "a reply that is cut", [Say("It is", stop_reason="max_tokens")], error="cut at 5000 tokens", code=3
    ),
    Scenario(
        "thinking that is cut",
        [Say("", reasoning="hm", stop_reason="max_tokens")],
        error="still thinking at 5000 tokens",
        code=3,
    ),
    Scenario("JSON too deep to read", [DEEP] * 2, error="gave no reply", code=1, waits=(1.0,)),
    Scenario("an event too deep to read", [DEEP_EVENT] * 2, error="gave no reply", code=1, waits=(1.0,)),
    Scenario("an error too deep to read", [DEEP_ERROR], error="refused the request", code=1),
    Scenario("a wait without end", [slow("inf"), "Fine."], "Fine.", waits=(1.0,)),
    Scenario("a wait that is no number", [slow("nan"), "Fine."], "Fine.", waits=(1.0,)),
    Scenario(
        "a date of no calendar",
        [slow("Mon, 01 Feb 99999 10:00:00 GMT"), "Fine."],
        "Fine.",
        waits=(1.0,),
    ),
    Scenario(
        "a redirect to no address",
        [Fail(302, headers={"location": "http://[::1"})],
        error=r"refused the request \(302\)",
        code=1,
    ),
    Scenario("a redirect to nowhere", [Fail(302)], error=r"refused the request \(302\)", code=1),
    Scenario("nothing has changed", [Fail(304, "")], error=r"refused the request \(304\)", code=1),
    Scenario("an error in no charset", [charset("hex")], error="scripted failure", code=1),
    Scenario("an error in a wrong charset", [charset("utf-16")], error="scripted failure", code=1),
    Scenario(
        "counts that nobody can reckon with",
        [Say("Fine.", usage=Usage(10**400, 10**400))],
        "Fine.",
        told="about .* tokens in",
    ),
    Scenario("a content that is none", unstreamed_content(5), error="neither a call", code=3),
    Scenario("a content that is only a text", unstreamed_content("Fine."), "Fine."),
    Scenario("a mark at the beginning, in parts", split_mark, "Fine."),
    Scenario(
        "a limit with thousands of digits",
        [Fail(400, "max_tokens must be at most " + "9" * 5000)],
        error="refused the request",
        code=1,
    ),
    Scenario(
        "an error that would act on the terminal",
        [Fail(400, "\x1b]0;owned\x07\x1b[2J\u202enot good")],
        error=r"refused the request \(400\): \]0;owned \[2J not good",
        code=1,
    ),
    Scenario(
        "a status that is a text",
        [Raw(sse({"error": {"code": "401", "message": "bad key"}}))],
        error=r"refused access \(401\): bad key",
        code=1,
    ),
    Scenario(
        "an error that is only called one",
        [Raw(sse({"type": "error", "message": "model overheated"})), "Fine."],
        "Fine.",
        told="model overheated",
        waits=(1.0,),
    ),
    Scenario(
        "an error object in the reply's place",
        [Raw(b'{"object": "error", "message": "bad key", "code": 401}', "application/json")],
        error="refused access .*bad key",
        code=1,
    ),
    Scenario("a filtered reply", [Say("I will not.", stop_reason="refusal")], error="content filter", code=3),
    Scenario("it says nothing", [""] * 5, error="neither a call nor an answer", code=3),
    Scenario("a model that pads", ["\n\n  Fine.  \n\n"], "Fine."),
]
CASES = [(api, scenario) for scenario in SCENARIOS for api in scenario.apis]


def test_there_are_enough_scenarios() -> None:
    assert len(SCENARIOS) >= 45
    assert len({scenario.name for scenario in SCENARIOS}) == len(SCENARIOS)


@pytest.mark.parametrize(("api", "scenario"), CASES, ids=[f"{case.name}-{api}" for api, case in CASES])
def test_a_scenario_ends_well(api: Api, scenario: Scenario, project: Path) -> None:
    (project / "a.txt").write_text("alpha\n")
    script = scenario.script(api) if callable(scenario.script) else scenario.script
    with ScriptedServer(script, paths=scenario.paths) as server:
        remote = provider(server, api, patience=scenario.patience, temperature=scenario.temperature)
        place = Setting(project, remote)
        outcome = place.turn()
        # Whatever came of it, the session goes on, with a request that is valid.
        if scenario.paths and scenario.patience.total_seconds:
            server.add("And on.")
            assert place.turn("go on").stdout == "And on.\n"
        place.close()
    assert outcome.stdout == (f"{scenario.answer}\n" if scenario.answer else ""), outcome.stderr
    assert outcome.code == scenario.code, outcome.stderr
    assert re.search(scenario.error, outcome.stderr), outcome.stderr
    assert re.search(scenario.told, outcome.stderr), outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert tuple(outcome.waits) == scenario.waits
    assert tuple(sorted(path.name for path in project.iterdir())) == scenario.files


class Interrupted:
    """Presses Ctrl-C at the first event of a kind."""

    def __init__(self, kind: type) -> None:
        self._kind: type | None = kind

    def __call__(self, event: Event | float) -> None:
        if self._kind and isinstance(event, self._kind):
            self._kind = None
            raise KeyboardInterrupt


class Nervous:
    """An approver who presses Ctrl-C."""

    def review(self, request: ReviewRequest) -> Review:
        raise KeyboardInterrupt


INTERRUPTS: Sequence[tuple[str, ScriptEntry, dict[str, Any], tuple[str, ...]]] = [
    ("in a reply", f"It begins.\n{WRITE}", {"sink": Interrupted(TextReceived)}, ("It be",)),
    ("in reasoning", Say("x", reasoning="hm"), {"sink": Interrupted(ReasoningReceived)}, ()),
    ("in a wait", Fail(503), {"sleep": Interrupted(float)}, ()),
    ("after a broken reply", Drop(2), {"sleep": Interrupted(float)}, ()),
    (
        "before a call",
        f"{READ}\n{WRITE}",
        {"sink": Interrupted(ToolStarted)},
        (READ, "#1 not run", "#2 not run"),
    ),
    ("after a call", f"{READ}\n{WRITE}", {"sink": Interrupted(ToolFinished)}, (READ, "#1 ok", "#2 not run")),
    ("after the last call", READ, {"sink": Interrupted(ToolFinished)}, (READ, "#1 ok")),
    ("at a question", f"{READ}\n{WRITE}", {"approver": Nervous()}, (READ, "#1 ok", "#2 not run")),
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("number", range(len(INTERRUPTS)), ids=[name for name, *_ in INTERRUPTS])
def test_ctrl_c_leaves_a_valid_conversation(api: Api, number: int, project: Path) -> None:
    (project / "a.txt").write_text("alpha\n")
    _, move, options, kept = copy.deepcopy(INTERRUPTS[number])
    with ScriptedServer([move]) as server:
        place = Setting(project, provider(server, api), **options)
        assert place.turn("begin").code == 130
        server.add(READ, "Still here.")
        assert place.turn("go on").stdout == "Still here.\n"
        place.close()
        messages, after = server.requests[1].messages, server.requests[2]
    text = "\n".join(message.content for message in messages)
    assert messages[0].content.startswith("begin")
    assert "The user interrupted you here" in messages[-1].content
    assert messages[-1].content.endswith("go on")
    assert [part for part in kept if part not in text] == []
    assert len(messages) == (3 if kept else 1)
    assert not (project / "new.txt").exists()
    # The calls are counted on, whether they ran or not.
    assert f"tool_result(read_file #{text.count('tool_result(') + 1} " in after.last


@pytest.mark.parametrize("api", APIS)
def test_the_last_step_is_not_spent_on_a_doubt(api: Api, project: Path) -> None:
    with ScriptedServer(["It looks so:\n```\na = 1"]) as server:
        place = Setting(project, provider(server, api), max_steps=1)
        outcome = place.turn()
        place.close()
    assert (outcome.code, outcome.stdout) == (0, "It looks so:\n```\na = 1\n")
