"""A hub for files over real HTTP: serves one file, whole or from an offset on."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True)
class FileHub:
    """What is served, how it misbehaves, and what was asked.

    Attributes:
        content: the file.
        breaks_after: bytes after which the connection of each further request breaks off; once used up,
            requests are answered whole.
        status: answered to everything, if it is set.
        has_ranges: whether an offset is heeded.
        has_length: whether an answer says how long it is.
        ranges: the `Range` header of every request.
        paths: the path of every request.
    """

    content: bytes
    breaks_after: Sequence[int] = ()
    status: int | None = None
    has_ranges: bool = True
    has_length: bool = True
    url: str = ""
    ranges: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def serving(hub: FileHub) -> Iterator[FileHub]:
    """Serves `hub` at `hub.url` until the end."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = len(hub.ranges)
            hub.ranges.append(self.headers.get("Range", ""))
            hub.paths.append(self.path)
            if hub.status is not None:
                self.send_error(hub.status)
                return
            start = self._start()
            body = hub.content[start:]
            if hub.has_length:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            limit = hub.breaks_after[number] if number < len(hub.breaks_after) else len(body)
            self.wfile.write(body[:limit])
            self.close_connection = True

        def _start(self) -> int:
            start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
            if not hub.has_ranges:
                self.send_response(200)
                return 0
            self.send_response(206)
            size = len(hub.content)
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
            return start

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
