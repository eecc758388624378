"""Server-sent events, as odd servers send them.

Comments, blank events and unknown fields are skipped; lines may end in any of the three ways and may be cut
into pieces anywhere.
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


def read_events(chunks: Iterable[bytes]) -> Iterator[ServerSentEvent]:
    """Yields every event with data that is more than white space."""
    name, data = "", list[str]()
    for line in _lines(chunks):
        field, _, value = line.partition(":")
        if field == "event":
            name = value.strip()
        elif field == "data":
            data.append(value.removeprefix(" "))
        elif not line:
            yield from _event(name, data)
            name, data = "", []
    yield from _event(name, data, complete=False)


def _event(name: str, data: list[str], *, complete: bool = True) -> Iterator[ServerSentEvent]:
    text = "\n".join(data)
    if text.strip():
        yield ServerSentEvent(name, text, complete)


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Cuts at line ends only in bytes: a text's own line separators (U+2028 and others) stay in it."""
    begun: list[bytes] = []
    held = b""
    for chunk in chunks:
        text = held + chunk
        # A carriage return at the end may be the first half of one line end.
        held = text[-1:] if text.endswith(b"\r") else b""
        end, *lines = _LINE_END.split(text.removesuffix(b"\r"))
        # A long line is put together once: joined with every chunk, it would be copied as often.
        begun.append(end)
        for start in lines:
            yield b"".join(begun).decode("utf-8", "replace")
            begun = [start]
    if held or any(begun):
        yield b"".join(begun).decode("utf-8", "replace")
