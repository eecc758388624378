from __future__ import annotations

import json
import re
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.described_tools import SEVEN_TOOLS, described
from tests.support.foreign_tools import FOREIGN_TOOLS, obj
from tests.support.gbnf import Grammar
from text_agent.protocol.grammar.automaton import line_rules
from text_agent.protocol.grammar.grammar import reply_grammar
from text_agent.protocol.tool import ToolDescription

GRAMMAR = Grammar(reply_grammar(SEVEN_TOOLS))


@pytest.mark.parametrize(
    "text",
    [
        "Hello! I am ready.",
        "Die Größe beträgt 3 °C – „schön“, nicht wahr?\n",  # noqa: RUF001
        "你好，世界。工具：很好。",  # noqa: RUF001
        "# Heading\n\n- one\n- [x] two\n  1. nested\n\n---\n\n**Bold** `code`, `List<String>` and <div>.\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n> tool: quoted\n> more",
        "Tools are good. The tool: a hammer.\nUser accounts are stored.\nActions follow.",
        "Use `a < b && c > d`, std::vector<std::string>, <https://example.org> or x[i].",
        '{"answer": 42}',
        "1. Do this:\n   ```bash\n   pip install x\n   ```\n2. Then:\n\n    ```\n    x\n    ```\n\nDone.",
        "```html\n<!DOCTYPE html>\n<html></html>\n```",
        '```python\nprint("x")\n```\n\n```json\n{\n  "name": "app"\n}\n```\n\n```json\n[{"name": "b"}]\n```',
        "````markdown\nHere:\n```\ncode\n```\n````",
        "````\nOne\n```text\ntool: none\n```\n````",
        "<think>\nA tool: read_file( would do < that.\n</think>\n\nHello.",
        "I shall look.\n</think>\n\ntool: list_files({})",
        'I read.\n\ntool: list_files({})\ntool: search({"pattern":"x","glob":null})\n\nThen:\n```\nx\n```',
        'tool: write_file({"path": "a.py"})\n```python\nprint("hello")\n\n```\n',
        'tool: write_file({"path": "a.md"})\n````\n```\nx\n```\n````',
        'tool: write_file({"path": "a", "content": "\\"\\u00e9\\n"})',
        "tool: run_command({})\n```bash\nls\n```",
    ],
)
def test_what_models_write_is_accepted(text: str) -> None:
    assert GRAMMAR.accepts(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        'tool: unknown({"path": "a"})',
        "tool: read_file({'path': 'a'})",
        'tool: read_file({"path": 1})',
        'tool: read_file({"file": "a"})',
        'tool: read_file({"path": "a"',
        'tool: read_file({"path": "a"}) now',
        'tool: read_file({"path": "a",   "start": 1})',
        "tool: read_file({})",
        "tool: read_file",
        "The call:\n- **Tool**: x",
        'read_file({"path": "a"})',
        'print(default_api.read_file(path="a"))',
        '{"name": "read_file", "arguments": {}}',
        '```json\n{\n  "name": "read_file"\n}\n```',
        '```\ntool: read_file({"path": "a"})\n```',
        "It is <tool_call> here",
        "Action: read_file",
        'tool: read_file({"path": "a"})\n\n```\ninvented\n```',
        'tool: read_file({"path": "a"})\ntool_result(read_file #1 ok):\nx',
        'tool: read_file({"path": "a"})\nUser: thanks',
        'tool: write_file({"path": "a"})',
        'tool: write_file({"path": "a"})\n```\nx',
        "```\nnever closed",
        "a\n\n\n\n\nb",
        "a\rb",
    ],
)
def test_what_the_parser_would_not_take_as_it_stands_is_not_accepted(text: str) -> None:
    assert not GRAMMAR.accepts(text)


def many_kinds(
    flag: bool,
    ratio: float,
    mode: Literal["fast", "safe"],
    anything: Any,
    mapping: dict[str, int],
    items: list,  # type: ignore[type-arg]
    number: int | None = None,
    foreign: Any = "",
    *words: str,
) -> None: ...


def nothing() -> None: ...


