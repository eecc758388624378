from __future__ import annotations

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.reply_cases import ReplyCase, calls_of, load_cases, malformed_of
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.types import ParsedReply, ToolCall

CASES = load_cases()


def parse(text: str) -> ParsedReply:
    return parse_reply(text, SEVEN_TOOLS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_reply_means_what_the_table_says(case: ReplyCase) -> None:
    reply = parse(case.reply)
    assert calls_of(reply) == case.calls
    assert len(malformed_of(reply)) == case.malformed


@pytest.mark.untraced
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_spans_lie_in_the_reply_in_order(case: ReplyCase) -> None:
    reply = parse(case.reply)
    starts = [call.span[0] for call in reply.calls]
    assert starts == sorted(starts)
    assert all(0 <= call.span[0] <= call.span[1] <= len(case.reply) for call in reply.calls)


def test_the_taught_form_needs_no_repairs() -> None:
    (call,) = parse('tool: search({"pattern": "x", "path": "a"})').calls
    assert isinstance(call, ToolCall)
    assert call.repairs == ()
    assert call.span == (0, 43)


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ("tool: search({'pattern': 'x'})", "single quotes"),
        ('tool: search({"pattern": "x",})', "trailing comma"),
        ('tool: search({pattern: "x"})', "bare key"),
        ('tool: search({"pattern" = "x"})', "= for a colon"),
        ('tool: search({"pattern": "a\nb"})', "raw line break in a string"),
        ('tool: search({"pattern": """a"""})', "triple quotes"),
        ('tool: search({"pattern": "\\d"})', "unknown escape"),
        ('tool: search({"pattern": "x", "glob": None})', "Python literal"),
        ('tool: search({"pattern": "x" /* y */})', "comment"),
        ('tool: search({"pattern":\\n"x"})', "escaped line break between values"),
        ('tool: search({"pattern": r"x"})', "Python string prefix"),
        ("tool: search({\u201cpattern\u201d: \u201cx\u201d})", "typographic quotes"),
        ('tool: search({"pattern": "x"', ""),
        ('tool: search({"pattern": "x"}', "missing )"),
        ('tool: search({"pattern": "x")', "missing }"),
        ('tool: search({"pattern": "x"}))', "extra closing bracket"),
        ('tool: search({"pattern": "x" "path": "y"})', "missing comma"),
        ('tool: search({"pattern": "a "b" c"})', "unescaped quotes"),
        ('tool: search(pattern="x")', "keyword arguments"),
        ('tool: search("x")', "arguments without names"),
        ('tool: search("{\\"pattern\\": \\"x\\"}")', "arguments as a JSON string"),
        ('tool: search({"arguments": {"pattern": "x"}})', "wrapped arguments"),
        ('tool: search {"pattern": "x"}', "no parentheses"),
        ('**tool:** search({"pattern": "x"})', "markup around the call"),
        ('search({"pattern": "x"})', "no prefix"),
        ("tool: read_file(a.py)", "missing quotes"),
        ('tool: update_plan({"steps": "[\\"a\\"]"})', "list as a JSON string"),
        ('Action: search\nAction Input: {"pattern": "x"}', "Action"),
        ('[search(pattern="x")]', "Python call"),
        ('tool: search\n{"pattern": "x"}', "arguments below the name"),
        ("tool: list_files\n", "no arguments"),
        ("<read_file>\n<path>a</path>", "missing closing tag"),
    ],
)
def test_every_leniency_is_named(text: str, repair: str) -> None:
    repairs = [call.repairs for call in parse(text).calls if isinstance(call, ToolCall)]
    assert [True for names in repairs if repair in names] or not repair


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("tool: run_command(ls -la)", 'tool: run_command({"command": "ls -la"})'),
        ('tool: run_command "ls -la"', 'tool: run_command({"command": "ls -la"})'),
        ('tool: read_file path="a.py"', 'tool: read_file({"path": "a.py"})'),
        ('tool: search({"pattern": "x"\nand so on', 'tool: search({"pattern": "x"})'),
        ('tool: ({"command": "x"})', 'tool: run_command({"command": "x"})'),
        ('tool: run_command({"command": "git commit -m "x"\nand so on', None),
        ('tool: ({"path": "x"})', None),
        ('tool: search({"pattern": })', None),
        ('tool: search({"pattern": "x', None),
        ('tool: edit_file({"path": "x"\nand so on', None),
        ("tool: edit_file(please replace it)", None),
        ("tool: read_file", None),
        ("tool: list_files", "tool: list_files({})"),
    ],
)
def test_a_correction_is_given_where_there_is_exactly_one(text: str, suggestion: str | None) -> None:
    (malformed,) = malformed_of(parse(text))
    assert malformed.suggestion == suggestion
    if suggestion:
        assert len(calls_of(parse(suggestion))) == 1


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ('tool: search({"pattern": "x', True),
        ('tool: search({"pattern": "x"', True),
        ('tool: write_file({"path": "a"})\n```\nx', True),
        ("<tool_call>\n", True),
        ('tool: search({"pattern": "x"\nwords', False),
        ('tool: search({"pattern": })', False),
    ],
)
def test_a_cut_call_is_told_from_a_wrong_one(text: str, cut: bool) -> None:
    (malformed,) = malformed_of(parse(text))
    assert malformed.cut is cut


