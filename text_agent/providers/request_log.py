"""A file of all requests and answers, for whoever wants to know what an endpoint is really told."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2

from text_agent.config.secret_values import is_secret_name, secrets_in_headers, secrets_in_url
from text_agent.config.table import without_credentials
from text_agent.errors import ConfigError
from text_agent.text.masking import MASK, Masker

# In a log, a short part of a cookie is hidden, too: nobody copies from there what it may be part of.
_SHORTEST_PART = 8

_log = logging.getLogger("text_agent")


def _now() -> datetime:
    return datetime.now(UTC)


class RequestLog:
    """Appends a JSON object a line to a file that only its owner can read.

    Args:
        path: of the file.
        mask: takes keys out.
        clock: tells the time.

    Raises:
        ConfigError: the file cannot be written.
    """

    def __init__(self, path: str, mask: Masker, clock: Callable[[], datetime] = _now) -> None:
        self._path = path
        self._mask = mask
        self._clock = clock
        self._learnt: set[str] = set()
        try:
            self._append(b"")
            if Path(path).is_file():  # not a terminal, say
                Path(path).chmod(0o600)
        except OSError as error:
            raise ConfigError(
                f"the log {path!r} cannot be written: {error.strerror}.",
                hint="Name another file: --log, TEXT_AGENT_LOG.",
            ) from error

    def sent(self, request: httpx2.Request) -> None:
        """Writes a request that is about to be sent."""
        self._learn(request.headers)
        self._write(
            "request",
            method=request.method,
            url=_shown_url(request.url),
            headers=_shown_headers(request.headers),
            body=_readable(request.content),
        )

    def answered(self, response: httpx2.Response) -> None:
        """Writes how an answer begins."""
        self._learn(response.headers)
        self._write("answer", status=response.status_code, headers=_shown_headers(response.headers))

    def body(self, text: str) -> None:
        """Writes the body of an answer that was read at once."""
        self._write("body", text=text)

    def read(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Passes on a body as it comes, and writes what came of it when it ends or is given up."""
        parts: list[bytes] = []
        try:
            for chunk in chunks:
                parts.append(chunk)
                yield chunk
        finally:
            self.body(b"".join(parts).decode("utf-8", "replace"))

    def _learn(self, headers: httpx2.Headers) -> None:
        """Masks from now on what the headers hold of keys, such as a cookie: endpoints repeat it."""
        in_urls = {secret for value in headers.values() if "?" in value for secret in secrets_in_url(value)}
        if new := {*secrets_in_headers(headers.multi_items()), *in_urls} - self._learnt:
            self._learnt |= new
            self._mask = self._mask.with_keys(new, shortest=_SHORTEST_PART)

    def _write(self, kind: str, **fields: object) -> None:
        entry = {"time": self._clock().isoformat(timespec="milliseconds"), "kind": kind, **fields}
        line = self._mask(json.dumps(entry, ensure_ascii=False)) + "\n"
        try:
            self._append(line.encode("utf-8", "replace"))
        except OSError as error:
            _log.warning("the log %r is not written: %s", self._path, error.strerror)

    def _append(self, data: bytes) -> None:
        """Writes through a new descriptor each time: nothing is left open, whatever ends the program."""
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)


def _readable(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content.decode("utf-8", "replace")


def _shown_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: MASK if is_secret_name(name) else value for name, value in headers.items()}


def _shown_url(url: httpx2.URL) -> str:
    items = [(name, MASK if is_secret_name(name) else value) for name, value in url.params.multi_items()]
    query = "?" + "&".join(f"{name}={value}" for name, value in items) if items else ""
    return without_credentials(str(url)) + query
