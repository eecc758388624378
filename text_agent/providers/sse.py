"""Server-sent events, as odd servers send them.

Comments, blank events and unknown fields are skipped; lines may end in any of the three ways and may be cut
into pieces anywhere. No more of them is kept than one event may have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from text_agent.lazy_regex import late_pattern

_LINE_END = late_pattern(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event; `complete` is False for one that the stream's end cut off."""

    name: str
    data: str
    complete: bool = True


class EventTooLargeError(Exception):
    """An event, or a line, has more bytes than may be kept."""


def read_events(chunks: Iterable[bytes], max_bytes: int) -> Iterator[ServerSentEvent]:
    """Yields every event with data that is more than white space.

    Args:
        chunks: the stream.
        max_bytes: of one event.

    Raises:
        EventTooLargeError: an event has more.
    """
    name, data, size = "", list[str](), 0
    for line in _lines(chunks, max_bytes):
        field, _, value = line.partition(":")
        if field == "event":
            name = value.strip()
        elif field == "data":
            data.append(value.removeprefix(" "))
            size = _checked(size + len(line) + 1, max_bytes)
        elif not line:
            yield from _event(name, data)
            name, data, size = "", [], 0
    yield from _event(name, data, complete=False)


def _event(name: str, data: list[str], *, complete: bool = True) -> Iterator[ServerSentEvent]:
    text = "\n".join(data)
    if text.strip():
        yield ServerSentEvent(name, text, complete)


def _checked(size: int, max_bytes: int) -> int:
    if size > max_bytes:
        raise EventTooLargeError
    return size


def _lines(chunks: Iterable[bytes], max_bytes: int) -> Iterator[str]:
    """Cuts at line ends only in bytes: a text's own line separators (U+2028 and others) stay in it."""
    begun: list[bytes] = []
    held, size = b"", 0
    for chunk in chunks:
        text = held + chunk
        # A carriage return at the end may be the first half of one line end.
        held = text[-1:] if text.endswith(b"\r") else b""
        end, *lines = _LINE_END.split(text.removesuffix(b"\r"))
        # A long line is put together once: joined with every chunk, it would be copied as often.
        begun.append(end)
        size = _checked(size + len(end), max_bytes)
        for start in lines:
            yield b"".join(begun).decode("utf-8", "replace")
            begun, size = [start], len(start)
    if held or any(begun):
        yield b"".join(begun).decode("utf-8", "replace")
