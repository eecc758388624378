from __future__ import annotations

import json
import time

import pytest

from text_agent.messages import CompletionRequest, Message
from text_agent.providers.error_bodies import words
from text_agent.providers.shape import RequestShape

REQUEST = CompletionRequest("Be brief.", (Message("user", "Hello"),), 5000, ("\nstop",), 'root ::= "a"')


def after(message: str, *, status: int = 400, shape: RequestShape | None = None) -> RequestShape:
    body = json.dumps({"error": {"message": message}})
    return (shape or RequestShape()).after(status, body, REQUEST)


@pytest.mark.parametrize(
    ("message", "changed"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model.",
            {"limit_names": ("max_completion_tokens", "")},
        ),
        ("Unrecognized request argument supplied: stream_options", {"has_stream_options": False}),
        ("stream_options.include_usage: Extra inputs are not permitted", {"has_stream_options": False}),
        ("Unsupported parameter: 'stop' is not supported with this model.", {"has_stop": False}),
        ("stop_sequences: Extra inputs are not permitted", {"has_stop": False}),
        (
            "Unsupported value: 'temperature' does not support 0.2 with this model.",
            {"has_temperature": False},
        ),
        ("`temperature` is deprecated for this model.", {"has_temperature": False}),
        (
            "max_tokens: 5000 > 4096, which is the maximum allowed number of output tokens",
            {"limit_max": 4096},
        ),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 4,096]", {"limit_max": 4096}),
        ("`max_tokens` must be less than or equal to `2048`", {"limit_max": 2048}),
        ("grammar: Extra inputs are not permitted", {"has_grammar": False}),
        ("Failed to parse grammar", {"has_grammar": False}),
        ("structured_outputs: unknown field", {"has_grammar": False}),
        ("System role not supported", {"has_system": False}),
        ("system: Extra inputs are not permitted", {"has_system": False}),
        (
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            {"has_system": False},
        ),
        ('messages: Unexpected role "system"', {"has_system": False}),
        ("After the optional system message, conversation roles must alternate", {"has_system": False}),
        ("Only user and assistant roles are supported!", {"has_system": False}),
        ("Developer instruction is not enabled for models/gemma-3-27b-it", {"has_system": False}),
    ],
)
def test_what_a_refusal_names_is_changed(message: str, changed: dict[str, object]) -> None:
    before = RequestShape()
    shape = after(message)
    assert {name for name in RequestShape.__slots__ if getattr(shape, name) != getattr(before, name)} == set(
        changed
    )
    for name, value in changed.items():
        assert getattr(shape, name) == value
    # Once: the same refusal changes no more of it.
    assert after(message, shape=shape) == shape


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "bad thing"),
        (400, "This model's maximum context length is 2048 tokens; max_tokens is too large: 5000"),
        (400, "max_tokens must be at least 1"),
        (401, "System role not supported"),
        (429, "max_tokens per minute"),
        (500, "internal system error"),
        (500, "temperature"),
        (400, "temperature: Input should be less than or equal to 1"),
        (None, "stop"),
    ],
)
def test_nothing_else_is_changed(status: int | None, message: str) -> None:
    body = json.dumps({"error": {"message": message}})
    assert RequestShape().after(status, body, REQUEST) == RequestShape()


def test_a_template_that_fails_on_the_servers_side() -> None:
    assert not after("Jinja Exception: System role not supported", status=500).has_system


def test_a_repeated_request_names_nothing() -> None:
    detail = [{"loc": ["body", "frobnicate"], "msg": "bad", "input": {"temperature": 1, "stop": "x"}}]
    assert RequestShape().after(422, json.dumps({"detail": detail}), REQUEST) == RequestShape()
    shape = RequestShape().after(422, json.dumps({"detail": [{"loc": ["body", "stop"]}]}), REQUEST)
    assert not shape.has_stop


def test_a_refusal_that_is_no_json() -> None:
    assert not RequestShape().after(400, "unknown field `temperature`", REQUEST).has_temperature


def test_a_limit_that_has_one_name_keeps_it() -> None:
    shape = RequestShape(limit_names=("max_tokens",))
    assert after("max_tokens: Extra inputs are not permitted", shape=shape) == shape


def test_the_system_prompt_moves_into_the_first_message() -> None:
    more = CompletionRequest(
        "Be brief.", (*REQUEST.messages, Message("assistant", "Hi."), Message("user", "a")), 9
    )
    assert RequestShape().conversation(more) == ("Be brief.", more.messages)
    system, messages = RequestShape(has_system=False).conversation(more)
    assert system == ""
    assert messages == (Message("user", "Be brief.\n\nHello"), *more.messages[1:])


def test_the_limit_that_is_asked_for() -> None:
    assert RequestShape().reply_limit(5000) == 5000
    assert RequestShape(limit_max=4096).reply_limit(5000) == 4096
    assert RequestShape(limit_max=4096).reply_limit(100) == 100


@pytest.mark.parametrize(
    "refusal",
    [
        "Unsupported parameter: '{}'",
        "{}: Extra inputs are not permitted",
        "unknown field `{}`, expected one of `model`, `messages`",
        "Unrecognized request argument supplied: {}",
    ],
)
def test_a_limit_that_is_refused_under_both_names_is_not_sent(refusal: str) -> None:
    shape = RequestShape()
    for name in ("max_tokens", "max_completion_tokens"):
        assert shape.limit_names[0] == name
        shape = after(refusal.format(name), shape=shape)
    assert shape.limit_names == ("",)
    assert after(refusal.format("max_tokens"), shape=shape) == shape


ONLY_TWO_ROLES = [
    [
        {
            "type": "literal_error",
            "loc": ["body", "messages", 0, "role"],
            "msg": "Input should be 'user' or 'assistant'",
        }
    ],
    [{"loc": ["messages", 0, "role"], "msg": "unexpected value; permitted: 'user', 'assistant'"}],
    [
        {
            "loc": ["role"],
            "msg": "value is not a valid enumeration member",
            "ctx": {"expected": "'assistant' or 'user'"},
        }
    ],
    "Invalid value: 'system'. Supported values are: 'assistant' and 'user'.",
    "role must be one of [user, assistant]",
    "messages.0.role: must be `user` or `assistant`",
    'expected "user"|"assistant"',
    {"expected": ["user", "assistant"], "msg": "bad role"},
]


@pytest.mark.parametrize("detail", ONLY_TWO_ROLES, ids=str)
@pytest.mark.parametrize("status", [400, 422])
def test_where_only_user_and_assistant_may_speak_the_system_prompt_moves(status: int, detail: object) -> None:
    shape = RequestShape().after(status, json.dumps({"detail": detail}), REQUEST)
    assert shape == RequestShape(has_system=False)


def test_a_long_refusal_is_read_in_no_time() -> None:
    begun = time.process_time()
    for word in ("system ", "str ", "<title>", "user ", "max_tokens 1 "):
        for status in (400, 422, 500):
            RequestShape().after(status, word * 500_000, REQUEST)
            words(word * 500_000)
    assert time.process_time() - begun < 10
