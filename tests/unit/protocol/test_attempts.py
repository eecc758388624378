# ruff: noqa: E501, RUF001 - the tokens of models
"""What is certainly an attempt to call a tool is read or told, never silence, in every framing."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.reply_cases import calls_of, malformed_of
from text_agent.protocol.markers import MARKERS, Marker
from text_agent.protocol.reading.parser import parse_reply

OPENERS = [
    *(example for marker in MARKERS if marker.kind == "container" for example in marker.examples),
    *("<|begin_tool_requests|>", "<|x:begin_tool_request:x|>", "<my_tool_call>", "<x:tool-request>", "[USE_TOOL]"),
    *("<|use_tool|>", "<CALL>", "<|call_of_tool|>"),
]  # fmt: skip
BODIES = ['{"x": 1}', '{"x": ', '[{"x": 1}]', "read_file(", "read_file({path})", "<tool_begin>read_file"]


@pytest.mark.parametrize("opener", [each for each in OPENERS if not each.endswith('{"')])
@pytest.mark.parametrize("body", BODIES)
def test_a_token_of_a_call_with_something_like_one_behind_it_is_told(opener: str, body: str) -> None:
    reply = parse_reply(f"I look.\n{opener}{body}\n", SEVEN_TOOLS)
    assert calls_of(reply) == []
    assert malformed_of(reply)


@pytest.mark.parametrize(
    "words",
    [
        "The tag <my_tool_call> opens it.", "<callback> {x}", "a <toolbox>[1] b", "Write <|use_tool|> there.",
        "<tool_call></tool_call> are the tags.", "The tags are <tool_calls></tool_calls>",
    ],
)  # fmt: skip
def test_a_mention_is_none(words: str) -> None:
    reply = parse_reply(words, SEVEN_TOOLS)
    assert reply.calls == []
    assert reply.prose


PATH = {"path": "a.py"}
FRAMED = [
    "<ifm|tool_calls><ifm|tool_call>read_file<ifm|arg_key>path</ifm|arg_key><ifm|arg_value>a.py</ifm|arg_value>"
    "</ifm|tool_call></ifm|tool_calls>",
    "<ifm|tool_call>read_file<ifm|arg_key>path</ifm|arg_key><ifm|arg_type>string</ifm|arg_type>"
    "<ifm|arg_value>a.py</ifm|arg_value></ifm|tool_call>",
    '<function name="read_file"><param name="path">a.py</param></function>',
    '<functionname="read_file"><paramname="path">a.py</param></function>',
    '<function\u0120name="read_file"><param\u0120name="path">a.py</param></function>',
    '<tool-call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool-call>',
    'functools{"name": "read_file", "arguments": {"path": "a.py"}}',
    '<|open|>tools<|sep|><|open|>call tool="read_file" index="1"<|sep|><|open|>argument key="path" type="string"<|sep|>'
    "a.py<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
    '<|open|>think<|sep|>tool: list_files({})<|close|>think<|sep|><|open|>response<|sep|>I look.<|close|>response<|sep|>'
    '<|open|>call tool="read_file"<|sep|><|open|>argument key="path"<|sep|>a.py<|close|>argument<|sep|><|close|>call<|sep|>',
]  # fmt: skip


@pytest.mark.parametrize("text", FRAMED)
def test_forms_of_few_models(text: str) -> None:
    reply = parse_reply(text, SEVEN_TOOLS)
    assert calls_of(reply) == [("read_file", PATH)]
    assert malformed_of(reply) == []
    assert "<" not in reply.prose


def test_a_tag_says_the_type_of_a_value() -> None:
    text = (
        '<|open|>call tool="make_tea"<|sep|><|open|>argument key="cups" type="number"<|sep|>2<|close|>argument<|sep|>'
        '<|open|>argument key="kind" type="string"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|>'
    )
    assert calls_of(parse_reply(text, SEVEN_TOOLS)) == [("make_tea", {"cups": 2, "kind": "2"})]


def _kimi(name: str, written: str) -> str:
    return f"<|tool_call_begin|>functions.{name}:0<|tool_call_argument_begin|>{written}<|tool_call_end|>"


def _deepseek(name: str, written: str) -> str:
    return f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{written}<｜tool▁call▁end｜>"


def _old_deepseek(name: str, written: str) -> str:
    return f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{written}\n```<｜tool▁call▁end｜>\n"


def _mistral(name: str, written: str) -> str:
    return f"[TOOL_CALLS]{name}[ARGS]{written}"


def _hermes(name: str, written: str) -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {written}}}\n</tool_call>\n'


@pytest.mark.parametrize("frame", [_kimi, _deepseek, _old_deepseek, _mistral, _hermes])
@pytest.mark.parametrize("cut", ['{"path": "a", "content": "abc', '{"path": "a", "content": "it says "no'])
def test_a_string_that_is_cut_between_tokens_hides_no_other_call(
    frame: Callable[[str, str], str], cut: str
) -> None:
    text = frame("write_file", cut) + frame("read_file", json.dumps(PATH))
    reply = parse_reply(text, SEVEN_TOOLS)
    told = [attempt.name for attempt in malformed_of(reply)]
    assert told[0] == "write_file"
    assert told.count("write_file") == 1
    assert [*told[1:], *(name for name, _ in calls_of(reply))] == ["read_file"]


@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "I look:\n\n```\n{}\n```\n"])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"name": "make_tea", "arguments": {"x": 1}}', ["make_tea"]),
        ('[{"name": "make_tea", "arguments": {"x": 1}}]', ["make_tea"]),
        ('[{"tool": "make_tea", "args": {}}, {"tool": "pour", "args": {}}]', ["make_tea", "pour"]),
        ("[make_tea(sugar=1)]", ["make_tea"]),
        ('{"name": "read_file"}', []),
        ('{"name": "make_tea", "arguments": "x"}', []),
        ('{"name": "list_files", "arguments": {"start": 1}}', ["list_files"]),
        ('{"name": "write_file", "arguments": {"content": "a"}}', ["write_file"]),
        ('{"name": "write_file", "arguments": "a.py"}', ["write_file"]),
        ('{"tool": "read_file", "parameters": {"file": "a.py", "colour": 1}}', ["read_file"]),
        ('[{"name": "read_file", "arguments": []}]', ["read_file"]),
        ('{"name": "read_file", "version": "1.0"}', []),
        ('{"name": "read_file", "parameters": {"type": "object", "properties": {}}}', []),
        ('[{"name": "Bob", "age": 3}]', []),
        ('[{"name": "f", "parameters": {"type": "object", "properties": {}}}]', []),
        ("[1, 2]", []),
    ],
)
def test_calls_that_could_not_be_run_as_a_whole_reply(wrap: str, text: str, names: list[str]) -> None:
    reply = parse_reply(wrap.replace("{}", text, 1), SEVEN_TOOLS)
    assert [attempt.name for attempt in malformed_of(reply)] == names
    assert calls_of(reply) == []


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call name="read_file" path="a.py"/>',
        '<invoke id="1" name="read_file" path="a.py"></invoke>',
        "<my_tool_call>something else</my_tool_call>",
        "<tool_calls>\n</tool_calls>",
        "[TOOL_CALLS][]",
        "functools[]",
        "<|use_tool|>\nread_file a.py",
    ],
)
def test_a_framing_without_a_readable_call_is_told_and_not_called_cut(text: str) -> None:
    attempts = malformed_of(parse_reply(text, SEVEN_TOOLS))
    assert len(attempts) == 1
    assert not attempts[0].cut


@pytest.mark.parametrize(
    "broken", ["<my_tool_call>garbage</my_tool_call>", '<|use_tool|>{"x": }', "<|a_tool|>[{}]"]
)
def test_a_call_behind_a_framing_that_cannot_be_read_is_read(broken: str) -> None:
    reply = parse_reply(
        f'{broken}<tool_call>{{"name": "list_files", "arguments": {{}}}}</tool_call>', SEVEN_TOOLS
    )
    assert calls_of(reply) == [("list_files", {})]
    assert len(malformed_of(reply)) == 1


@pytest.mark.parametrize(
    "marker", [each for each in MARKERS if each.kind == "thinking"], ids=lambda each: each.examples[0]
)
def test_a_draft_in_thinking_does_not_run(marker: Marker) -> None:
    for opener in marker.examples:
        reply = parse_reply(f"{opener}\ntool: list_files({{}})\n", SEVEN_TOOLS)
        assert reply.calls == []


def test_the_end_of_a_message_makes_no_thinking_of_what_stands_before_it() -> None:
    call = '<|content_invoke_tool_json|>{"name":"list_files","args":{}}<|end_message|>'
    for before in ("", "<|content_text|>I look.<|end_message|><|message_model|>"):
        assert calls_of(parse_reply(before + call, SEVEN_TOOLS)) == [("list_files", {})]
    thought = "<|content_thinking|>tool: read_file({})<|end_message|><|message_model|>"
    assert calls_of(parse_reply(thought + call, SEVEN_TOOLS)) == [("list_files", {})]
