"""What the grammar accepts is well-formed, and what is well-formed it accepts."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.gbnf import Grammar
from tests.support.hostile_text import hostile_text
from text_agent.protocol.binding.bind import binds
from text_agent.protocol.grammar.grammar import reply_grammar
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.types import ParsedReply, ToolCall
from text_agent.protocol.writing import render_call

GRAMMAR = Grammar(reply_grammar(SEVEN_TOOLS))
any_text = hostile_text | st.text()
# Of what calls and their look-alikes are made.
FRAGMENTS = st.sampled_from(
    [
        *("- ", "* ", "1. ", "# ", "a) ", "**", "`", "_", "  ", "\t", "\u3000", "```", "````", "~~~", "> "),
        *(
            "tool",
            "Tool",
            "tool call",
            "tools",
            "Action",
            "Action Input",
            "tool_result(",
            "Observation",
            "User",
        ),
        *("read_file", "search", "list_files", "print(", "functions.", "default_api.", "functools[", "to="),
        *(
            ":",
            ": ",
            "(",
            "({",
            "{",
            "[",
            "[{",
            ")",
            "}",
            "]",
            '"',
            "'",
            "=",
            ",",
            ";",
            ".",
            "a",
            "x ",
            "words ",
        ),
        *('{"path": "a"}', '({"path": "a"})', "({})", '"name": "read_file"', '"arguments": {', '"tool"'),
        *(
            "<",
            "</",
            ">",
            "<|",
            "|>",
            "think",
            "<think>",
            "</think>",
            "tool_call>",
            "function=",
            "invoke name=",
        ),
        *("<read_file>", "<path>", "<!--", "-->", "[TOOL_CALLS]", "[THINK]", "[INST]", "analysis", "We "),
        *(
            "\n",
            "\n\n",
            "\n```\n",
            "\n```json\n",
            "\n````\n",
            "For example:\n",
            "{\n",
            "read_file\n",
            "\nend",
        ),
        *('\ntool: read_file({"path": "a"})\n', '\ntool: edit_file({"path": "a", "old_str": ""})\n```\n'),
    ]
)


def assert_well_formed(text: str) -> ParsedReply:
    parsed = parse_reply(text, SEVEN_TOOLS)
    for call in parsed.calls:
        assert isinstance(call, ToolCall), call
        assert not call.repairs, call
        assert binds(call.name, call.arguments, SEVEN_TOOLS), call
    assert parsed.invented_at is None
    return parsed


@given(seed=st.integers(0, 2**64), length=st.integers(10, 300))
def test_whatever_the_grammar_accepts_is_well_formed(seed: int, length: int) -> None:
    text, used = GRAMMAR.sample(Random(seed), length=length)
    assert GRAMMAR.accepts(text)
    assert len(assert_well_formed(text).calls) == used["call"] + used["texted"]


@settings(max_examples=300)
@given(parts=st.lists(FRAGMENTS, min_size=1, max_size=8))
def test_no_look_alike_of_a_call_is_accepted(parts: list[str]) -> None:
    text = "".join(parts)
    if GRAMMAR.accepts(text):
        assert_well_formed(text)


texts = any_text.filter(lambda text: "````" not in text)
arguments_of: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "read_file": st.fixed_dictionaries(
        {"path": texts}, optional={"start": st.integers(-9, 10**9), "end": st.none() | st.integers(0, 10**9)}
    ),
    "list_files": st.fixed_dictionaries({}, optional={"path": texts, "pattern": st.none() | texts}),
    "edit_file": st.fixed_dictionaries({"path": texts, "old_str": texts, "new_str": texts}),
    "write_file": st.fixed_dictionaries({"path": texts, "content": texts}),
    "search": st.fixed_dictionaries({"pattern": texts}, optional={"path": texts, "glob": texts}),
    "run_command": st.fixed_dictionaries({"command": texts}, optional={"timeout": st.integers(0, 999)}),
    "update_plan": st.fixed_dictionaries(
        {"steps": st.lists(texts)}, optional={"done": st.lists(st.integers(0, 99))}
    ),
}


@given(data=st.data(), name=st.sampled_from(sorted(arguments_of)))
def test_every_call_is_accepted_in_the_form_that_is_taught(data: st.DataObject, name: str) -> None:
    arguments: dict[str, Any] = data.draw(arguments_of[name])
    ordered = {key: arguments[key] for key in SEVEN_TOOLS[name].properties if key in arguments}
    assume(not _has_lone_marks(ordered))
    for tools in (SEVEN_TOOLS, None):
        call = render_call(name, ordered, tools)
        text = f"I do it.\n\n{call}\n\nIt is done."
        assert GRAMMAR.accepts(text), text
        assert parse_reply(text, SEVEN_TOOLS).calls == [ToolCall(name, ordered)]
    compact = json.dumps(ordered, separators=(",", ":"))
    assert GRAMMAR.accepts(f"tool: {name}({compact})")


def _has_lone_marks(arguments: dict[str, Any]) -> bool:
    """Whether a text has a line that no block may hold: only marks with a token of a template behind."""
    return any("```" in str(value) and "<" in str(value) for value in arguments.values())
