# ruff: noqa: E501, RUF001 - a table, and the tokens of some models are made of such characters
"""Tools and parameters with names that Python would not take, and names that are words of the language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.foreign_tools import TEXT, WHOLE, obj, tool
from tests.support.gbnf import Grammar
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.binding.bind import bind_arguments
from text_agent.protocol.grammar.grammar import reply_grammar
from text_agent.protocol.guard.echo import EchoGuard
from text_agent.protocol.guard.neutralising import neutralise, restore
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.scanning import scan
from text_agent.protocol.tool import ToolDescription
from text_agent.protocol.types import ToolCall
from text_agent.protocol.writing import render_call

PROPERTIES = {"from": TEXT, "-i": {"type": "boolean"}, "file-path": TEXT, "a.b": TEXT, "x": WHOLE}
ARGUMENTS: dict[str, Any] = {"from": "a b", "-i": True, "file-path": "x/y", "a.b": "v", "x": 5}
TEXTS = {key: value if isinstance(value, str) else json.dumps(value) for key, value in ARGUMENTS.items()}
NAMES = (
    *("mcp__server__get-thing", "api.search", "file-path", "-i", "from", "files/read", "docs:find", "9lives"),
    *("jobs.run", "tools.call", "read", "task", "Edit"),
)
TOOLS = {name: tool(name, obj("from", **PROPERTIES)) for name in NAMES}
J = json.dumps(ARGUMENTS)


def tags(opener: str, closer: str) -> str:
    return "".join(f"{opener.format(key)}{text}{closer.format(key)}\n" for key, text in TEXTS.items())


FORMS: Mapping[str, str] = {
    "taught": f"tool: NAME({J})",
    "keywords": f"tool: NAME({', '.join(f'{key}={value!r}' for key, value in ARGUMENTS.items())})",
    "label": f"**Tool call:** `NAME`({J})",
    "action": f"Action: NAME\nAction Input: {J}",
    "action call": f"Action: NAME({J})",
    "json": f'{{"name": "NAME", "arguments": {J}}}',
    "openai": json.dumps({"tool_calls": [{"function": {"name": "NAME", "arguments": J}}]}),
    "hermes": f'<tool_call>{{"name": "NAME", "arguments": {J}}}</tool_call>',
    "mistral": f"[TOOL_CALLS]NAME[ARGS]{J}",
    "kimi": f"<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{J}<|tool_call_end|>",
    "harmony": f"<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{J}<|call|>",
    "gemma": f"<|tool_call>call:NAME{J}<tool_call|>",
    "deepseek": f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\n{J}\n```<｜tool▁call▁end｜>",
    "qwen agent": f"✿FUNCTION✿: NAME\n✿ARGS✿: {J}",
    "qwen": f"<tool_call>\n<function=NAME>\n{tags('<parameter={}>', '</parameter>')}</function>\n</tool_call>",
    "invoke": f'<invoke name="NAME">\n{tags("<parameter name={!r}>", "</parameter>")}</invoke>',
    "tool name": f"<tool_use><tool_name>NAME</tool_name>\n<parameters>{tags('<{}>', '</{}>')}</parameters></tool_use>",
    "glm": f"<tool_call>NAME\n{tags('<arg_key>{}</arg_key><arg_value>', '</arg_value>')}</tool_call>",
    "cline": f"<NAME>\n{tags('<{}>', '</{}>')}</NAME>",
    "python": f"[NAME({', '.join(f'{key}={value!r}' for key, value in ARGUMENTS.items())})]",
    "bare": f"NAME({J})",
    "below": f"NAME\n{J}",
    "fenced": f"```\nNAME({J})\n```",
}
# No tag may have such a name.
NO_TAGS = ("-i", "9lives")


CASES = [(form, name) for form in FORMS for name in NAMES if form != "cline" or name not in NO_TAGS]


@pytest.mark.parametrize(("form", "name"), CASES)
def test_a_call_is_read_in_every_form(form: str, name: str) -> None:
    (call,) = parse_reply(FORMS[form].replace("NAME", name), TOOLS).calls
    assert isinstance(call, ToolCall), call
    assert (call.name, bind_arguments(call.arguments, TOOLS[name])) == (name, ARGUMENTS)


@pytest.mark.parametrize(("form", "name"), CASES)
def test_the_guards_know_the_same_call(form: str, name: str) -> None:
    text = f"A file.\n{FORMS[form].replace('NAME', name)}\n"
    found = [(resolve_tool_name(call.name, TOOLS), call.arguments) for call in scan(text, TOOLS).calls]
    assert (name, ARGUMENTS) in [(known, bind_arguments(given, TOOLS[name])) for known, given in found]
    shown = neutralise(text, TOOLS)
    assert parse_reply(shown, TOOLS).calls == []
    assert restore(shown) == text
    guard = EchoGuard(TOOLS)
    guard.remember(text)
    assert guard.is_echo(ToolCall(name, ARGUMENTS), "")
    assert not guard.is_echo(ToolCall(name, {**ARGUMENTS, "x": 6}), "")


@pytest.mark.untraced
@pytest.mark.parametrize("name", NAMES)
def test_the_grammar_takes_the_call_and_no_look_alike(name: str) -> None:
    grammar = Grammar(reply_grammar({name: TOOLS[name]}))
    assert grammar.accepts(render_call(name, ARGUMENTS, TOOLS))
    assert grammar.accepts("I read the docs and edit the task from there.")
    assert not grammar.accepts(f"{name}({J})")


WORDS: dict[str, ToolDescription] = {
    "read": tool("read", obj("path", path=TEXT, offset=WHOLE)),
    "Task": tool("Task", obj("prompt", prompt=TEXT, n=WHOLE)),
    "edit": tool("edit", obj("path content", path=TEXT, content=TEXT)),
    "list": tool("list", obj("", path=TEXT)),
}
SENTENCES = (
    *(
        "read (2)",
        "read(2)",
        "1. read (2)",
        "- edit (1, 2)",
        "edit(1, 2)",
        "Task (1)",
        "**Task** (1)",
        "list (1)",
    ),
    *(
        "read ('the docs')",
        'edit ("a", "b")',
        "list()",
        "list ()",
        "[read(2)]",
        "See [read (2)].",
        "Task (see below)",
    ),
    *(
        "Task {\n",
        "edit(path)",
        "list (true)",
        "Task: write it",
        "- edit: a file",
        "Read the file.",
        "read, edit (2)",
    ),
)


@pytest.mark.parametrize("text", SENTENCES)
def test_words_of_a_sentence_are_no_calls(text: str) -> None:
    assert parse_reply(text, WORDS).calls == []
    assert neutralise(text, WORDS) == text


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('read("a.txt")', "read", {"path": "a.txt"}),
        ('read(path="a.txt")', "read", {"path": "a.txt"}),
        ('Task ({"prompt": "x"})', "Task", {"prompt": "x"}),
        ('edit {"path": "a"}\n```\nx\n```', "edit", {"path": "a", "content": "x"}),
        ("tool: Task (1)", "Task", {"prompt": 1}),
        ("tool: list()", "list", {}),
    ],
)
def test_what_can_only_be_a_call_is_one(text: str, name: str, arguments: dict[str, Any]) -> None:
    assert parse_reply(text, WORDS).calls == [ToolCall(name, arguments)]


@pytest.mark.parametrize("name", ["5", "2-3", "--", "a b"])
def test_what_is_no_name_is_none(name: str) -> None:
    assert parse_reply(f"tool: {name}(x)", TOOLS).calls == []
