from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text_agent.text.truncation import CUT_MARK, clean_output, clip_around, clip_line, truncate


def test_a_clipped_line_says_how_much_is_missing() -> None:
    assert clip_line("abc", 3) == "abc"
    assert clip_line("abc", 1203) == "abc [... 1,200 more characters]"


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        (0, "01234567 [... 12 more characters]"),
        (10, "[... 8 more characters] 89abcdef [... 4 more characters]"),
        (19, "[... 12 more characters] cdefghij"),
        (999, "[... 12 more characters] cdefghij"),
    ],
)
def test_a_line_is_clipped_around_a_place(place: int, shown: str) -> None:
    assert clip_around("0123456789abcdefghij", place, 8) == shown
    assert clip_around("short", place, 8) == "short"


def test_output_as_a_terminal_shows_it_in_the_end() -> None:
    assert clean_output("p 1%\rp 2%\rp 100%\n\x1b[31mred\x1b[0m") == "p 100%\nred"
    assert clean_output("a\r\nb\r\n") == "a\nb\n"
    assert clean_output("\x1b]0;title\x07x\x1b]8;;u\x1b\\y\x1b(B\x08\x00z\ttab") == "xyz\ttab"


def test_equal_lines_are_folded() -> None:
    assert clean_output("a\n" * 3) == "a\n" * 3
    assert clean_output("a\n" * 4 + "b") == "a\n[the same line 3 more times]\nb"
    assert clean_output("\n" * 9) == "\n" * 9


def test_a_long_text_keeps_both_ends() -> None:
    text = "\n".join(str(number) for number in range(1000))
    shown = truncate(text, 200)
    assert shown.startswith("0\n1\n2\n")
    assert shown.endswith("\n998\n999")
    assert "\n[... 957 more lines]\n" in shown


def test_a_long_line_keeps_both_ends() -> None:
    assert truncate("a" * 500 + "b" * 500, 160) == f"{'a' * 50}\n[... 900 more characters]\n{'b' * 50}"


@given(st.text("ab\n\u00e9", max_size=600), st.integers(100, 400))
def test_what_is_left_out_is_counted_and_the_limit_is_kept(text: str, limit: int) -> None:
    shown = truncate(text, limit)
    assert len(shown) <= limit
    assert truncate(shown, limit) == shown
    if shown == text:
        return
    head, mark, tail = re.split(r"\n?(\[\.\.\. [\d,]+ more \w+\])\n?", shown)
    assert CUT_MARK.fullmatch(mark)
    count = int(re.sub(r"\D", "", mark))
    assert text.startswith(head)
    assert text.endswith(tail)
    if "lines" in mark:
        kept = len((head + "\n" + tail).split("\n"))
        assert kept + count == len(text.split("\n"))
    else:
        assert len(head) + len(tail) + count == len(text)
