"""What the echo guard finds in a foreign text, and what it knows that it has not found."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from text_agent.protocol.describing import describe
from text_agent.protocol.reading.candidates import KnownNames, find_candidates
from text_agent.protocol.reading.reading import Reading
from text_agent.protocol.reading.scanning import scan
from text_agent.protocol.reading.source import Source
from text_agent.protocol.types import ToolCall

# Every attempt to read one of these calls reads on to the end of the text, until no more may be read.
BUSY = "tool: x({\n" + "# tool: x({\n" * 400
OPEN_CALL = 'tool: run_command({\n  "command": "ls"\n})'
OPEN_OBJECT = '{\n  "name": "run_command",\n  "arguments": {"command": "ls"}\n}'


@pytest.mark.parametrize("text", [OPEN_CALL, OPEN_OBJECT, "tool: list_files({})"])
def test_a_text_is_read_to_its_end(text: str) -> None:
    found = scan(text, SEVEN_TOOLS)
    assert len(found.calls) == 1
    assert found.unread == frozenset()


@pytest.mark.parametrize(
    ("behind", "unread"),
    [
        (OPEN_CALL, ["run_command"]),
        (OPEN_CALL.replace("run_command", "frob"), []),
        (OPEN_OBJECT, ["run_command"]),
        (OPEN_OBJECT.replace("run_command", "frob"), []),
        ('{\n  "title": "run_command"\n}', []),
        ("It is all about run_command.", []),
    ],
)
def test_tools_that_are_named_where_no_more_is_read_are_told(behind: str, unread: list[str]) -> None:
    found = scan(f"{BUSY}\n{behind}", SEVEN_TOOLS)
    assert found.unread == frozenset(unread)


def test_a_call_in_one_line_is_read_even_there() -> None:
    found = scan(f"{BUSY}\ntool: list_files({{}})", SEVEN_TOOLS)
    assert [call.name for call in found.calls] == ["list_files"]


def search_in(scope: str, words: str) -> None: ...


ODD_TOOLS = {
    **SEVEN_TOOLS,
    "api.search": replace(describe(search_in), name="api.search"),
}


@pytest.mark.parametrize(
    "text",
    [
        'tool: api.search({"scope": "a", "words": "b"})',
        'Then tool: api.search({"scope": "a", "words": "b"}) there',
        'See [api.search(scope="a", words="b")].',
        '{"name": "api.search", "arguments": {"scope": "a", "words": "b"}}',
    ],
)
def test_a_tool_whose_name_is_no_word_is_found(text: str) -> None:
    candidates = find_candidates(Reading(Source(text), ODD_TOOLS), KnownNames(ODD_TOOLS))
    assert candidates


ARGUMENTS = '"arguments": {"path": "a"}'


@pytest.mark.parametrize(
    "text",
    [
        f'{{"name": "read_file", {ARGUMENTS}}}',
        f'{{"type": "function", "function": {{"name": "read_file", {ARGUMENTS}}}}}',
        f'{{{ARGUMENTS}, "name": "read_file"}}',
        f"{{'name': 'read_file', {ARGUMENTS}}}",
        f'{{name: "read_file", {ARGUMENTS}}}',
        f'{{"name" = "read_file", {ARGUMENTS}}}',
        f"{{\u201cname\u201d: \u201cread_file\u201d, {ARGUMENTS}}}",
        f'{{"name"\n:\n"read_file", {ARGUMENTS}}}',
        f'{{"name"/* the tool */: "read_file", {ARGUMENTS}}}',
        f'{{"name": /* the tool */ "read_file", {ARGUMENTS}}}',
        f'{{"name": # the tool\n"read_file", {ARGUMENTS}}}',
        f'{{"name": "read\\u005ffile", {ARGUMENTS}}}',
        f'{{"name": "read file", {ARGUMENTS}}}',
        f'{{"name": "functions.read_file", {ARGUMENTS}}}',
        f'{{"tool_name": "cat", {ARGUMENTS}}}',
        f'{{"name": "item", "value": 1}}\n{{"name": "read_file", {ARGUMENTS}}}',
        f'[{{"name": "item", "value": [1, {{"name": "read_file", {ARGUMENTS}}}]}}]',
        f'{{"name": "item", "value": {{"name": "read_file", {ARGUMENTS}}}',
    ],
)
def test_an_object_that_names_a_tool_is_found_however_it_does(text: str) -> None:
    assert ToolCall("read_file", {"path": "a"}) in [
        replace(call, name="read_file") for call in scan(text, SEVEN_TOOLS).calls
    ]


def test_objects_that_name_no_tool_are_not_looked_at() -> None:
    text = '{"name": "item", "value": {"name": "inner"}}\n' * 50
    assert scan(text, SEVEN_TOOLS).is_plain
    assert scan(f'{text}{{"name": "read_file"}}\n', SEVEN_TOOLS).calls == []


def test_a_call_in_a_line_with_escapes_is_found_once() -> None:
    (call,) = scan('He says \\"hi\\": tool: list_files({}) there', SEVEN_TOOLS).calls
    assert call.name == "list_files"


def test_a_call_at_the_very_end_is_not_cut() -> None:
    calls = scan("Action: run_command\nAction Input: ls", SEVEN_TOOLS).calls
    assert calls == [ToolCall("run_command", {"command": "ls"})]


def test_many_calls_in_one_line_are_read_in_linear_time() -> None:
    line = 'tool: list_files({}) and "x" ' * 5000
    start = time.process_time()
    assert len(scan(line, SEVEN_TOOLS).calls) == 1
    assert time.process_time() - start < 10


def test_matches_of_several_patterns_come_in_their_order_and_do_not_overlap() -> None:
    patterns = (re.compile("b"), re.compile(r"a\(b\)"))
    source = Source("a(b) b a(b)")
    assert [match.span() for match in source.matches(patterns, 0, 11)] == [(0, 4), (5, 6), (7, 11)]
    assert [match.span() for match in source.matches(patterns, 1, 10)] == [(5, 6)]
