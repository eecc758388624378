"""A server whose every answer goes on without end: until the client leaves, or `MOST_BYTES` are sent."""

from __future__ import annotations

import json
import socket
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

# Of one answer; a client that has no limit of its own takes them all.
MOST_BYTES = 200_000_000
_PIECE_BYTES = 64_000
EVENT_STREAM = "Content-Type: text/event-stream"


@dataclass(frozen=True, slots=True)
class Flood:
    """An answer without end.

    Attributes:
        start: sent once, after the headers.
        again: sent over and over.
        status: of the answer, with its reason.
        header: one more of its headers.
        has_headers: whether the headers end; otherwise `start` and `again` are part of them.
    """

    start: bytes
    again: bytes
    status: str = "200 OK"
    header: str = EVENT_STREAM
    has_headers: bool = True

    @property
    def head(self) -> bytes:
        """What is sent first."""
        lines = f"HTTP/1.1 {self.status}\r\nConnection: close\r\n{self.header}\r\n"
        return (lines + "\r\n" * self.has_headers).encode() + self.start


def packed(start: bytes, again: bytes) -> tuple[bytes, bytes]:
    """Both parts of a flood as gzip has them; a block of `again` can be repeated after itself."""
    compressor = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    first = compressor.compress(start) + compressor.flush(zlib.Z_FULL_FLUSH)
    return first, compressor.compress(again) + compressor.flush(zlib.Z_FULL_FLUSH)


def delta(api: str, text: str) -> bytes:
    """An event that adds a text to a reply."""
    payload = (
        {"choices": [{"index": 0, "delta": {"content": text}}]}
        if api == "openai"
        else {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}
    )
    return b"data: %b\n\n" % json.dumps(payload).encode()


@dataclass(slots=True)
class FloodServer:
    """Where it is, and how much it has sent in all."""

    url: str = ""
    sent: int = 0
    closing: threading.Event = field(default_factory=threading.Event)


@contextmanager
def flooding(flood: Flood) -> Iterator[FloodServer]:
    """Answers every `POST` with `flood`, and everything else with nothing, until the end."""
    state = FloodServer()
    listener = socket.create_server(("127.0.0.1", 0))
    state.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    thread = threading.Thread(target=_serve, args=(listener, flood, state), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.closing.set()
        # Ends the waiting for the next client.
        socket.create_connection(listener.getsockname()).close()
        thread.join()
        listener.close()


def _serve(listener: socket.socket, flood: Flood, state: FloodServer) -> None:
    while not state.closing.is_set():
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(5)
            with suppress(OSError):  # the client left, or sends nothing
                _answer(connection, flood, state)


def _answer(connection: socket.socket, flood: Flood, state: FloodServer) -> None:
    request = connection.recv(1_000_000)
    if not request.startswith(b"POST"):
        connection.sendall(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        return
    connection.sendall(flood.head)
    piece = flood.again * max(1, _PIECE_BYTES // len(flood.again))
    sent = 0
    while sent < MOST_BYTES and not state.closing.is_set():
        connection.sendall(piece)
        sent += len(piece)
        state.sent += len(piece)
