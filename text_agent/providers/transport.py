"""The HTTP under both SDKs: how long to wait, whom to trust, and what its errors mean."""

from __future__ import annotations

import email.utils
import math
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from text_agent.config.limits import (
    CONNECT_TIMEOUT_SECONDS,
    IDLE_TIMEOUT_SECONDS,
    PROBE_TIMEOUT_SECONDS,
    TOTAL_TIMEOUT_SECONDS,
)
from text_agent.config.secret_values import is_secret_name
from text_agent.errors import ConfigError, ProviderError
from text_agent.providers import failures
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.request_log import RequestLog
from text_agent.providers.urls import is_loopback

# What reading an answer can raise; until its first byte, the SDKs raise errors of their own instead.
TRANSPORT_ERRORS = (httpx2.HTTPError, httpx2.StreamError, OSError)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an endpoint, in seconds: for a connection, in silence, and for a whole reply."""

    connect_seconds: float = CONNECT_TIMEOUT_SECONDS
    idle_seconds: float = IDLE_TIMEOUT_SECONDS
    total_seconds: float = TOTAL_TIMEOUT_SECONDS


PATIENCE = Patience()
PROBE_PATIENCE = Patience(idle_seconds=PROBE_TIMEOUT_SECONDS, total_seconds=PROBE_TIMEOUT_SECONDS)


def client_options(patience: Patience, endpoint: Endpoint, log: RequestLog | None) -> dict[str, Any]:
    """What the HTTP client of either SDK is made with.

    Raises:
        ConfigError: the endpoint's file of certificates cannot be used.
    """
    # No limit for the whole of a reply here: silence is another thing than a long reply. And no redirect is
    # followed: not every header with a key would be taken off on the way to another host.
    options: dict[str, Any] = {"timeout": timeout(patience), "follow_redirects": False}
    if is_loopback(endpoint.base_url):
        # A company's proxy, named in the environment, knows nothing of this machine.
        options["trust_env"] = False
    if endpoint.ca_file:
        options["verify"] = _trusting(endpoint.ca_file)
    elif endpoint.base_url.startswith("http://"):
        # Nothing is encrypted: the certificates need not be loaded, and none is trusted.
        options["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    options["event_hooks"] = {
        "request": [_adding_headers(endpoint), *([log.sent] if log else [])],
        "response": [_as_utf8, *([log.answered] if log else [])],
    }
    return options


def _adding_headers(endpoint: Endpoint) -> Callable[[httpx2.Request], None]:
    """Sets the user's headers in the place of the SDK's, in whatever case they are written."""
    has_own_key = not endpoint.secret and any(is_secret_name(name) for name, _ in endpoint.headers)

    def add(request: httpx2.Request) -> None:
        if has_own_key:
            # A placeholder beside a key that stands elsewhere would be taken for a wrong key.
            for name in ("authorization", "x-api-key"):
                request.headers.pop(name, None)
        for name, value in endpoint.headers:
            request.headers[name] = value

    return add


def _as_utf8(response: httpx2.Response) -> None:
    """Texts are read as JSON has them: the SDKs fail at a charset that is wrong, or none of texts."""
    response.encoding = "utf-8"


def timeout(patience: Patience) -> httpx2.Timeout:
    """How long a connection and a silence may take."""
    return httpx2.Timeout(patience.idle_seconds, connect=patience.connect_seconds)


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


def within(
    chunks: Iterator[bytes],
    patience: Patience,
    endpoint: Endpoint,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[bytes]:
    """The same chunks, as long as they come within the limit for a whole reply.

    Raises:
        ProviderError: they go on for longer.
    """
    end = clock() + patience.total_seconds
    for chunk in chunks:
        if clock() > end:
            raise failures.endless(endpoint, patience.total_seconds)
        yield chunk


def retry_after_seconds(headers: Mapping[str, str], *, now: float) -> float | None:
    """How long the endpoint asks to wait; None if it does not, or in no way that we know.

    Args:
        headers: of the answer; their names in any case.
        now: the time in seconds since the epoch, for a header that names a date.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, "")) * unit
        if math.isfinite(seconds):
            return max(0.0, seconds)
    date = _date(headers.get("retry-after", ""))
    return None if date is None else max(0.0, date - now)


def _date(text: str) -> float | None:
    """A header's date in seconds since the epoch; None if it is none, or one that no calendar has."""
    date = email.utils.parsedate_tz(text)
    try:
        return email.utils.mktime_tz(date) if date else None
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def refusal(response: httpx2.Response, endpoint: Endpoint) -> ProviderError:
    """Our error for an answer with an error status, or a redirect, which was read."""
    if response.has_redirect_location and (moved := _moved(response, endpoint)):
        return moved
    # The server's own clock, if it tells the time: one of the two may be wrong.
    server_time = _date(response.headers.get("date", ""))
    now = time.time() if server_time is None else server_time
    wait_seconds = retry_after_seconds(response.headers, now=now)
    return failures.refused(endpoint, response.status_code, response.text, wait_seconds=wait_seconds)


def _moved(response: httpx2.Response, endpoint: Endpoint) -> ProviderError | None:
    """Our error for a redirect; None if it leads nowhere."""
    try:
        return failures.moved(endpoint, str(response.url.join(response.headers["location"])))
    except (ValueError, httpx2.InvalidURL):
        return None


def translated(error: Exception, endpoint: Endpoint) -> ProviderError:
    """Our error for one of `TRANSPORT_ERRORS`, raised while an answer was read."""
    if isinstance(error, httpx2.TimeoutException):
        return failures.timed_out(endpoint)
    return failures.broke_off(endpoint, error)
