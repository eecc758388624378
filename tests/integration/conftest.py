"""What tests of real processes share."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.support.processes import Mark

SELF_SIGNED = Path(__file__).parent.parent / "support" / "self_signed.pem"


@pytest.fixture
def mark() -> Iterator[Mark]:
    """Fails a test that leaves a process behind."""
    made = Mark()
    yield made
    assert made.wait_until_none_runs() == []


@pytest.fixture
def untrusted_server() -> Iterator[str]:
    """The URL of a server with a certificate of its own making."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(SELF_SIGNED)
    server = _QuietServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"https://localhost:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


class _QuietServer(HTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """The client's refusal of the certificate is what is wanted."""
