from __future__ import annotations

from typing import Any

import pytest

from tests.support.described_tools import SEVEN_TOOLS, described
from tests.support.reply_cases import calls_of, malformed_of
from text_agent.protocol.reading.arguments import decode_object, decode_value
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.types import MalformedCall


def arguments(text: str) -> dict[str, Any]:
    """The arguments of the only call of a reply."""
    reply = parse_reply(text, SEVEN_TOOLS)
    assert malformed_of(reply) == []
    ((_, values),) = calls_of(reply)
    return values


def refused(text: str) -> MalformedCall:
    """The only attempt of a reply without calls."""
    reply = parse_reply(text, SEVEN_TOOLS)
    assert calls_of(reply) == []
    (malformed,) = malformed_of(reply)
    return malformed


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('tool: read_file({"path": "a"},)', {"path": "a"}),
        ('tool: read_file("a"})', {"path": "a"}),
        ('tool: run_command("{ echo; }")', {"command": "{ echo; }"}),
        ('tool: update_plan({"steps": "wash, dry"})', {"steps": "wash, dry"}),
        ('tool: update_plan([{"a": 1}])', {"steps": [{"a": 1}]}),
        ('tool: run_command({"command": "say "x"", "timeout": 5})', {"command": 'say "x"', "timeout": 5}),
        ('tool: read_file({"path": "a", "start": 1_000})', {"path": "a", "start": 1000}),
        ('tool: read_file({"path": "a", "start": -1.5e1})', {"path": "a", "start": -15.0}),
        ('tool: read_file(path="a", start=-1.5e1)', {"path": "a", "start": -15.0}),
        ("tool: search({'pattern': 'a\\/b'})", {"pattern": "a\\/b"}),
        ('tool: search(pattern="a\\/b")', {"pattern": "a\\/b"}),
        ('tool: search({"pattern": f"plain"})', {"pattern": "plain"}),
        ('tool: search({"pattern": u"plain"})', {"pattern": "plain"}),
        ("tool: search({\u2018pattern\u2019: \u2018it\u2019})", {"pattern": "it"}),
        ('tool: search({"pattern": "\\ud83d\\ude00 \\d"})', {"pattern": "\U0001f600 \\d"}),
        ('tool: search({"pattern": "\\ud83d \\d"})', {"pattern": "\ud83d \\d"}),
        ('tool: search({"pattern": "a\\\\"})', {"pattern": "a\\"}),
        ('tool: search({"pattern": "a\\\nb"})', {"pattern": "a\\\nb"}),
        ('tool: update_plan({"steps": [], "done": [1, 2,]})', {"steps": [], "done": [1, 2]}),
        ("tool: read_file(path=a.py)", None),
        ("tool: list_files(.)", None),
        ("tool: read_file(true)", {"path": True}),
    ],
)
def test_arguments_are_read(text: str, values: dict[str, Any] | None) -> None:
    if values is None:
        refused(text)
    else:
        assert arguments(text) == values


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('tool: read_file({"path": "a"} + x', "something follows the arguments' object"),
        ('tool: read_file({"path": "a"}, 1)', "something follows the arguments' object"),
        ('tool: read_file({"path": "a"}, {"path": "b"})', "two objects give different values"),
        ("tool: write_file(a.txt)", "this is not a value"),
        ('tool: read_file("a", path="b")', "an argument is given twice"),
        ('tool: search(pattern="a", pattern="b")', 'the argument "pattern" is given twice'),
        ('tool: search(pattern="a", "b")', "a value without a name follows named ones"),
        ('tool: search("a" "b")', "a comma or a closing parenthesis is missing"),
        ('tool: search("a"]', "a comma or a closing parenthesis is missing"),
        ('tool: read_file("a", 1, 2, 3)', "there are more arguments than parameters"),
        ('tool: frob("a")', "the arguments of the unknown tool 'frob' have no names"),
        ('tool: search({"pattern": "a", "pattern": "b"})', 'the key "pattern" is given twice'),
        ('tool: read_file({"path": "a", "start": ' + "9" * 500 + "})", "the number is too long"),
        ('tool: read_file({"path": "a", "start": 1e999})', "the number is too large"),
        ('tool: update_plan({"steps": ' + "[" * 80 + "]" * 80 + "})", "the brackets are nested too deeply"),
        ('tool: read_file({"path": "a", "start": 007})', "this is not a value"),
        ('tool: read_file({"path": /* open "a"})', "this is not a value"),
        ('tool: read_file({"path": f"{name}"})', "a string with placeholders has no value here"),
        ('tool: read_file({"path" "a"})', "a colon is missing behind the key"),
        ('tool: read_file({: "a"})', "a key is missing"),
        ('tool: read_file({"path": / "a"})', "this is not a value"),
        ('tool: search({"pattern": "a "b"", "path": 5 6})', "a comma or a closing bracket is missing"),
        ('tool: search({"pattern": "a" + "b"})', "a comma or a closing bracket is missing"),
        (
            'tool: search({"pattern": "abc)\ntool: search({"pattern": "x"})',
            "a string is not closed before the next call",
        ),
        ("tool: search({\u201cpattern", "the text ends inside the call"),
        ('tool: search({"pattern": <|"|>x', "the text ends inside the call"),
    ],
)
def test_what_has_not_one_reading_is_refused_with_the_reason(text: str, error: str) -> None:
    first = parse_reply(text, SEVEN_TOOLS).calls[0]
    assert isinstance(first, MalformedCall)
    assert first.error.startswith(error)


def test_a_tool_may_have_a_parameter_named_like_a_wrapper() -> None:
    def relay(arguments: dict[str, int]) -> None: ...

    (call,) = parse_reply('tool: relay({"arguments": {"a": 1}})', described(relay)).calls
    assert calls_of(parse_reply('tool: relay({"arguments": {"a": 1}})', described(relay))) == [
        ("relay", {"arguments": {"a": 1}})
    ]
    assert not isinstance(call, MalformedCall)


def test_a_wrapper_beside_other_arguments_stays() -> None:
    values = {"arguments": {"path": "a"}, "start": 1}
    assert arguments('tool: read_file({"arguments": {"path": "a"}, "start": 1})') == values


def test_texts_are_decoded_only_as_a_whole() -> None:
    assert decode_value(" [1, 2] ") == [1, 2]
    assert decode_value("[1] and more") is None
    assert decode_value("[1") is None
    assert decode_object("[1]") is None
    assert decode_object('{"a": 1}') == {"a": 1}
    assert decode_object({"a": 1}) is None
