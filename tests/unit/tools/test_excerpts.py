from __future__ import annotations

import pytest

from text_agent.config.limits import EXCERPT_MAX_LINES, LINE_MAX_CHARS
from text_agent.tools.editing.excerpts import changed_lines, nearest_lines, numbered


def test_numbered_lines() -> None:
    assert numbered(["a", "b", "c"], 2, 3) == "2| b\n3| c"
    assert numbered(["a", "b", "c"], -1, 99) == "1| a\n2| b\n3| c"
    assert numbered(["x" * (LINE_MAX_CHARS + 5)], 1, 1).endswith("x [... 5 more characters]")


def test_the_middle_of_many_lines_is_left_out() -> None:
    shown = numbered([str(number) for number in range(1, 101)], 1, 100).split("\n")
    assert len(shown) == EXCERPT_MAX_LINES + 1
    assert shown[14:17] == ["15| 15", "[... 70 more lines]", "86| 86"]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("abcdefg", "abcXefg", "2| b\n3| c\n4| X\n5| e\n6| f"),
        ("abc", "abcd", "2| b\n3| c\n4| d"),
        ("abcd", "acd", "1| a\n2| c\n3| d"),
        ("aa", "aaa", "1| a\n2| a\n3| a"),
        ("abc", "a", "1| a"),
    ],
)
def test_changed_lines_with_some_around_them(before: str, after: str, shown: str) -> None:
    assert changed_lines(list(before), list(after)) == shown
    assert changed_lines([*before, ""], [*after, ""]) == shown, "a final line break is no line"


def test_the_nearest_lines() -> None:
    texts = ["def add(a, b):", "    return a - b", "", "def mul(a, b):", "    return a * b", ""]
    assert (
        nearest_lines(texts, ["def mul(a, b):", "    return a / b"])
        == "4| def mul(a, b):\n5|     return a * b"
    )
    assert nearest_lines(texts, ["return a * b"]) == "5|     return a * b"
    assert nearest_lines(texts, ["    return a % b"]).endswith("return a - b")
    assert nearest_lines(texts, ["x", "def mul(c, d):"]) == "3| \n4| def mul(a, b):"
    assert nearest_lines(texts, ["something else altogether"]) == ""
    assert nearest_lines(texts, ["", ""]) == ""