def test_an_error_says_what_is_wrong_and_where() -> None:
    (malformed,) = malformed_of(parse('tool: search({"pattern": , "path": "a"})'))
    assert malformed.name == "search"
    assert malformed.error == 'a value is missing, at \', "path": "a"})\''


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<think>\ntool: list_files({})\n</think>", "thinking"),
        ("tool: list_files({})\n</think>", "thinking"),
        ("For example:\n```\ntool: list_files({})\n```", "example fence"),
        ("```\ntool: list_files({})\nand other text\n```", "example fence"),
        ("> tool: list_files({})", "sentence"),
        ("I could write tool: list_files({}) here.", "sentence"),
        ("The call `list_files({})` lists.", "sentence"),
        ('tool_result(x): y\ntool: read_file({"path": "a"})', "after an invented result"),
        ("tool_result(x): y\n<function=read_file>", "after an invented result"),
    ],
)
def test_what_looks_like_a_call_but_is_none_is_reported_with_the_reason(text: str, reason: str) -> None:
    reply = parse(text)
    assert reply.calls == []
    (quotation,) = reply.quotations
    assert quotation.reason == reason
    assert quotation.text


def test_a_long_line_is_quoted_in_part() -> None:
    (quotation,) = parse("x" * 5000 + " tool: list_files({}) " + "y" * 5000).quotations
    assert len(quotation.text) < 1000
    assert "tool: list_files({})" in quotation.text


def test_prose_is_the_replys_own_words() -> None:
    reply = parse(
        "<think>Hm.</think>I write it.\n\n"
        'tool: write_file({"path": "a"})\n```\nx\n```\n\n'
        'Then:\n\n\n\ntool: run_command({"command": "make"})\ntool_result(run_command): ok\nAll good.'
    )
    assert reply.prose == "I write it.\n\nThen:"
    assert reply.invented_at is not None


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("Hello.<|im_end|>", "Hello."),
        ("Hello.</s>\n", "Hello."),
        ("Hello.\ntool_resu", "Hello."),
        ("tool_result", ""),
        ("The tool", "The tool"),
        ("Look:\n```\ntool: list_files({})\nx\n```", "Look:\n```\ntool: list_files({})\nx\n```"),
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hello.",
            "Hello.",
        ),
        ("\ufeffHello.", "Hello."),
        ("Hello.</tool_call>", "Hello."),
    ],
)
def test_tokens_and_started_marks_are_no_prose(text: str, prose: str) -> None:
    assert parse(text).prose == prose


def test_an_invented_result_is_placed() -> None:
    text = 'tool: read_file({"path": "a"})\n\n```\nx = 1\n```\n'
    assert parse(text).invented_at == text.index("```")


@pytest.mark.parametrize(
    "text",
    [
        "\x00",
        "\ud800",
        "[" * 5000,
        '{"a":' * 5000,
        "tool: x(" * 5000,
        "`" * 5000,
        "tool: read_file(" + "[" * 5000,
    ],
)
def test_no_text_raises(text: str) -> None:
    assert calls_of(parse(text)) == []


def test_without_tools_only_framed_calls_count() -> None:
    text = 'tool: a({"x": 1})\nb(x=1)\n{"name": "c", "arguments": {}}\n<tool_call>{"name": "d"}</tool_call>'
    assert calls_of(parse_reply(text, {})) == [("a", {"x": 1}), ("d", {})]
