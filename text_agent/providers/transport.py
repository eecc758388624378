"""The HTTP under both APIs: how long to wait, whom to trust, and what is sent beside a body."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

import httpx2

from text_agent.config.limits import (
    CONNECT_TIMEOUT_SECONDS,
    IDLE_TIMEOUT_SECONDS,
    KEPT_CONNECTION_SECONDS,
    LIST_TIMEOUT_SECONDS,
    PROBE_TIMEOUT_SECONDS,
    TOTAL_TIMEOUT_SECONDS,
)
from text_agent.config.secret_values import is_secret_name
from text_agent.config.version import __version__
from text_agent.errors import ConfigError
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.error_map import provider_error, refusal
from text_agent.providers.limited import TRANSPORT_ERRORS, TimedStream, whole
from text_agent.providers.request_log import RequestLog
from text_agent.providers.urls import is_loopback

# What sending a request can raise beside what reading its answer can: of a proxy's name, or of a URL.
SENDING_ERRORS = (*TRANSPORT_ERRORS, httpx2.InvalidURL, UnicodeError)
Method = Literal["GET", "POST"]
# Of a request without a body.
NOTHING = b""
_PROXY_HINT = "Look at HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, or put the endpoint's host in NO_PROXY."


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an endpoint, in seconds: for a connection, in silence, and for a whole reply."""

    connect_seconds: float = CONNECT_TIMEOUT_SECONDS
    idle_seconds: float = IDLE_TIMEOUT_SECONDS
    total_seconds: float = TOTAL_TIMEOUT_SECONDS


PATIENCE = Patience()
PROBE_PATIENCE = Patience(idle_seconds=PROBE_TIMEOUT_SECONDS, total_seconds=PROBE_TIMEOUT_SECONDS)


class Transport(Protocol):
    """Sends requests to one endpoint."""

    def send(
        self, method: Method, url: str, content: bytes = NOTHING, seconds: float | None = None
    ) -> httpx2.Response:
        """Sends a request.

        Args:
            method: of the request.
            url: the whole URL.
            content: the body.
            seconds: of silence that end the request; None: as many as a reply may take.

        Returns:
            The answer with a success status, whose body is still to come; it must be closed.

        Raises:
            ProviderError: there is none, or one with another status.
        """
        ...

    def close(self) -> None:
        """Closes the connections."""
        ...


class HttpTransport:
    """Sends requests over HTTP, without a vendor's SDK.

    Args:
        endpoint: where to.
        headers: of the API, with the key.
        patience: how long to wait.
        log: where requests and answers are written to.

    Raises:
        ConfigError: the certificates, the proxy or the URL cannot be used.
    """

    def __init__(
        self, endpoint: Endpoint, headers: Mapping[str, str], patience: Patience, log: RequestLog | None
    ) -> None:
        self._endpoint = endpoint
        own = {"Accept": "application/json", "Content-Type": "application/json", **headers}
        self._client = create_client(partial(httpx2.Client, headers=own), patience, endpoint, log)

    def send(
        self, method: Method, url: str, content: bytes = NOTHING, seconds: float | None = None
    ) -> httpx2.Response:
        """Sends a request; see `Transport.send`."""
        limit = httpx2.USE_CLIENT_DEFAULT if seconds is None else httpx2.Timeout(seconds)
        try:
            request = self._client.build_request(method, url, content=content or None, timeout=limit)
            return self._client.send(request, stream=True)
        except SENDING_ERRORS as error:
            raise provider_error(error, self._endpoint) from error

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()


def text_at(transport: Transport, url: str, seconds: float, endpoint: Endpoint) -> str:
    """The text of an answer to a `GET`.

    Raises:
        ProviderError: there is none in so many seconds, or one without a success status.
    """
    response = transport.send("GET", url, seconds=seconds)
    try:
        return whole(response, endpoint)
    except TRANSPORT_ERRORS as error:
        raise provider_error(error, endpoint, begun=True) from error


def create_client(
    kind: Callable[..., httpx2.Client], patience: Patience, endpoint: Endpoint, log: RequestLog | None
) -> httpx2.Client:
    """Makes an HTTP client of some kind, the SDK's for one.

    Raises:
        ConfigError: the certificates or the proxy, of the settings or of the environment, cannot be used.
    """
    try:
        return kind(**_client_options(patience, endpoint, log))
    except ImportError as error:
        raise ConfigError("a SOCKS proxy needs the package socksio.", hint=_PROXY_HINT) from error
    except OSError as error:
        raise ConfigError(
            f"the file of certificates in SSL_CERT_FILE cannot be used: {error.strerror}.",
            hint="It must hold certificates in PEM form.",
        ) from error
    except (ValueError, httpx2.InvalidURL) as error:
        raise ConfigError("the URL of the proxy cannot be used.", hint=_PROXY_HINT) from error


def _client_options(patience: Patience, endpoint: Endpoint, log: RequestLog | None) -> dict[str, Any]:
    options: dict[str, Any] = {
        # No limit for the whole of a reply here: silence is another thing than a long reply.
        "timeout": httpx2.Timeout(patience.idle_seconds, connect=patience.connect_seconds),
        # Not every header with a key would be taken off on the way to another host.
        "follow_redirects": False,
        "limits": httpx2.Limits(keepalive_expiry=KEPT_CONNECTION_SECONDS),
        "event_hooks": {
            "request": [_adding_headers(endpoint), *([log.sent] if log else [])],
            "response": [*([log.answered] if log else []), _limiting(patience, endpoint)],
        },
    }
    if is_loopback(endpoint.base_url):
        # A company's proxy, named in the environment, knows nothing of this machine.
        options["trust_env"] = False
    if endpoint.ca_file:
        options["verify"] = _trusting(endpoint.ca_file)
    elif endpoint.base_url.startswith("http://"):
        # Nothing is encrypted: the certificates need not be loaded, and none is trusted.
        options["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return options


def _adding_headers(endpoint: Endpoint) -> Callable[[httpx2.Request], None]:
    """Sets our name, and the user's headers in the place of the API's, in whatever case they are written."""
    has_own_key = not endpoint.secret and any(is_secret_name(name) for name, _ in endpoint.headers)

    def add(request: httpx2.Request) -> None:
        request.headers["User-Agent"] = f"text-agent/{__version__}"
        if has_own_key:
            # A placeholder beside a key that stands elsewhere would be taken for a wrong key.
            for name in ("authorization", "x-api-key"):
                request.headers.pop(name, None)
        for name, value in endpoint.headers:
            request.headers[name] = value

    return add


def _limiting(patience: Patience, endpoint: Endpoint) -> Callable[[httpx2.Response], None]:
    """Gives each answer its time; one without a success status ends in our error."""

    def limit(response: httpx2.Response) -> None:
        is_reply = response.is_success and response.request.method == "POST"
        seconds = patience.total_seconds if is_reply else min(LIST_TIMEOUT_SECONDS, patience.total_seconds)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = TimedStream(response.stream, seconds, endpoint)
        if not response.is_success:
            raise refusal(response, endpoint)

    return limit


def _trusting(ca_file: str) -> ssl.SSLContext:
    context = httpx2.create_ssl_context()
    try:
        context.load_verify_locations(ca_file)
    except (OSError, ssl.SSLError) as error:
        reason = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise ConfigError(
            f"the CA file {ca_file!r} cannot be used: {reason}.",
            hint="It must hold certificates in PEM form: --ca-file, TEXT_AGENT_CA_FILE.",
        ) from error
    return context
