# ruff: noqa: E501 - a table
from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.hostile_text import hostile_text
from tests.support.reply_cases import calls_of, load_cases
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.reading.outcome import without_end_tokens
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.scanning import scan
from text_agent.protocol.types import MalformedCall, ToolCall

PIECES = [
    "tool: ", "tool: read_file(", 'tool: list_files({"path": "a"})', "read_file", "write_file(", "(", ")", "{", "}",
    "[", "]", '"', "'", '"path"', ":", ",", "\n", "\n\n", "```", "```json\n", "~~~\n", "<think>", "</think>",
    "<tool_call>", "</tool_call>", "\\", "\\n", "a", "1", "true", '"""', "\u201c", "\u201d", "tool_result(", "Observation:",
    "Action: read_file\nAction Input: ", "<|python_tag|>", "[TOOL_CALLS]", "[ARGS]", "<function=read_file>",
    "<parameter=path>", "</parameter>", "</function>", "<read_file>", "<path>", "</path>", "</read_file>",
    '{"name": "read_file", "arguments": {"path": "x"}}', "\x00", "\ud800", "for example", "call:", '<|"|>', "functools",
    "to=functions.", "//", "/*", "*/", "#", "=", '<invoke name="read_file">', '<parameter name="path">', "</invoke>",
    "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>",
    "<\uff5ctool\u2581sep\uff5c>", "`", "**", "- ", "> ", "\r\n", "<|channel|>analysis", "<tool_name>x</tool_name>",
]  # fmt: skip

hostile_replies = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=25).map("".join)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False)
    | hostile_text | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
any_text = hostile_text | st.text()


def taught(name: str, arguments: dict[str, Any], *, ascii_only: bool = False) -> str:
    return f"tool: {name}({json.dumps(arguments, ensure_ascii=ascii_only)})"


@given(text=hostile_replies)
def test_no_text_raises(text: str) -> None:
    reply = parse_reply(text, SEVEN_TOOLS)
    scan(text, SEVEN_TOOLS)
    assert all(0 <= call.span[0] <= call.span[1] <= len(text) for call in reply.calls)
    assert len(reply.prose) <= len(text)


@given(text=hostile_replies)
def test_the_parts_are_the_whole_reply(text: str) -> None:
    reply = parse_reply(text, SEVEN_TOOLS)
    edges = [0, *(edge for part in reply.parts for edge in part.span), len(without_end_tokens(text))]
    assert edges[::2] == edges[1::2]
    assert all(part.span[0] < part.span[1] for part in reply.parts)
    words = "".join(text[part.span[0] : part.span[1]] for part in reply.parts if part.kind == "prose")
    assert "".join(words.split()).replace("\ufeff", "") == "".join(reply.prose.split()).replace("\ufeff", "")


@given(arguments=st.dictionaries(st.text(max_size=8), json_values, max_size=4), ascii_only=st.booleans())
def test_json_arguments_are_read_back_exactly(arguments: dict[str, Any], ascii_only: bool) -> None:
    text = taught("some_tool", arguments, ascii_only=ascii_only)
    assert parse_reply(text, SEVEN_TOOLS).calls == [ToolCall("some_tool", arguments)]


@given(path=any_text, content=any_text, ending=st.sampled_from(["\n", "\r\n"]))
def test_the_taught_form_is_read_back_exactly_among_prose(path: str, content: str, ending: str) -> None:
    arguments = {"path": path, "content": content}
    text = ending.join(["I write it.", "", taught("write_file", arguments), "", "Done."])
    assert parse_reply(text, SEVEN_TOOLS).calls == [ToolCall("write_file", arguments)]


@given(old=any_text, new=any_text)
def test_python_literals_are_read_back_exactly(old: str, new: str) -> None:
    assume("\\x" not in repr(old) + repr(new) and "\\U" not in repr(old) + repr(new))
    text = f"tool: edit_file(path='a', old_str={old!r}, new_str={new!r})"
    arguments = {"path": "a", "old_str": old, "new_str": new}
    assert parse_reply(text, SEVEN_TOOLS).calls == [ToolCall("edit_file", arguments)]


@given(text=any_text.filter(lambda text: "</" not in text and "<parameter" not in text))
def test_a_tags_text_is_exact_but_for_one_line_break_at_each_end(text: str) -> None:
    reply = f"<function=search>\n<parameter=pattern>\n{text}\n</parameter>\n</function>"
    assert parse_reply(reply, SEVEN_TOOLS).calls == [ToolCall("search", {"pattern": text})]


