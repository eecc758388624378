"""A package index over real HTTP, by the simple API in either of its forms."""

from __future__ import annotations

import hashlib
import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

JSON = "application/vnd.pypi.simple.v1+json"


@dataclass(slots=True)
class IndexServer:
    """What is served, and what was asked.

    Attributes:
        folder: holds the files.
        form: of the pages.
        has_hashes: whether a page tells the sums of its files.
        hashes: sums that are told in the place of the right ones, by file.
        login: `user:password` without which nothing is served; None: none is asked for.
        breaks_after: bytes after which each further answer with a file breaks off; once used up, none does.
        extra: added to every page.
        url: of the index.
        paths: of all requests.
        ranges: of the requests for files.
    """

    folder: Path
    form: Literal["json", "html"] = "json"
    has_hashes: bool = True
    hashes: dict[str, str] = field(default_factory=dict)
    login: str | None = None
    breaks_after: list[int] = field(default_factory=list)
    extra: str = ""
    url: str = ""
    paths: list[str] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)

    def page(self, project: str) -> str:
        """The list of a project's files."""
        found = [f for f in self.folder.iterdir() if f.name.startswith(project.replace("-", "_") + "-")]
        sums = {f.name: self.hashes.get(f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in found}
        if self.form == "json":
            files = [
                {
                    "filename": f.name,
                    "url": f"../../files/{f.name}",
                    "hashes": {"sha256": sums[f.name]} if self.has_hashes else {},
                    "size": f.stat().st_size,
                }
                for f in found
            ]
            return json.dumps({"meta": {"api-version": "1.1"}, "name": project, "files": files})
        ends = {f.name: f"#sha256={sums[f.name]}" if self.has_hashes else "" for f in found}
        links = [f'<a href="../../files/{name}{end}">{name}</a><br/>' for name, end in ends.items()]
        return f"<!DOCTYPE html><html><body>{self.extra}{''.join(links)}</body></html>"


def _basic(login: str) -> str:
    return f"Basic {b64encode(login.encode()).decode()}"


class _Handler(BaseHTTPRequestHandler):
    index: IndexServer

    def do_GET(self) -> None:
        self.index.paths.append(self.path)
        self.close_connection = True
        if (
            self.index.login
            and self.headers["Authorization"] != f"Basic {b64encode(self.index.login.encode()).decode()}"
        ):
            self.send_error(401)
        elif self.path.startswith("/files/"):
            self._file(self.index.folder / self.path.removeprefix("/files/"))
        elif self.path.startswith("/simple/") and not self.path.endswith("/"):
            self._answer(301, b"", {"Location": f"{self.path}/"})
        elif self.path.startswith("/simple/"):
            kind = JSON if self.index.form == "json" else "text/html"
            self._answer(200, self.index.page(self.path.split("/")[2]).encode(), {"Content-Type": kind})
        else:
            self.send_error(404)

    def _file(self, file: Path) -> None:
        self.index.ranges.append(self.headers["Range"])
        content = file.read_bytes()
        start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
        if start >= len(content):
            self.send_error(416)
            return
        limit = self.index.breaks_after.pop(0) if self.index.breaks_after else len(content)
        span = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self._answer(206, content[start:], {"Content-Range": span}, limit)

    def _answer(self, status: int, body: bytes, headers: dict[str, str], limit: int | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[:limit])

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving_index(index: IndexServer) -> Iterator[IndexServer]:
    """Serves `index` at `index.url` until the end."""

    class Handler(_Handler):
        pass

    Handler.index = index
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    index.url = f"http://127.0.0.1:{server.server_port}/simple"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield index
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
