from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text_agent.text.sanitize import StreamSanitizer, reveal, sanitize


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


@given(st.text(st.sampled_from("ab\x1b[]\x07\\m;1\x9b\r\n")), st.data())
def test_a_stream_shows_what_the_whole_text_would(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    sanitizer = StreamSanitizer()
    shown = "".join(sanitizer.feed(piece) for piece in pieces)
    # What is still held back at the end is a sequence without its end, or a lone carriage return.
    assert sanitize(text).startswith(shown)
    assert shown == sanitize(text[: len(text) - len(sanitizer.held)])


def test_an_endless_sequence_is_not_waited_for() -> None:
    sanitizer = StreamSanitizer()
    sanitizer.feed("\x1b]0;")
    assert len("".join(sanitizer.feed("x" * 1000) for _ in range(10))) > 5000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u3164b", "a<U+3164>b"),
        ("a\u115f\u2800b", "a<U+115F><U+2800>b"),
        ("a\ufe01b \u2714\ufe0f", "a<U+FE01>b \u2714\ufe0f"),
        ("a\u200b\u00a0\u2028\u202eb", "a<U+200B><U+00A0><U+2028><U+202E>b"),
        ("a\U000e0041\x9bb\x7f", "a<U+E0041><U+009B>b<U+007F>"),
        ("日本 ünï\t\n", "日本 ünï\t\n"),
    ],
)
def test_what_passes_for_nothing_is_shown(text: str, shown: str) -> None:
    assert reveal(text) == shown