quoted_calls = st.sampled_from(
    [
        "I could write tool: read_file({}) here.",
        "> tool: list_files({})",
        "Use `tool: list_files({})` for that.",
        "For example:\n\n```\ntool: list_files({})\n```\n\nThat is all.",
        "```\nsome log\ntool: list_files({})\n```",
        "<think>\ntool: list_files({})\n</think>",
        'He wrote "<tool_call>{}</tool_call>" in it.',
        "| `list_files({})` | lists |",
        "The function read_file(path) reads.",
    ]
)
plain_words = st.text(st.sampled_from("abc ,.\n"), max_size=20)


@given(parts=st.lists(quoted_calls, max_size=5), words=st.lists(plain_words, min_size=5, max_size=5))
def test_prose_around_quoted_calls_holds_none(parts: list[str], words: list[str]) -> None:
    text = "\n\n".join(word + "\n\n" + part for word, part in zip(words, parts, strict=False))
    assert parse_reply(text, SEVEN_TOOLS).calls == []


@st.composite
def taught_replies(draw: st.DrawFn) -> str:
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        arguments = {"path": draw(any_text), "content": draw(any_text)}
        parts.append(draw(st.sampled_from(["", "Some words.\n"])) + taught("write_file", arguments))
    return "\n".join(parts)


@given(text=taught_replies(), data=st.data())
def test_a_cut_reply_has_no_call_that_the_whole_has_not(text: str, data: st.DataObject) -> None:
    whole = calls_of(parse_reply(text, SEVEN_TOOLS))
    cut = calls_of(parse_reply(text[: data.draw(st.integers(0, len(text)))], SEVEN_TOOLS))
    assert cut == whole[: len(cut)]


@given(content=any_text.filter(lambda text: "\r" not in text and "```" not in text), data=st.data())
def test_a_cut_block_is_no_call(content: str, data: st.DataObject) -> None:
    text = f'tool: write_file({{"path": "a"}})\n```\n{content}\n```'
    begin = text.index("```") + 3
    cut = parse_reply(text[: data.draw(st.integers(begin, len(text) - 3))], SEVEN_TOOLS)
    assert calls_of(cut) == []


CORPUS = [case.reply for case in load_cases()]


WRAPPINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "after another line": lambda text: f"A line.\n{text}",
    "before another line": lambda text: f"{text}\nA line.",
    "after words": lambda text: f"He said: {text}",
    "fenced": lambda text: f"~~~~~~~~\n{text}\n~~~~~~~~",
    "quoted": lambda text: _each_line("> ", text),
    "quoted without a blank": lambda text: _each_line(">", text),
    "numbered": lambda text: "\n".join(f"{n}| {line}" for n, line in enumerate(text.split("\n"), 1)),
    "commented out": lambda text: _each_line("# ", text),
    "added": lambda text: _each_line("+", text),
    "in a list": lambda text: "- " + text.replace("\n", "\n  "),
    "in a numbered list": lambda text: "1. " + text,
    "thought": lambda text: f"<think>\n{text}\n</think>",
    "in a comment": lambda text: f"<!--\n{text}\n-->",
    "behind a result": lambda text: f"tool_result(x #1 ok):\n{text}",
}


def _each_line(mark: str, text: str) -> str:
    return "\n".join(mark + line for line in text.split("\n"))


def _without_calls_of_unknown_tools(calls: Iterable[ToolCall | MalformedCall]) -> list[ToolCall]:
    return [c for c in calls if isinstance(c, ToolCall) and resolve_tool_name(c.name, SEVEN_TOOLS)]


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_whatever_would_run_is_found_in_every_wrapping(wrapping: str) -> None:
    for text in CORPUS:
        would_run = _without_calls_of_unknown_tools(parse_reply(text, SEVEN_TOOLS).calls)
        found = scan(WRAPPINGS[wrapping](text), SEVEN_TOOLS).calls
        assert [call for call in would_run if call not in found] == [], text


@given(text=any_text)
def test_a_call_is_found_in_every_wrapping(text: str) -> None:
    arguments = {"command": text}
    call = taught("run_command", arguments, ascii_only=True)
    for wrapped in (
        call,
        f"> {call}",
        f"# {call}",
        f"- `{call}`",
        f"```\n{call}\n```",
        f"<think>{call}</think>",
    ):
        assert ToolCall("run_command", arguments) in scan(f"first\n{wrapped}\nlast", SEVEN_TOOLS).calls
