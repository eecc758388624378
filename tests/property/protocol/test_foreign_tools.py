"""Tools of other programs, with any names and values: a call that is written is read again without loss."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.gbnf import Grammar
from text_agent.protocol.binding.bind import bind_arguments
from text_agent.protocol.grammar.grammar import reply_grammar
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.schemas import type_of
from text_agent.protocol.tool import ToolDescription
from text_agent.protocol.types import ToolCall
from text_agent.protocol.writing import render_call

TOOL_NAMES = st.sampled_from(
    [
        "mcp__server__get-thing",
        "api.search",
        "get-time",
        "-x",
        "from",
        "files/read",
        "docs:find",
        "Read",
        "jobs.run",
    ]
)
KEYS = st.sampled_from(
    [
        "-i",
        "-A",
        "from",
        "file-path",
        "content",
        "a.b",
        "class",
        "x_1",
        "API-Version",
        "lines",
        "name",
        "arguments",
    ]
) | st.from_regex(r"[a-z][a-zA-Z0-9_-]{0,8}", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12) | st.sampled_from(
    [
        "",
        "5",
        "007",
        "null",
        "true",
        "[1]",
        '{"a": 1}',
        "a\nb",
        "```\nx\n```",
        '"',
        "\\n",
        " x ",
        "12345678901234567890123",
    ]
)
# A schema, and the values that fit it.
Typed = tuple[dict[str, Any], st.SearchStrategy[Any]]


def one_of(values: list[Any]) -> Typed:
    return {"enum": values}, st.sampled_from(values)


SCALARS: st.SearchStrategy[Typed] = st.one_of(
    st.just(({"type": "string"}, TEXTS)),
    st.just(({"type": "integer"}, st.integers(-(2**80), 2**80))),
    st.just(({"type": "number"}, st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9))),
    st.just(({"type": "boolean"}, st.booleans())),
    st.just(({"type": ["integer", "null"], "default": 7}, st.none() | st.integers())),
    st.just(({"const": "fixed"}, st.just("fixed"))),
    st.just(({}, st.none() | st.booleans() | TEXTS | st.lists(st.integers(), max_size=2))),
    st.lists(TEXTS | st.integers(-9, 9), min_size=1, max_size=3, unique_by=str).map(one_of),
)


def larger(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    return st.one_of(
        inner.map(list_of), inner.map(map_of), st.dictionaries(KEYS, inner, max_size=3).flatmap(object_of)
    )


def list_of(typed: Typed) -> Typed:
    return {"type": "array", "items": typed[0]}, st.lists(typed[1], max_size=3)


def map_of(typed: Typed) -> Typed:
    return {"type": "object", "additionalProperties": typed[0]}, st.dictionaries(TEXTS, typed[1], max_size=2)


def fold(key: str) -> str:
    return key.replace("-", "").replace("_", "").casefold()


def object_of(members: dict[str, Typed]) -> st.SearchStrategy[Typed]:
    """Objects of which some members must be there; two names that differ in spelling only mean the same."""
    kept = {fold(key): (key, typed) for key, typed in members.items()}
    own = dict(kept.values())

    def made(required: set[str]) -> Typed:
        schema = {
            "type": "object",
            "properties": {key: typed[0] for key, typed in own.items()},
            "required": sorted(required),
            "additionalProperties": False,
        }
        must = {key: own[key][1] for key in required}
        may = {key: typed[1] for key, typed in own.items() if key not in required}
        return schema, st.fixed_dictionaries(must, optional=may)

    return st.sets(st.sampled_from(sorted(own))).map(made) if own else st.just(made(set()))


TYPED = st.recursive(SCALARS, larger, max_leaves=6)


@st.composite
def calls(draw: st.DrawFn) -> tuple[ToolDescription, dict[str, Any]]:
    """A tool, and arguments that fit it."""
    schema, values = draw(st.dictionaries(KEYS, TYPED, min_size=1, max_size=4).flatmap(object_of))
    tool = ToolDescription.from_schema(draw(TOOL_NAMES), "A tool.", schema)
    arguments = draw(values)
    jsonschema.validate(arguments, schema)
    return tool, arguments


def exact(value: Any) -> str:
    """A value with its types."""
    return json.dumps(value, sort_keys=True)


@settings(deadline=None, max_examples=50)
@given(call=calls())
def test_what_fits_is_bound_as_it_is(call: tuple[ToolDescription, dict[str, Any]]) -> None:
    tool, arguments = call
    assert exact(bind_arguments(arguments, tool)) == exact(arguments)


@settings(deadline=None, max_examples=50)
@given(call=calls())
def test_numbers_and_lists_and_objects_that_are_written_as_texts_are_the_same(
    call: tuple[ToolDescription, dict[str, Any]],
) -> None:
    tool, arguments = call
    written = {
        key: value if isinstance(value, str) or tool.takes(key, "string") else json.dumps(value)
        for key, value in arguments.items()
    }
    assert exact(bind_arguments(written, tool)) == exact(arguments)


FORMS: dict[str, Callable[[str, str], str]] = {
    "json": lambda name, arguments: f'{{"name": {json.dumps(name)}, "arguments": {arguments}}}',
    "string": lambda name, arguments: json.dumps({"name": name, "arguments": arguments}),
    "hermes": lambda name, arguments: (
        f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'
    ),
    "openai": lambda name, arguments: json.dumps(
        {"tool_calls": [{"type": "function", "function": {"name": name, "arguments": arguments}}]}
    ),
    "mistral": lambda name, arguments: f"[TOOL_CALLS]{name}{arguments}",
    "kimi": lambda name, arguments: (
        f"<|tool_call_begin|>functions.{name}:0<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"
    ),
    "harmony": lambda name, arguments: (
        f"<|channel|>commentary to=functions.{name} <|message|>{arguments}<|call|>"
    ),
    "action": lambda name, arguments: f"Action: {name}\nAction Input: {arguments}",
    "line": lambda name, arguments: f"Tool call: {name}({arguments})",
    "bare": lambda name, arguments: f"{name}({arguments})",
    "below": lambda name, arguments: f"{name}\n{arguments}",
}


def read(text: str, tool: ToolDescription) -> dict[str, Any]:
    (call,) = parse_reply(text, {tool.name: tool}).calls
    assert isinstance(call, ToolCall), call
    assert call.name == tool.name
    return bind_arguments(call.arguments, tool)


@settings(deadline=None, max_examples=50)
@given(call=calls())
def test_a_call_that_is_written_is_read_again(call: tuple[ToolDescription, dict[str, Any]]) -> None:
    tool, arguments = call
    for tools in ({tool.name: tool}, None):
        assert exact(read(render_call(tool.name, arguments, tools), tool)) == exact(arguments)


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=15)
@given(call=calls())
def test_a_call_in_json_is_read_again(form: str, call: tuple[ToolDescription, dict[str, Any]]) -> None:
    tool, arguments = call
    # Without a prefix and without arguments, a word may be one of a sentence.
    assume(arguments or form not in ("bare", "below"))
    assert exact(read(FORMS[form](tool.name, json.dumps(arguments)), tool)) == exact(arguments)


def in_tags(before: str, key: str, after: str) -> Callable[[str, dict[str, str]], str]:
    """A form with one tag for each argument, and line breaks around its text."""

    def written(name: str, arguments: dict[str, str]) -> str:
        members = "".join(
            f"{key.format(key=each)}\n{text}\n{after.format(key=each)}\n" for each, text in arguments.items()
        )
        begin, end = before.format(name=name).split("|||")
        return f"{begin}\n{members}{end}"

    return written


TAG_FORMS = {
    "function": in_tags("<function={name}>|||</function>", "<parameter={key}>", "</parameter>"),
    "invoke": in_tags('<invoke name="{name}">|||</invoke>', '<parameter name="{key}">', "</parameter>"),
    "glm": in_tags("<tool_call>{name}|||</tool_call>", "<arg_key>{key}</arg_key><arg_value>", "</arg_value>"),
    "name": in_tags("<tool_use><name>{name}</name>|||</tool_use>", "<{key}>", "</{key}>"),
    "cline": in_tags("<{name}>|||</{name}>", "<{key}>", "</{key}>"),
}


@pytest.mark.parametrize("form", TAG_FORMS)
@settings(deadline=None, max_examples=15)
@given(call=calls())
def test_a_call_in_tags_is_read_again(form: str, call: tuple[ToolDescription, dict[str, Any]]) -> None:
    tool, arguments = call
    # A text has no type in a tag, and ends at the next one.
    told = {
        key: value
        for key, value in arguments.items()
        if isinstance(value, str) or not tool.takes(key, "string")
    }
    told = {key: value for key, value in told.items() if "<" not in exact(value)}
    # No tag has such a name, and this form has tags of its own.
    assume(told and (form != "cline" or tool.name[0] != "-") and (form != "name" or "arguments" not in told))
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in told.items()}
    (call_read,) = parse_reply(TAG_FORMS[form](tool.name, texts), {tool.name: tool}).calls
    assert isinstance(call_read, ToolCall), call_read
    free = ToolDescription.from_schema(tool.name, "", {**tool.parameters, "required": []})
    assert exact(bind_arguments(call_read.arguments, free)) == exact(told)


@settings(deadline=None, max_examples=8)
@given(call=calls())
def test_the_grammar_takes_every_call_in_the_order_of_the_schema(
    call: tuple[ToolDescription, dict[str, Any]],
) -> None:
    tool, arguments = call
    ordered = in_order(arguments, tool.parameters)
    # The grammar has no more digits than every reader takes for exact.
    numbers = [str(each) for each in scalars(ordered) if type_of(each) in ("number", "integer")]
    assume(all(len(number) < 15 and "e" not in number for number in numbers))
    grammar = Grammar(reply_grammar({tool.name: tool}))
    assert grammar.accepts(f"tool: {tool.name}({json.dumps(ordered, ensure_ascii=False)})")


def in_order(value: Any, schema: Any) -> Any:
    """The members of all objects in the order of their schemas."""
    if isinstance(value, list):
        return [in_order(each, schema.get("items", {})) for each in value]
    if not isinstance(value, dict):
        return value
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    keys = [key for key in properties if key in value] + [key for key in value if key not in properties]
    return {key: in_order(value[key], properties.get(key, others)) for key in keys}


def scalars(value: Any) -> list[Any]:
    if isinstance(value, list | dict):
        members = value.values() if isinstance(value, dict) else value
        return [each for member in members for each in scalars(member)]
    return [value]
