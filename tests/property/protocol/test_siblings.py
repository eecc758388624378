# ruff: noqa: RUF001, E501 - a table, and the tokens of some models are made of such characters
"""Two calls in one framing, of which one is broken: the other one runs, and never with its arguments."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.reply_cases import calls_of, malformed_of
from text_agent.protocol.reading.parser import parse_reply

Call = tuple[str, dict[str, Any]]


def _object(name: str, arguments: str, key: str = "arguments") -> str:
    return f'{{"name": "{name}", "{key}": {arguments}}}'


def _api(name: str, arguments: str) -> str:
    return f'{{"id": "c1", "type": "function", "function": {_object(name, arguments)}}}'


def _python(name: str, arguments: str) -> str:
    return f"{name}({arguments})"


def _taught(name: str, arguments: str) -> str:
    return f"tool: {name}({arguments})"


# A framing of several calls: how one is written, and how two are put together.
OBJECTS: dict[str, tuple[Callable[[str, str], str], str]] = {
    "an array": (_object, "[{}, {}]"),
    "an array on lines": (_object, "[\n  {},\n  {}\n]"),
    "a Mistral array": (_object, "[TOOL_CALLS][{}, {}]"),
    "an array in tags": (_object, "<tool_call>[{}, {}]</tool_call>"),
    "an array of Granite": (_object, "<|tool_call|>[{}, {}]"),
    "an array of Phi": (_object, "functools[{}, {}]"),
    "an array of Nemotron": (_object, "<TOOLCALL>[{}, {}]</TOOLCALL>"),
    "an array in a fence": (_object, "```json\n[{}, {}]\n```"),
    "an array of the API": (_api, '{{"tool_calls": [{}, {}]}}'),
    "an array of Command R": (_object, "<|START_ACTION|>[{}, {}]<|END_ACTION|>"),
    "separated": (lambda name, arguments: _object(name, arguments, "parameters"), "<|python_tag|>{}; {}"),
    "separated, bare": (lambda name, arguments: _object(name, arguments, "parameters"), "{}; {}"),
    "lines": (_object, "{}\n{}"),
    "lines in a fence": (_object, "```json\n{}\n{}\n```"),
    "lines in tags": (_object, "<tool_calls>\n{}\n{}\n</tool_calls>"),
    "lines in one tag": (_object, "<tool_call>\n{}\n{}\n</tool_call>"),
    "openers in a row": (_object, "<tool_call>{}<tool_call>{}"),
    "openers and closers": (_object, "<tool_call>\n{}\n</tool_call>\n<tool_call>\n{}\n</tool_call>"),
    "Mistral openers": (_object, "[TOOL_CALLS]{}[TOOL_CALLS]{}"),
    "Mistral names": (lambda name, arguments: name + arguments, "[TOOL_CALLS]{}[TOOL_CALLS]{}"),
    "Mistral names and marks": (lambda n, a: f"{n}[ARGS]{a}", "[TOOL_CALLS]{}[TOOL_CALLS]{}"),
    "Kimi": (
        lambda n, a: f"<|tool_call_begin|>functions.{n}:0<|tool_call_argument_begin|>{a}<|tool_call_end|>",
        "<|tool_calls_section_begin|>{}{}<|tool_calls_section_end|>",
    ),
    "DeepSeek": (
        lambda n, a: f"<｜tool▁call▁begin｜>{n}<｜tool▁sep｜>{a}<｜tool▁call▁end｜>",
        "<｜tool▁calls▁begin｜>{}\n{}<｜tool▁calls▁end｜>",
    ),
    "Functionary": (lambda n, a: f"<function={n}>{a}</function>", "{}\n{}"),
    "taught, on lines": (_taught, "{}\n{}"),
    "taught, on one line": (_taught, "{} {}"),
    "taught, with a semicolon": (_taught, "{}; {}"),
    "taught, with words": (_taught, "{} and then {}"),
    "taught, in a fence": (_taught, "```\n{}\n{}\n```"),
}
KEYWORDS: dict[str, tuple[Callable[[str, str], str], str]] = {
    "a Python list": (_python, "[{}, {}]"),
    "a Python list on lines": (_python, "[\n    {},\n    {},\n]"),
    "LFM2": (_python, "<|tool_call_start|>[{}, {}]<|tool_call_end|>"),
    "Python lines": (_python, "<function_calls>\n{}\n{}\n</function_calls>"),
    "Llama 4": (_python, "<|python_start|>[{}, {}]<|python_end|>"),
    "Gemma": (_python, "```tool_code\n{}\n{}\n```"),
    "taught keywords": (_taught, "{}\n{}"),
    "taught keywords on one line": (_taught, "{} {}"),
}

GOOD: list[Call] = [
    ("list_files", {"path": "src"}),
    ("run_command", {"command": "ls -l"}),
    ("read_file", {"path": "b.py", "start": 2}),
]
# What a broken object holds, and what it stands for where it has one reading.
BROKEN: dict[str, tuple[str, str, dict[str, Any] | None]] = {
    "inner quotes": ("write_file", '{"path": "a.html", "content": "<a href="x">"}', {"path": "a.html", "content": '<a href="x">'}),
    "inner quotes at the end": ("run_command", '{"command": "echo "hi""}', {"command": 'echo "hi"'}),
    "inner quotes and tags": ("write_file", '{"path": "a", "content": "<p class="k">t</p>"}', {"path": "a", "content": '<p class="k">t</p>'}),
    "a word": ("read_file", "{oops}", None),
    "no quotes": ("read_file", '{"path": a.py}', None),
    "an open string": ("read_file", '{"path": "a.py}', None),
    "no value": ("read_file", '{"path": }', None),
    "no colon": ("read_file", '{"path" "a.py"}', None),
    "two values": ("read_file", '{"path": "a.py" "c.py"}', None),
    "a sum": ("run_command", '{"command": "a" + "b"}', None),
    "a key twice": ("read_file", '{"path": "a", "path": "c"}', None),
    "a value cut": ("write_file", '{"path": "a.py", "content": }', None),
}  # fmt: skip
BROKEN_KEYWORDS: dict[str, tuple[str, str, dict[str, Any] | None]] = {
    "inner quotes": ("write_file", 'path="a.html", content="<a href="x">"', {"path": "a.html", "content": '<a href="x">'}),
    "a word": ("read_file", "path=oops", None),
    "an open string": ("read_file", 'path="a.py', None),
    "no value": ("read_file", "path=", None),
    "two values": ("read_file", 'path="a.py" "c.py"', None),
    "a sum": ("run_command", 'command="a" + "b"', None),
}  # fmt: skip


def _keywords(arguments: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in arguments.items())


CASES = [
    *((f"{f} / {b}", OBJECTS[f], BROKEN[b], json.dumps) for f in OBJECTS for b in BROKEN),
    *((f"{f} / {b}", KEYWORDS[f], BROKEN_KEYWORDS[b], _keywords) for f in KEYWORDS for b in BROKEN_KEYWORDS),
]


@pytest.mark.parametrize("first", [True, False], ids=["broken first", "broken last"])
@pytest.mark.parametrize(("framing", "broken", "written"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_broken_call_does_not_touch_the_other(
    framing: tuple[Callable[[str, str], str], str],
    broken: tuple[str, str, dict[str, Any] | None],
    written: Callable[[dict[str, Any]], str],
    first: bool,
) -> None:
    write, frame = framing
    name, text, meant = broken
    for good, arguments in GOOD:
        parts = [write(name, text), write(good, written(arguments))]
        reply = parse_reply(frame.format(*(parts if first else parts[::-1])), SEVEN_TOOLS)
        found, lost = calls_of(reply), malformed_of(reply)
        allowed = [(good, arguments), *([(name, meant)] if meant is not None else [])]
        assert all(call in allowed for call in found), found
        assert len(found) + len(lost) == 2, (found, lost)
        assert [call.name for call in lost if call.name not in (name, good)] == []
        open_string = text.count('"') % 2
        if not open_string:
            assert (good, arguments) in found, (found, lost)


@pytest.mark.parametrize("text", ["<a href=", "<a href=x", "say "], ids=repr)
@pytest.mark.parametrize("framing", [*OBJECTS, *KEYWORDS])
def test_a_text_that_is_cut_does_not_go_on_in_the_next_call(framing: str, text: str) -> None:
    write, frame = OBJECTS.get(framing) or KEYWORDS[framing]
    broken = f'{{"path": "a.html", "content": "{text}'
    if framing in KEYWORDS:
        broken = f'path="a.html", content="{text}'
    written = _keywords if framing in KEYWORDS else json.dumps
    for good, arguments in GOOD:
        reply = parse_reply(
            frame.format(write("write_file", broken), write(good, written(arguments))), SEVEN_TOOLS
        )
        assert all(call == (good, arguments) for call in calls_of(reply)), calls_of(reply)
        assert malformed_of(reply)


# How a call with two arguments is written in tags: its beginning, each argument without and with its end, its end.
TAGS: dict[str, tuple[str, str, str, str]] = {
    "Qwen3-Coder": ("<tool_call>\n<function={tool}>", "<parameter={key}>{text}", "</parameter>", "</function>\n</tool_call>"),
    "Anthropic": ('<invoke name="{tool}">', '<parameter name="{key}">{text}', "</parameter>", "</invoke>"),
    "older Anthropic": ("<tool_name>{tool}</tool_name><parameters>", "<{key}>{text}", "</{key}>", "</parameters>"),
    "GLM": ("<tool_call>{tool}\n", "<arg_key>{key}</arg_key><arg_value>{text}", "</arg_value>", "</tool_call>"),
    "Cline": ("<{tool}>", "<{key}>{text}", "</{key}>", "</{tool}>"),
}  # fmt: skip


def _tags(
    shape: tuple[str, str, str, str], arguments: dict[str, str], left_out: tuple[str, ...], gap: str
) -> str:
    start, argument, end, closer = shape
    pieces = [
        argument.format(key=key, text=text) + end.format(key=key) * (key not in left_out)
        for key, text in arguments.items()
    ]
    return gap.join(
        (start.format(tool="write_file"), *pieces, closer.format(tool="write_file") * ("" not in left_out))
    )


@pytest.mark.parametrize("gap", ["", "\n", "\n\n  "], ids=["in one line", "on lines", "indented"])
@pytest.mark.parametrize("left_out", [("content",), ("path",), ("content", ""), ("path", "content")], ids=str)
@pytest.mark.parametrize("keys", [("path", "content"), ("content", "path")], ids=str)
@pytest.mark.parametrize("shape", TAGS.values(), ids=TAGS)
def test_an_argument_without_its_end_does_not_take_the_next_one(
    shape: tuple[str, str, str, str], keys: tuple[str, str], left_out: tuple[str, ...], gap: str
) -> None:
    broken, good = {"path": "a.txt", "content": "x"}, {"path": "b.txt", "content": "y"}
    parts = [
        _tags(shape, {key: broken[key] for key in keys}, left_out, gap),
        _tags(shape, {key: good[key] for key in keys}, (), gap),
    ]
    reply = parse_reply("\n".join(parts), SEVEN_TOOLS)
    for name, arguments in calls_of(reply):
        texts = {key: str(value).strip() for key, value in arguments.items()}
        assert (name, texts) in (("write_file", broken), ("write_file", good)), arguments
    assert calls_of(reply) or malformed_of(reply)
