"""A model server over real HTTP that says what a script tells it, and checks what it is asked.

    with ScriptedServer(["first reply", Say("cut", stop_reason="max_tokens")]) as server:
        ...  # point a client at server.openai_url or server.anthropic_url
    assert server.requests[0].last == "what the user said"

Every request for a reply consumes one entry of the script: a text, a move, or a function from the
request to either. A request that no real endpoint would take is answered with status 400 and kept in
`violations`; leaving the `with` block raises for violations, for entries left over, and for requests
too many. Listing models consumes nothing.
"""

from __future__ import annotations

import json
import select
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, cast

from tests.support.moves import Drop, ErrorEvent, Fail, Hang, Html, Move, Raw, Say, ScriptEntry
from tests.support.recorded import RecordedRequest, violations
from tests.support.wire_formats import error_frame, failure_body, sse, streamed, unstreamed

__all__ = [
    "Drop",
    "ErrorEvent",
    "Fail",
    "Hang",
    "Html",
    "Move",
    "Raw",
    "RecordedRequest",
    "Say",
    "ScriptedServer",
    "sse",
]

_REPLY_PATHS = ("/v1/chat/completions", "/v1/messages")


class ScriptedServer:
    """The server; a context manager.

    Args:
        script: what to do with each request for a reply, in order.
        strict: whether leaving the block raises when entries are left over.
        pages: what else `GET` answers, as JSON, by path; it goes before `models`.
        models: the names that the list of models holds, or how it fails.
        key: the only key that is accepted, as `Authorization: Bearer` or as `x-api-key`; None takes all.
        paths: where replies are served.
        models_path: where the list of models is.
        allowed: violations that are none here.
        port: where it listens; 0: at any.

    Attributes:
        requests: all requests for a reply, in the order of their arrival.
        other_requests: all others: for the list of models, for paths that do not exist, and with a wrong key.
        violations: what was wrong with requests.
        left: set once a client closed its connection in the middle of an answer.
        connections: how many there were.
    """

    def __init__(
        self,
        script: Iterable[ScriptEntry] = (),
        *,
        strict: bool = True,
        models: Sequence[str] | Fail | Html = ("scripted-model",),
        pages: Mapping[str, Any] | None = None,
        key: str | None = None,
        paths: Sequence[str] = _REPLY_PATHS,
        models_path: str = "/v1/models",
        allowed: Sequence[str] = (),
        port: int = 0,
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self.other_requests: list[RecordedRequest] = []
        self.violations: list[str] = []
        self.connections = 0
        self.left = threading.Event()
        self.models = models
        self.pages = pages or {}
        self.key = key
        self.paths = paths
        self.models_path = models_path
        self.allowed = allowed
        self._system = ""
        self.closing = threading.Event()
        self._script = deque(script)
        self._strict = strict
        self._lock = threading.Lock()
        self._http = _HttpServer(("127.0.0.1", port), _Handler)
        self._http.scripted = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The server without a path."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def openai_url(self) -> str:
        """The base URL for the Chat Completions API."""
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        """The base URL for the Messages API."""
        return self.url

    def flags(self, *more: str, model: str = "scripted-model") -> tuple[str, ...]:
        """The flags with which the program speaks Chat Completions with this server, and `more`."""
        return ("--provider", "openai", "--base-url", self.openai_url, "--model", model, *more)

    def add(self, *entries: ScriptEntry) -> None:
        """Appends to the script."""
        with self._lock:
            self._script.extend(entries)

    def replace_script(self, *entries: ScriptEntry) -> None:
        """Puts `entries` in the place of what is left of the script."""
        with self._lock:
            self._script = deque(entries)

    def wait_for_requests(self, number: int, seconds: float = 20) -> None:
        """Waits until so many requests for a reply have come."""
        deadline = time.monotonic() + seconds
        while len(self.requests) < number:
            assert time.monotonic() < deadline, f"{len(self.requests)} requests came, not {number}"
            time.sleep(0.01)

    def close(self) -> None:
        """Stops serving; every open answer is cut."""
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def check(self) -> None:
        """Raises what leaving the `with` block would raise."""
        left_over = len(self._script) if self._strict else 0
        problems = [
            *self.violations,
            *([f"{left_over} entries of the script were not used"] * bool(left_over)),
        ]
        if problems:
            raise AssertionError("scripted server: " + "; ".join(problems))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is None:
            self.check()
        elif self.violations:
            error.add_note("scripted server: " + "; ".join(self.violations))

    def next_move(self, request: RecordedRequest) -> Move:
        """Records a request for a reply and takes its move from the script."""
        with self._lock:
            self.requests.append(request)
            found = [text for text in violations(request, self._system) if text not in self.allowed]
            wrong = [f"request {len(self.requests)}: {text}" for text in found]
            self._system = request.system or self._system
            if not self._script:
                wrong.append(f"request {len(self.requests)}: one more than the script has entries")
            self.violations += wrong
            if wrong:
                return Fail(400, "; ".join(wrong))
            entry = self._script.popleft()
        move = entry(request) if callable(entry) else entry
        return Say(move) if isinstance(move, str) else move


class _HttpServer(ThreadingHTTPServer):
    scripted: ScriptedServer
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Notes a client that left in the middle of an answer; anything else is the server's own fault."""
        error = sys.exception()
        if isinstance(error, ConnectionError):
            self.scripted.left.set()
        else:
            self.scripted.violations.append(f"the scripted server failed: {error!r}")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def scripted(self) -> ScriptedServer:
        return cast(_HttpServer, self.server).scripted

    def setup(self) -> None:
        super().setup()
        self.scripted.connections += 1

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        request = self._record()
        if self._refused(request):
            return
        self.scripted.other_requests.append(request)
        models, page = self.scripted.models, self.scripted.pages.get(request.path.partition("?")[0])
        if page is not None:
            self._answer(200, json.dumps(page).encode())
        elif not request.path.startswith(self.scripted.models_path):
            self._play(Fail(404, "no such path"), request)
        elif isinstance(models, Fail | Html):
            self._play(models, request)
        else:
            listed = [{"id": name, "object": "model", "created": 0, "owned_by": "test"} for name in models]
            self._answer(200, json.dumps({"object": "list", "data": listed, "has_more": False}).encode())

    def do_POST(self) -> None:
        request = self._record()
        if self._refused(request):
            return
        if request.path.partition("?")[0] in self.scripted.paths:
            self._play(self.scripted.next_move(request), request)
        else:
            self.scripted.other_requests.append(request)
            self._play(Fail(404, "no such path"), request)

    def _record(self) -> RecordedRequest:
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length)
        if len(body) < length:
            raise ConnectionResetError("the client has gone in the middle of its request")
        headers = {name.lower(): value for name, value in self.headers.items()}
        return RecordedRequest(self.command, self.path, headers, json.loads(body) if body else {})

    def _refused(self, request: RecordedRequest) -> bool:
        key = self.scripted.key
        given = (request.headers.get("authorization"), request.headers.get("x-api-key"))
        if key is None or f"Bearer {key}" == given[0] or key == given[1]:
            return False
        self.scripted.other_requests.append(request)
        self._answer(401, b'{"error": {"type": "authentication_error", "message": "invalid key"}}')
        return True

    def _play(self, move: Move, request: RecordedRequest) -> None:
        if isinstance(move, Say) and move.streamed:
            self._say(move, request)
        elif isinstance(move, Say):
            self._answer(200, json.dumps(unstreamed(move, request)).encode())
        elif isinstance(move, Fail):
            self._answer(move.status, failure_body(move, request.api), headers=move.headers)
        elif isinstance(move, Html):
            self._answer(move.status, move.text.encode(), "text/html; charset=utf-8")
        elif isinstance(move, Hang):
            self._wait(move.seconds)
            self.close_connection = True
        else:
            self._play_broken(move, request)

    def _play_broken(self, move: Drop | ErrorEvent | Raw, request: RecordedRequest) -> None:
        if isinstance(move, Raw):
            pieces = (move.body,) if isinstance(move.body, bytes) else move.body
            self._stream(pieces, move.content_type, move.status, cut=move.cut)
        elif isinstance(move, ErrorEvent):
            frames = streamed(Say(move.after), request)
            self._stream([*frames.opening, *frames.pieces, error_frame(move, request.api)])
        elif move.after_chunks == 0:
            self.close_connection = True
        else:
            frames = streamed(Say(move.text), request)
            self._stream([*frames.opening, *frames.pieces[: move.after_chunks]], cut=True)

    def _say(self, say: Say, request: RecordedRequest) -> None:
        frames = streamed(say, request)
        self._start_stream()
        self._send_pieces(frames.opening)
        for piece in frames.pieces:
            self._wait(say.delay_seconds)
            self._send_pieces([piece])
        self._send_pieces([*frames.closing, b""])

    def _answer(
        self, status: int, body: bytes, content_type: str = "application/json", headers: Any = None
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": content_type, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(
        self,
        pieces: Iterable[bytes],
        content_type: str = "text/event-stream",
        status: int = 200,
        cut: bool = False,
    ) -> None:
        self._start_stream(content_type, status)
        self._send_pieces(piece for piece in pieces if piece)
        if cut:
            self.close_connection = True
        else:
            self._send_pieces([b""])

    def _start_stream(self, content_type: str = "text/event-stream", status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _send_pieces(self, pieces: Iterable[bytes]) -> None:
        """Sends each piece as one chunk of the body; an empty one ends it."""
        for piece in pieces:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))

    def _wait(self, seconds: float) -> None:
        """Waits; a client that leaves meanwhile ends the wait, and so does the server's end."""
        deadline = time.monotonic() + seconds
        while (rest := deadline - time.monotonic()) > 0 and not self.scripted.closing.is_set():
            readable, _, _ = select.select([self.connection], [], [], min(rest, 0.02))
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                raise ConnectionAbortedError("the client left")
