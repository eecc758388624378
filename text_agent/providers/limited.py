"""Answers, read within limits of bytes and of time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress

import httpx2

from text_agent.config.limits import LAST_BYTES_SECONDS, REPLY_MAX_BYTES
from text_agent.errors import ProviderError
from text_agent.providers import failures
from text_agent.providers.endpoint import Endpoint

# What reading an answer can raise.
TRANSPORT_ERRORS = (httpx2.HTTPError, httpx2.StreamError, OSError)


class TimedStream(httpx2.SyncByteStream):
    """The bytes of an answer as they come from the network, for so long.

    Args:
        stream: the answer's own.
        seconds: from now on.
        endpoint: named where it takes longer.
        clock: tells the time in seconds.
    """

    def __init__(
        self,
        stream: httpx2.SyncByteStream,
        seconds: float,
        endpoint: Endpoint,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream
        self._seconds = seconds
        self._endpoint = endpoint
        self._clock = clock
        self._end = clock() + seconds

    def __iter__(self) -> Iterator[bytes]:
        """Yields the bytes. Raises `ProviderError` after the time."""
        for chunk in self._stream:
            self.check()
            yield chunk

    def check(self) -> None:
        """Raises `ProviderError` after the time."""
        if self._clock() > self._end:
            raise failures.endless(self._endpoint, self._seconds)

    def close(self) -> None:
        """Ends the answer, and its connection if more of it was to come."""
        self._stream.close()


def unpacked(response: httpx2.Response) -> Iterator[bytes]:
    """The bytes of an answer after unpacking: many may come of few, and none of many; both take time."""
    for chunk in response.iter_bytes():
        if isinstance(response.stream, TimedStream):
            response.stream.check()
        yield chunk


def within(chunks: Iterable[bytes], limit: int, endpoint: Endpoint) -> Iterator[bytes]:
    """The same chunks, as long as they hold no more than `limit` bytes. Raises `ProviderError`."""
    rest = limit
    for chunk in chunks:
        rest -= len(chunk)
        if rest < 0:
            raise failures.too_large(endpoint, limit)
        yield chunk


def whole(response: httpx2.Response, endpoint: Endpoint) -> str:
    """The text of an answer, which is closed then.

    Raises:
        ProviderError: it is too large.
        httpx2.HTTPError: it broke off.
    """
    with closing(response):
        body = b"".join(within(unpacked(response), REPLY_MAX_BYTES, endpoint))
    return body.decode("utf-8", "replace")


def beginning(response: httpx2.Response) -> str:
    """As much of the text of an answer as fits, and came before anything failed; then it is closed."""
    parts, rest = [], REPLY_MAX_BYTES
    with closing(response), suppress(ProviderError, *TRANSPORT_ERRORS):
        for chunk in unpacked(response):
            parts.append(chunk[:rest])
            rest -= len(chunk)
            if rest <= 0:
                break
    return b"".join(parts).decode("utf-8", "replace")


def read_out(response: httpx2.Response, chunks: Iterable[bytes]) -> None:
    """Reads the rest of an answer whose reply has ended, so that its connection serves the next request too.

    A server that does not end the answer soon loses the connection instead.

    Args:
        response: the answer.
        chunks: what is left of it.
    """
    connection = response.extensions["network_stream"].get_extra_info("socket")
    timer = threading.Timer(LAST_BYTES_SECONDS, _shut, [connection])
    timer.daemon = True
    timer.start()
    try:
        with suppress(ProviderError, *TRANSPORT_ERRORS):
            for _ in chunks:
                pass
    finally:
        timer.cancel()


def _shut(connection: socket.socket) -> None:
    """Ends a connection, and whoever waits for its bytes."""
    with suppress(OSError):
        # Not an encrypted socket's own method, which takes away what the other thread reads with.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
