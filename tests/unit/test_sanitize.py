from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text_agent.terminal.sanitize import sanitize


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\x", "x"),
        ("a\x1bcb", "ab"),
        ("\x9b2Jx", "x"),
        ("a\rb\x08\x00\x7f", "ab"),
        ("dos\r\n", "dos\n"),
        ("\u202eevil\u2069", "<U+202E>evil<U+2069>"),
        ("half \x1b", "half "),
        ("\ud800", "?"),
        ("日本 ünï", "日本 ünï"),
    ],
)
def test_sanitize(text: str, shown: str) -> None:
    assert sanitize(text) == shown


@given(st.text(st.characters() | st.sampled_from("\x1b[]\x07\\m;1\x9b\x90")))
def test_no_control_character_is_left(text: str) -> None:
    shown = sanitize(text)
    assert not any((ord(char) < 32 and char not in "\n\t") or 127 <= ord(char) < 160 for char in shown)
    shown.encode()
