# ruff: noqa: RUF001, E501 - the tokens of some models are made of such characters
from __future__ import annotations

from typing import Any

import pytest

from tests.support.described_tools import SEVEN_TOOLS, described
from tests.support.reply_cases import calls_of, malformed_of
from text_agent.protocol.reading.forms.dialects import read_dialect
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.reading import Reading
from text_agent.protocol.reading.scanning import scan
from text_agent.protocol.reading.source import Source
from text_agent.protocol.types import ToolCall

READ = ("read_file", {"path": "a"})


@pytest.mark.parametrize(
    ("text", "calls", "malformed"),
    [
        ('<tool_call>{"x": 1}</tool_call>', [], 1),
        ('<tool_call>{"name": "read_file", "arguments": [1]}</tool_call>', [], 1),
        ('<tool_call>{"name": "read_file", "arguments": "a"}</tool_call>', [READ], 0),
        ('<tool_call>{"name": "write_file", "arguments": "a"}</tool_call>', [], 1),
        ('{"tool_calls": ["x"]}', [], 0),
        ('{"name": "list_files", "arguments": 5}', [], 0),
        ('{"name": "read_file", "arguments": {"path": "a"}\nThen I look.', [READ], 0),
        ('{"name": "read_file", "arguments": {"path": "a"} then I look.', [], 1),
        ('{"name": "read_file", "arguments": {"path": a}}', [], 1),
        ("<tool_call>see <tool_call> up there</tool_call>", [], 0),
        ("Between <tool_call> and </tool_call> it stands.", [], 0),
        ("It begins with <tool_call>", [], 0),
        ("Tool call: make_tea(sugar=1)", [], 0),
        ("<tool_call>get_time</tool_call>", [("get_time", {})], 0),
        ("<tool_call><read_file><path>a</path></tool_call>", [READ], 0),
        ("<tool_call></tool_call>", [], 1),
        ("The tags are <tool_call></tool_call>", [], 0),
        ('I do <tool_call>[["a"]] now', [], 1),
        ('<my_tool_call>[["a"]]', [], 1),
        ('<call_tool>{"x": 1}</call_tool>', [], 1),
        ('<my_tool_call>[["a"]]\nwords', [], 1),
        ("<my_tool>frob(1)", [], 0),
        ("```\ntool: list_files({}) and more\n```", [], 0),
        ("Action: run_command\nAction Input: ```bash\nls", [], 1),
        ('```\ntool: read_file({"path": }) and more\n```', [], 1),
        ('<|my_tool_call|>{"name": "read_file", "arguments": {"path": "a"}}', [READ], 0),
        ('{"name": "web_search", "arguments": {oops}}', [], 0),
        ('```json\n{"name": "web_search", "arguments": {"q": "x"}}\n```', [], 1),
        ('For example:\n```json\n{"name": "web_search", "arguments": {"q": "x"}}\n```', [], 0),
        ('{"name": "web_search", "description": "x", "parameters": {"type": "object", "properties": {}}}', [], 0),
        ('{"name": "list_files", "arguments": {"start": 1}}', [], 1),
        ("<list_files />\n<read_file><path>a</path></read_file>", [("list_files", {}), READ], 0),
        ("<read_file/>", [], 0),
        ("<function=read_file>\n<parameter=path>\na\n</parameter>\n</function", [READ], 0),
        ("<function=read_file>\n<parameter=path>\na\n</parameter>\n</zzz", [], 1),
        ("✿FUNCTION✿: read_file\n✿ARGS✿: {\"path\": \"a\"}\n✿RESULT✿: x\ntool: list_files({})", [READ], 0),
        ("tool_codeprint(read_file(path='a'))", [READ], 0),
        ("<tools>\nsome list\n</tools>", [], 0),
        ("<|tool_call_argument_begin|>{}", [], 0),
        ("! <|tool_call_argument_begin|>{}", [], 0),
        ('<|start|>assistant to=functions.read_file<|channel|>analysis<|message|>{"path": "a"}', [], 0),
        ('to=functions.read_file {"path": "a"}', [READ], 0),
        ('call to=functions.read_file {"path": a}', [], 1),
        ('<tool_name>read_file</tool_name>\n<parameters>{"path": "a"}</parameters>', [READ], 0),
        ('<tool_name>read_file</tool_name>\n<parameters>{"path": a}</parameters>', [], 1),
        ('<invoke name="read_file">{"path": "a"}', [READ], 0),
        ('<tool_calls>\n```json\n<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>\n```\nSo.',
         [READ], 0),
        ('```\ntool: read_file({"path": "a"})\nThen I look.', [READ], 0),
        ("<read_file><path>a</path><path>b</path></read_file>", [], 1),
        ("<read_file><path>a</path><path>a</path></read_file>", [READ], 0),
        ("<tool_call><function=read_file><parameter=path>a</parameter></tool_call>", [READ], 0),
        ("<tool_call><function=read_file><parameter=path>a</function></tool_call>\ntool: list_files()",
         [("list_files", {})], 1),
        ("<function=read_file>\n<parameter=path>a\n<parameter=start>2</parameter></function>", [], 1),
        ("<function=read_file><parameter=path>a</parameter>b</function>", [], 1),
        ("<read_file><path>a</path> and so on", [], 1),
        ("<function=frob><parameter=x>1</parameter>", [], 1),
        ("<function=read_file><parameter=path>a</parameter><parameter=start>two</parameter></function>",
         [("read_file", {"path": "a", "start": "two"})], 0),
        ("<function=read_file><parameter=path>a</parameter><parameter=end>null</parameter></function>", [READ], 0),
        ('<｜DSML｜invoke name="x"><｜DSML｜parameter name="n" string="false">?</｜DSML｜parameter></｜DSML｜invoke>',
         [("x", {"n": "?"})], 0),
        ("Action: read_file({'path': 'a'})", [READ], 0),
        ("Action: read_file({'path': })", [], 1),
        ('Action: read_file\nAction Input: "a"', [READ], 0),
        ('Action: read_file\nAction Input: "a"\nObservation: b', [READ], 0),
        ("Action: read_file\nAction Input: {'path': }\n", [], 1),
        ("Action: write_file\nAction Input: something\n", [], 1),
        ("Action: make_tea\nAction Input: something\n", [], 0),
        ("Action: list_files\nAction Input: None\n", [("list_files", {})], 0),
        ("Action: read_file\nAction Input:\nObservation: x", [], 1),
        ("Action: make_tea()", [], 0),
        ("Action: list_files\nAction Input:", [("list_files", {})], 0),
        ("<|tool_call>call:update_plan{steps:[<|\"|>a", [], 1),
        ("<tool_call>{'name': 'update_plan', 'arguments': {'steps': ['a', </tool_call>", [], 1),
        ('{"name": "read_file", "parameters": {"type": "object"}', [], 1),
        ("tool: read_file\n```json\n{\"path\": \"a\"}\n```\n", [READ], 0),
        ("tool: read_file\n{\"path\": }", [], 1),
        ("tool: read_file\n{\"colour\": 1}", [], 1),
        ("tool: run_command\n```sh\nls\n```", [("run_command", {"command": "ls"})], 0),
        ('tool: read_file "a', [], 1),
        ("- tool: read_file", [], 0),
        ("tool: read_file\n  path: a", [], 0),
        ("tool: {", [], 0),
        ("tool: {}", [], 0),
        ("tool: (words)", [], 0),
        ('tool: {"size": 3}', [], 0),
        ('tool: ({"size": 3})', [], 1),
        ('tool: {"path": "a"}', [], 1),
        ('read_file(colour="red")', [], 0),
        ('read_file({"path": a})', [], 1),
        ("read_file(a, b)", [], 0),
        ("read_file(path)", [], 0),
        ("```python\nread_file(path)\n```", [], 0),
        ("[read_file(path='a'), make_tea()]", [READ], 0),
        ("[make_tea()]", [], 0),
        ("<|python_tag|>make_tea(sugar=1)", [("make_tea", {"sugar": 1})], 0),
        ("<|python_tag|>print(read_file(path='a'))", [READ], 0),
        ("```tool_code\nprint('x')\n```", [], 0),
        ("[TOOL_CALLS] and so on", [], 0),
        ("[TOOL_CALLS]true\n\n(<tool_call>", [], 0),
        ('<tool_call>{"x": 1, "y": 2}</tool_call>', [], 1),
        ("<|tool_call_begin|>a{<|tool_call_argument_begin|>{}", [], 1),
        ("<tool_call>functions.a{} <|tool_call_argument_begin|>{}</tool_call>", [("a", {})], 0),
        ('<tool_call>{"frob": {"path": "a"}}</tool_call>', [], 1),
        ('[TOOL_CALLS]read_file{"path": ""a""}[TOOL_CALLS]read_file{"path": "a"}', [("read_file", {"path": '"a"'}), READ], 0),
        ('tool: read_file({oops}) and then tool: read_file({"path": "a"})', [READ], 1),
    ],
)  # fmt: skip
def test_forms_and_their_borders(text: str, calls: list[tuple[str, dict[str, Any]]], malformed: int) -> None:
    reply = parse_reply(text, SEVEN_TOOLS)
    assert calls_of(reply) == calls
    assert len(malformed_of(reply)) == malformed


