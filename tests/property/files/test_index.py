"""Any text has units, which lie within it, hold all of it, and lie inside of each other or apart."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from text_agent.files.encoding import NotTextError, decode_text
from text_agent.files.index.entries import read_entries
from text_agent.files.index.ranking import rank_units
from text_agent.files.index.reader import read_units
from text_agent.files.index.units import Unit
from text_agent.files.index.words import stem, words_of
from text_agent.files.lines import split_lines
from text_agent.files.workspace import Workspace

NAMES = (
    "a.py",
    "a.md",
    "a.rst",
    "a.toml",
    "a.ini",
    "a.yaml",
    "a.json",
    "a.css",
    "a.html",
    "a.js",
    "a.c",
    "Makefile",
)
PIECES = (
    *("def f(a):", "class A(B):", "@d", "x = 1", "if x:", "else:", "return x", "pass", '"""', "'''", "\\"),
    *(
        "# Title",
        "Title",
        "=====",
        "-----",
        "```",
        "[table]",
        "[[a.b]]",
        "key: value",
        "- item",
        '"key": {',
        "},",
    ),
    *(
        "function f(x) {",
        "const f = (a) => {",
        "}",
        "});",
        "/**",
        " */",
        "// note",
        "a { color: red }",
        "<div id=a>",
    ),
    *("all: x", "\techo", "", " ", "\f", "\x1c", "\u2028", "é", "\u00df"),
)
LINES = st.builds("{}{}".format, st.sampled_from(["", "  ", "    ", "\t"]), st.sampled_from(PIECES))
TEXTS = st.one_of(
    st.text(max_size=60),
    st.builds(str.join, st.sampled_from(["\n", "\r\n", "\r"]), st.lists(LINES, max_size=25)),
)


def nest(units: Sequence[Unit]) -> bool:
    around: list[Unit] = []
    for unit in units:
        while around and around[-1].last < unit.first:
            around.pop()
        if around and unit.last > around[-1].last:
            return False
        around.append(unit)
    return True


@given(st.sampled_from(NAMES), TEXTS)
def test_units_lie_within_the_text_hold_all_of_it_and_nest(name: str, text: str) -> None:
    lines = split_lines(text).texts
    units = read_units(name, text)
    assert all(1 <= unit.first <= unit.line <= unit.last <= len(lines) for unit in units)
    covered = {number for unit in units for number in range(unit.first, unit.last + 1)}
    assert all(number in covered for number, line in enumerate(lines, 1) if line.strip())
    assert all((a.first, -a.last) <= (b.first, -b.last) for a, b in pairwise(units))
    assert nest(units)


@given(st.sampled_from(NAMES), TEXTS)
def test_entries_hold_each_line_once(name: str, text: str) -> None:
    lines = [line for line in split_lines(text).texts if line.strip()]
    held = "\n".join(entry.text for entry in read_entries(name, text)).split("\n")
    assert sorted(line for line in held if line.strip()) == sorted(lines)


@given(st.sampled_from(NAMES), st.binary(max_size=80))
def test_any_bytes_have_units_or_are_no_text(name: str, content: bytes) -> None:
    try:
        text = decode_text(content)[0]
    except NotTextError:
        return
    assert all(unit.first <= unit.last for unit in read_units(name, text))


@settings(max_examples=8)
@given(st.lists(st.tuples(st.sampled_from(NAMES), TEXTS), min_size=2, max_size=4), st.text(max_size=30))
def test_after_changes_it_is_as_if_read_anew(versions: list[tuple[str, str]], words: str) -> None:
    request = f"{words} def f title value"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in versions:
            (root / name).write_bytes(text.encode("utf-8", "replace"))
            after_changes = rank_units(Workspace(root), request)
        read_entries.cache_clear()
        read_units.cache_clear()
        assert rank_units(Workspace(root), request) == after_changes


@given(st.text(max_size=40))
def test_words_are_lower_case_and_stems_of_their_own(text: str) -> None:
    for word in words_of(text):
        assert word == word.lower()
        assert len(word) >= 2


@pytest.mark.parametrize(
    "forms",
    [
        *("parse parses parsed parser parsing", "validate validation validator validates", "entry entries"),
        *("format formats formatting formatter", "value values", "class", "process processes", "key keys"),
    ],
)
def test_the_forms_of_a_word_are_equal(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1
