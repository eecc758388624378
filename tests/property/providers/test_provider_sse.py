"""Events are the same however the network cuts them, and whatever the bytes are."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text_agent.providers.sse import EventTooLargeError, ServerSentEvent
from text_agent.providers.sse import read_events as read_limited_events

LIMIT = 1_000_000


def read_events(chunks: Iterable[bytes], limit: int = LIMIT) -> Iterator[ServerSentEvent]:
    return read_limited_events(chunks, limit)


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


@given(STREAMS.filter(bool), st.lists(st.integers(min_value=0, max_value=200)), st.integers(1, 40))
def test_an_event_within_the_limit_is_read_however_it_is_cut(
    stream: bytes, cuts: list[int], limit: int
) -> None:
    """The limit depends on the events, not on how the network cuts them."""
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(edges)]

    def outcome(chunks: list[bytes]) -> list[ServerSentEvent] | None:
        try:
            return list(read_events(chunks, limit))
        except EventTooLargeError:
            return None

    whole = outcome(pieces)
    assert whole is None or whole == list(read_events([stream]))


@pytest.mark.parametrize(
    "again",
    [b"data: a", b": a", b"a", b"event: a", b"data: a\n", b"data\n", b"data\r", b"data:\r\n", b"\xff"],
)
def test_no_more_is_taken_than_the_limit(again: bytes) -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += len(again)
            yield again

    with pytest.raises(EventTooLargeError):
        list(read_events(endless(), 1_000))
    assert taken < 3_000