@pytest.mark.parametrize(
    ("changed", "is_accepted"),
    [
        ({}, True),
        ({"flag": False, "ratio": -1.5e10, "mode": "safe", "number": None}, True),
        ({"ratio": 3, "anything": [{"a": [1, "b", True, None]}], "items": [1, []]}, True),
        ({"foreign": "text"}, True),
        ({"flag": 1}, False),
        ({"ratio": "1"}, False),
        ({"mode": "slow"}, False),
        ({"mapping": []}, False),
        ({"items": {}}, False),
        ({"number": 1.5}, False),
        ({"number": 10**30}, False),
        ({"words": []}, False),
    ],
)
def test_values_are_those_of_the_annotations(changed: dict[str, Any], is_accepted: bool) -> None:
    usual = {"flag": True, "ratio": 0.5, "mode": "fast", "anything": {}, "mapping": {"a": 1}, "items": []}
    grammar = Grammar(reply_grammar(described(many_kinds, nothing)))
    assert grammar.accepts(f"tool: many_kinds({json.dumps({**usual, **changed})})") is is_accepted
    assert grammar.accepts("tool: nothing({})")


def test_without_tools_there_is_no_grammar() -> None:
    assert reply_grammar({}) == ""


PATTERNS = (r"(?i)[ \-]*(?:tool|ki)x?[b-d:]+", r"ab*\.\u0061", r"(?:c|dd)*\n")
ANYWHERE = (r"<[|!]", r"</?(?:ab|ac)*c")


@pytest.mark.untraced
@given(line=st.text(st.sampled_from("toTOLlxXkK\u212aiIb-dc: a.<|!/"), max_size=12) | st.text(max_size=5))
def test_lines_are_those_in_which_no_pattern_matches(line: str) -> None:
    rules = line_rules("root", PATTERNS, ANYWHERE)
    accepted = Grammar("\n".join(f"{name} ::= {body}" for name, body in rules.items())).accepts(line)
    whole = line + "\n"
    matches = any(re.match(pattern, whole) for pattern in PATTERNS) or any(
        re.search(pattern, whole) for pattern in ANYWHERE
    )
    plain = all(one == "\t" or " " <= one not in "\x7f\x85\u1680\u2028\u2029\u205f\ufeff" for one in line)
    assert accepted is (plain and not matches)


@pytest.mark.parametrize(
    ("name", "arguments", "is_accepted"),
    [
        (
            "api.tree",
            {"root": {"title": "a", "parent": None, "children": [{"title": "b"}]}},
            True,
        ),
        ("api.tree", {"root": {"title": "a"}, "weights": {"b": 1}, "version": 2}, True),
        ("api.tree", {"root": {"title": "a", "kind": "other"}}, False),
        ("api.tree", {"root": {"title": "a", "children": [{}]}}, False),
        ("api.tree", {"root": {"title": "a"}, "weights": {"b": "1"}}, False),
        (
            "github.list_issues",
            {"owner": "a", "repo": "b", "filter": {"milestone": None}},
            True,
        ),
        ("github.list_issues", {"owner": "a", "repo": "b", "filter": {"status": "opne"}}, False),
        ("edit_file", {"path": "a", "edits": [{"oldText": "b", "newText": "c"}]}, True),
        ("edit_file", {"path": "a", "edits": [{"oldText": "b"}]}, False),
        ("Grep", {"pattern": "a", "-i": True, "from": "b"}, True),
    ],
)
def test_values_are_those_of_the_schema_at_every_depth(
    name: str, arguments: dict[str, Any], is_accepted: bool
) -> None:
    grammar = Grammar(reply_grammar({name: FOREIGN_TOOLS[name]}))
    assert grammar.accepts(f"tool: {name}({json.dumps(arguments)})") is is_accepted


def test_a_schema_without_an_end_gives_a_grammar_with_one() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for number in range(300):
        schema = obj("x", x=schema, **{f"y{number}": {"type": "null"}})
    rules = reply_grammar({"t": ToolDescription.from_schema("t", "", obj("x", x=schema))})
    assert rules.count("\nvalue-") == 40
