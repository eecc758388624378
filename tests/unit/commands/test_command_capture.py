from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text_agent.commands.capture import Capture


def capture(*pieces: bytes, head: int = 1000, tail: int = 100) -> Capture:
    made = Capture(head, tail)
    for piece in pieces:
        made.feed(piece)
    return made


def test_short_output_is_whole() -> None:
    assert capture().text() == ""
    assert capture(b"a\nb", b"c\n").text() == "a\nbc\n"
    assert capture(b"x" * 1000, b"y" * 100).text() == "x" * 1000 + "y" * 100


def test_bytes_that_are_no_text_are_replaced_and_characters_may_come_in_parts() -> None:
    assert capture(b"\xff\xfe ok\n").text() == "\ufffd\ufffd ok\n"
    assert capture("\u20ac".encode()[:1], "\u20ac".encode()[1:]).text() == "\u20ac"
    assert capture(b"end \xe2\x82").text() == "end \ufffd"
    assert capture(b"a\0b").text() == "ab"


def test_noise_is_taken_out() -> None:
    assert capture(b"p 1%\rp 2%\rp 100%\n\x1b[31mred\x1b[0m").text() == "p 100%\nred"


def test_a_line_that_is_drawn_for_ever_takes_the_room_of_its_last_state() -> None:
    text = capture(*(b"\r%7d" % number for number in range(200_000)), head=4_000_000).text()
    assert text == " 199999"


def test_a_long_line_stays_whole() -> None:
    pieces = [b"x" * 50_000] * 4
    assert capture(*pieces, head=1_000_000).text() == "x" * 200_000


def test_both_ends_of_long_output_are_kept_and_the_rest_is_counted() -> None:
    lines = [b"%d\n" % number for number in range(10_000)]
    made = capture(*lines)
    first, _, rest = made.text().partition("\n[... ")
    note, _, last = rest.partition(" more bytes, which were not kept]\n")
    assert made.total == sum(map(len, lines))
    assert first.startswith("0\n1\n2\n")
    assert last.endswith("\n9998\n9999\n")
    assert 100 <= len(last) <= 200
    assert int(note.replace(",", "")) + 1000 + len(last) == made.total


@given(st.lists(st.binary(max_size=40), max_size=30), st.integers(1, 60), st.integers(1, 60))
def test_nothing_is_lost_of_what_has_room(pieces: list[bytes], head: int, tail: int) -> None:
    made = capture(*pieces, head=head, tail=tail)
    whole = b"".join(pieces)
    assert made.total == len(whole)
    if len(whole) <= head + tail:
        assert made.text() == capture(whole).text()


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_where_the_output_is_cut_into_pieces_does_not_matter(size: int) -> None:
    whole = "a\u00e9\u20ac\U0001f600\n\r\nlast \r one\n".encode() * 3
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    assert capture(*pieces).text() == capture(whole).text()
