"""No text of a model can break the screen."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from text_agent.terminal.output.code import diff_lines
from text_agent.terminal.output.markdown import render_markdown
from text_agent.terminal.output.reply_view import split_blocks
from text_agent.terminal.output.theme import create_console

PIECES = [
    *("# ", "- ", "1. ", "> ", "```", "```py\n", "~~~\n", "|", "| a | b |\n", "|---|:-:|\n", "---\n", "    "),
    *(
        "**",
        "_",
        "`",
        "[",
        "](",
        ")",
        "![",
        "<",
        ">",
        "&amp;",
        "\\",
        "\n",
        "\n\n",
        "  \n",
        "\r\n",
        "\r",
        "\t",
    ),
    *("word", "two words ", "x = 1  # y\n", '"""', "\u5b57", "\U0001f600", "\u0301", "\u200b", "\x1b[2J"),
    *("+", "@@ -1 +1 @@\n", "--- a.py\n", "+++ a.py\n", "\u202e", "[a]: http://x\n", "http://x.example/long"),
    *("<http://x/%1b[2J%e2%80%ae>", "%1b", "%0a", "<a@b%1b.c>", "\x00", "\ud800", "===\n", "\r"),
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=30).map("".join)
CONSOLES = [
    create_console(io.StringIO(), {"TERM": "xterm-256color", "FORCE_COLOR": color}) for color in ("1", "")
]


@given(text=texts, width=st.integers(20, 90), colored=st.booleans())
def test_markdown_fits_and_is_safe(text: str, width: int, colored: bool) -> None:
    lines = render_markdown(text, CONSOLES[not colored], width)
    for line in lines:
        assert not {"\x1b", "\n", "\r", "\u202e"} & set(line.plain)
        assert line.cell_len <= width + 20  # a margin may be deeper than the screen is wide


@given(text=texts)
def test_blocks_are_without_gaps(text: str) -> None:
    blocks = split_blocks(text)
    assert "".join(text[block.start : block.end] for block in blocks) in (text, "")
    assert blocks or not text.strip()


@given(text=texts, colored=st.booleans())
def test_a_diff_hides_nothing(text: str, colored: bool) -> None:
    shown = [line.plain for line in diff_lines(text, CONSOLES[not colored])]
    assert len(shown) == (text.count("\n") + 1 if text else 0)
    assert "".join(filter(str.isalnum, text)) in "".join(
        filter(str.isalnum, "".join(shown))
    ) or "<U+" in "".join(shown)
