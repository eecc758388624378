"""Events are the same however the network cuts them, and whatever the bytes are."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from text_agent.providers.sse import ServerSentEvent, read_events

LINES = st.sampled_from(
    [
        b"data: {}",
        b'data: "\xe2\x80\xa8\x0b\xc3\xbc"',
        b"data:",
        b"data",
        b"event: x",
        b": ping",
        b"id: 1",
        b"",
        b"odd",
    ]
)
STREAMS = st.lists(st.tuples(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"]))).map(
    lambda lines: b"".join(line + end for line, end in lines)
)


@given(STREAMS, st.lists(st.integers(min_value=0, max_value=200)))
def test_cuts_do_not_matter(stream: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(edges)]
    assert list(read_events(pieces)) == list(read_events([stream]))


@given(st.lists(st.binary(max_size=50)))
def test_any_bytes_can_be_read(chunks: list[bytes]) -> None:
    for event in read_events(chunks):
        assert event.data.strip()


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1), min_size=1
    )
)
def test_what_was_written_is_read(texts: list[str]) -> None:
    written = "".join(f"event: e\ndata: {text}\n\n" for text in texts).encode()
    expected = [ServerSentEvent("e", text) for text in texts if text.strip()]
    assert list(read_events([written])) == expected


def test_several_data_lines_are_one_event() -> None:
    assert list(read_events([b"data: a\ndata: b\n\ndata: cut"])) == [
        ServerSentEvent("", "a\nb"),
        ServerSentEvent("", "cut", complete=False),
    ]


def test_a_long_event_in_small_pieces_takes_its_time_once() -> None:
    text = "x" * 200_000
    pieces = [bytes([byte]) for byte in f"data: {text}\r\n\r\n".encode()]
    begin = time.process_time()
    assert list(read_events(pieces)) == [ServerSentEvent("", text)]
    assert time.process_time() - begin < 5
