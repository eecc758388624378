"""Fetches a large file over HTTP, and goes on where an earlier try stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import httpx2

from text_agent.config.limits import CONNECT_TIMEOUT_SECONDS, CONNECTION_RETRIES, FETCH_IDLE_SECONDS
from text_agent.providers.local.weights import PIECE_BYTES, SourceUnavailableError, size_of

TIMEOUT = httpx2.Timeout(FETCH_IDLE_SECONDS, connect=CONNECT_TIMEOUT_SECONDS)
# Opens the answer to a `GET` with some headers.
Open = Callable[[Mapping[str, str]], AbstractContextManager[httpx2.Response]]


def fetch_file(open_answer: Open, part: Path, size: int | None, progress: Callable[[int], None]) -> None:
    """Fetches a file; goes on after a broken connection as long as something comes.

    Args:
        open_answer: asks for the file.
        part: where it is written to; holds what an earlier call has fetched.
        size: of the file in bytes; None where only its server tells.
        progress: is called with the bytes that are there.

    Raises:
        SourceUnavailableError: it cannot be had; what came stays in `part`.
        OSError: the folder does not take it.
    """
    failures = 0
    while size is None or size_of(part) < size:
        before = size_of(part)
        try:
            size = _go_on(open_answer, part, size, progress)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise SourceUnavailableError("cannot be reached") from error
        except httpx2.TransportError:
            pass  # whatever came is in the file
        except httpx2.HTTPError as error:
            raise SourceUnavailableError(f"cannot be read ({error})") from error
        failures = 0 if size_of(part) > before else failures + 1
        if failures > CONNECTION_RETRIES:
            raise SourceUnavailableError("broke the connection off")


def _go_on(open_answer: Open, part: Path, size: int | None, progress: Callable[[int], None]) -> int:
    """Asks for what is missing, and appends it; returns the size of the whole file."""
    headers = {"Accept-Encoding": "identity", "Range": f"bytes={size_of(part)}-"}
    with open_answer(headers) as response:
        if response.status_code == 416:  # there is no more of it: what is there is not this file
            part.unlink(missing_ok=True)
            raise httpx2.ReadError("another file")
        start, total = _range(response, size)
        with part.open("r+b" if part.exists() else "wb") as file:
            if size_of(part) > start:
                file.truncate(start)
            file.seek(start)
            for piece in response.iter_bytes(PIECE_BYTES):
                if start + len(piece) > total:
                    raise SourceUnavailableError("answers with another file")
                start += file.write(piece)
                progress(start)
    return total


def _range(response: httpx2.Response, size: int | None) -> tuple[int, int]:
    """The offset of the answer's first byte, and the size of the whole file."""
    if response.status_code == 206:
        unit, _, total = response.headers.get("Content-Range", "").partition("/")
        start = unit.removeprefix("bytes ").partition("-")[0]
    else:
        start, total = "0", response.headers.get("Content-Length", "")
    is_known = start.isdecimal() and total.isdecimal() and size in (None, int(total))
    if response.status_code in (200, 206) and is_known:
        return int(start), int(total)
    # Another size, or none, is another file: a sign-in page of the network, for one.
    what = "another file" if response.is_success else f"status {response.status_code}"
    raise SourceUnavailableError(f"answers with {what}")