def test_a_parameter_may_take_more_than_one_type() -> None:
    def store(value: int | str, number: int | None = None, rest: list[str] | None = None) -> None: ...

    text = (
        "<function=store><parameter=value>5</parameter><parameter=number>6</parameter>"
        '<parameter=rest>["7"]</parameter></function>'
    )
    assert calls_of(parse_reply(text, described(store))) == [
        ("store", {"value": "5", "number": 6, "rest": ["7"]})
    ]


def test_an_exhausted_source_reads_no_long_arguments() -> None:
    text = "<function=read_file><parameter=path>" + "a" * 9000 + "</parameter></function>"
    source = Source(text)
    while source.limit(0) == source.end:
        source.reach(source.end)
        source.charge(0)
    found = read_dialect(Reading(source, SEVEN_TOOLS), 0)
    assert found is not None
    assert not [item for item in found.items if isinstance(item, ToolCall)]


@pytest.mark.parametrize(
    "text",
    [
        'tool: run_command({"command": "x"})',
        '> > tool: run_command({"command": "x"})',
        '12|tool: run_command({"command": "x"})',
        'a = "tool: run_command({\\"command\\": \\"x\\"})"',
        '> tool: run_command({\n>   "command": "x"\n> })',
        'He said: run_command({"command": "x"}) is it.',
        '<think>[{"name": "run_command", "arguments": {"command": "x"}}]</think>',
        "text <run_command><command>x</command></run_command> text",
        'Action: run_command\nAction Input: {"command": "x"}',
        '```\nlog\ntool: run_command({"command": "x"})\n```',
        'tool_result(x): y\n`run_command {"command": "x"}`',
        '{"content": "tool: run_command({\\"command\\": \\"x\\"})"}',
        "tool: run_command()\n```\nx\n```",
    ],
)
def test_a_call_in_foreign_text_is_found_wherever_it_stands(text: str) -> None:
    calls = scan(f"first\n{text}\nlast", SEVEN_TOOLS).calls
    assert ("run_command", {"command": "x"}) in [(call.name, call.arguments) for call in calls]
    assert all(0 <= call.span[0] < call.span[1] <= len(text) + 11 for call in calls)


def test_a_block_that_is_cut_gives_no_call_with_it() -> None:
    calls = scan('tool: write_file({"path": "a"})\n```\nx', SEVEN_TOOLS).calls
    assert [(call.name, call.arguments) for call in calls] == [("write_file", {"path": "a"})]


def test_text_without_calls_has_none() -> None:
    assert scan("def f(x):\n    return {'name': x}\n# tool: hammer\n", SEVEN_TOOLS).calls == []
    assert scan("", {}).calls == []
