"""Markdown as lines, and what is shown of a reply that goes on."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from rich.text import Text

from text_agent.protocol.reading.streaming import certain_end
from text_agent.terminal.output.code import diff_lines
from text_agent.terminal.output.markdown import fold, render_markdown
from text_agent.terminal.output.reply_view import split_blocks
from text_agent.terminal.output.theme import create_console

WIDTH = 40


@pytest.fixture
def console() -> Console:
    return create_console(io.StringIO(), {"TERM": "xterm-256color", "FORCE_COLOR": "1"})


def rendered(text: str, console: Console, width: int = WIDTH) -> list[str]:
    return [line.plain for line in render_markdown(text, console, width)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one\ntwo", ["one", "two"]),
        ("one  \ntwo\\\nthree", ["one", "two", "three"]),
        ("- a\n\n- b", ["\u2022 a", "", "\u2022 b"]),
        ("- a\n- b", ["\u2022 a", "\u2022 b"]),
        ("9. a\n10. b", ["9. a", "10. b"]),
        ("1. a\n   - b\n     c\n\n   d", ["1. a", "", "   \u2022 b", "     c", "", "   d"]),
        ("- ```\n  x\n  ```", ["\u2022   x"]),
        ("> a\n>\n> b", ["\u2502 a", "\u2502", "\u2502 b"]),
        ("a\n\n---\n\nb", ["a", "", "\u2500" * 40, "", "b"]),
        ("-\n- b", ["\u2022 ", "\u2022 b"]),
        ("    code", ["  code"]),
        ("![alt](http://x.example/i.png)", ["alt (http://x.example/i.png)"]),
        ("<http://x.example>", ["http://x.example"]),
        ("~~a~~ *b* __c__", ["a b c"]),
        ("\x1b[2Ja\u202eb", ["a<U+202E>b"]),
        ("<http://x/%1b[2J%e2%80%ae>", ["http://x/<U+202E>", "(http://x/%1b%5B2J%e2%80%ae)"]),
        ("[com](http://evil.com)", ["com (http://evil.com)"]),
        ("<ann@x.example>", ["ann@x.example"]),
        ("", []),
    ],
)
def test_lines(text: str, lines: list[str], console: Console) -> None:
    assert rendered(text, console) == lines


def test_no_line_is_wider_than_the_screen(console: Console) -> None:
    text = (
        "- word " * 20
        + "\n\n> "
        + "x" * 90
        + "\n\n```\n"
        + "y" * 90
        + "\n```\n\n| "
        + "z" * 90
        + " |\n|---|\n| a |"
    )
    assert max(Text(line).cell_len for line in rendered(text, console)) <= WIDTH
    assert "".join(rendered("\u5b57" * 50, console)) == "\u5b57" * 50


@pytest.mark.parametrize(
    "text",
    [
        "".join("  " * level + f"- word{level}\n" for level in range(60)),
        ">" * 500 + " word0",
        "> " * 30 + "word0\n> word1",
        "|" + "|".join(f"word{index}" for index in range(30)) + "|\n|" + "---|" * 30,
        "|a" * 30 + "|\n|" + "---|" * 30 + "\n|" + "|".join(f"word{index}" for index in range(30)) + "|",
    ],
)
@pytest.mark.parametrize("width", [20, 40, 80])
def test_no_word_is_lost_where_there_is_no_room(text: str, width: int, console: Console) -> None:
    shown = " ".join(rendered(text, console, width))
    assert re.findall(r"word\d+", shown) == re.findall(r"word\d+", text)


def test_a_table_that_is_too_wide_is_written_row_by_row(console: Console) -> None:
    text = "|a|b|c|d|e|\n|-|-|-|-|-|\n|1|2|3|4|a long cell|\n|6|7|8|9|another long cell|"
    assert rendered(text, console, 23) == [
        *("a: 1", "b: 2", "c: 3", "d: 4", "e: a long cell"),
        "",
        *("a: 6", "b: 7", "c: 8", "d: 9", "e: another long cell"),
    ]
    assert rendered("|a|b|c|d|e|\n|-|-|-|-|-|\n|1|2|3|4|5|", console, 23)[0] == "a   b   c   d   e"


def test_a_label_goes_before_the_first_words(console: Console) -> None:
    label = Text("who> ")
    assert [line.plain for line in render_markdown("a", console, WIDTH, label)] == ["who> a"]
    assert [line.plain for line in render_markdown("- a", console, WIDTH, label)] == ["who> ", "\u2022 a"]


def test_blocks_are_without_gaps() -> None:
    text = "\n# a\n\nb\nc\n- d\n- e\n\n```\nf\n\ng\n"
    blocks = split_blocks(text)
    assert [block.kind for block in blocks] == ["heading", "paragraph", "item", "item", "fence"]
    assert "".join(text[block.start : block.end] for block in blocks) == text


@pytest.mark.parametrize("text", ["a  b   c", "\u5b57" * 30, "x" * 100, "a\tb", ""])
def test_folding_loses_nothing(text: str) -> None:
    pieces = fold(Text(text), 20)
    assert "".join(piece.plain for piece in pieces) == text.expandtabs(4)
    assert all(piece.cell_len <= 20 for piece in pieces)


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("Hello there", 11),
        ("Hello", 0),
        ("Hello.\nYou", 7),
        ("tool", 0),
        ("tool: read_file({", 0),
        ("read_file ({", 0),
        ("- **Bold** words go", 19),
        ("1. First words go", 17),
        ("Words and <tool_ca", 10),
        ("Words and <b> more", 18),
        ("```py", 0),
        ("\u4f60\u597d", 2),
        ("| a |", 5),
    ],
)
def test_what_is_certainly_no_call(text: str, certain: int) -> None:
    assert certain_end(text) == certain


def test_a_diff_has_the_colours_of_both_sides(console: Console) -> None:
    diff = "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n def f():\n-    return 1\n+    return '2'\n+\n \\ end"
    lines = list(diff_lines(diff, console))
    assert "\n".join(line.plain for line in lines) == diff
    styles = [{str(span.style) for span in line.spans} for line in lines]
    assert "diff.removed.line" in styles[4]
    assert "diff.added.line" in styles[5]
    assert styles[3]


def test_a_diff_of_plain_text_and_of_text_that_looks_like_a_header(console: Console) -> None:
    diff = "--- a.txt\n+++ a.txt\n@@ -1,2 +1 @@\n--- old\n x"
    assert [line.plain for line in diff_lines(diff, console)] == diff.split("\n")
