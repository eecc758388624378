"""The HTTP under both SDKs: how long to wait, how often to try, and what its errors mean."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from text_agent.config import (
    CONNECT_TIMEOUT_SECONDS,
    IDLE_TIMEOUT_SECONDS,
    REQUEST_RETRIES,
    RETRY_AFTER_MAX_SECONDS,
)
from text_agent.errors import ProviderError
from text_agent.providers import failures
from text_agent.providers.endpoint import Endpoint

# What reading an answer can raise; until its first byte, the SDKs raise errors of their own instead.
TRANSPORT_ERRORS = (httpx2.HTTPError, httpx2.StreamError, OSError)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an endpoint, in seconds, and how often to ask again."""

    connect_seconds: float = CONNECT_TIMEOUT_SECONDS
    idle_seconds: float = IDLE_TIMEOUT_SECONDS
    retries: int = REQUEST_RETRIES
    retry_after_max_seconds: float = RETRY_AFTER_MAX_SECONDS


PATIENCE = Patience()


def timeout(patience: Patience) -> httpx2.Timeout:
    """No limit for the whole of a reply, only for its connection and for silence."""
    return httpx2.Timeout(patience.idle_seconds, connect=patience.connect_seconds)


def event_hooks(patience: Patience) -> dict[str, list[Callable[..., Any]]]:
    """Hooks for the HTTP client: a wait that is longer than ours is told to the user, not waited."""

    def limit_wait(response: httpx2.Response) -> None:
        if retry_after_seconds(response.headers, now=time.time()) > patience.retry_after_max_seconds:
            response.headers["x-should-retry"] = "false"

    return {"response": [limit_wait]}


def retry_after_seconds(headers: Mapping[str, str], *, now: float) -> float:
    """How long the endpoint asks to wait; 0 if it does not.

    Args:
        headers: of the answer; their names in any case.
        now: the time in seconds since the epoch, for a header that names a date.
    """
    value = headers.get("retry-after", "")
    try:
        return float(value)
    except ValueError:
        date = email.utils.parsedate_tz(value)
        return max(0.0, email.utils.mktime_tz(date) - now) if date else 0.0


def translated(error: Exception, endpoint: Endpoint) -> ProviderError:
    """Our error for one of `TRANSPORT_ERRORS`, raised while an answer was read."""
    if isinstance(error, httpx2.TimeoutException):
        return failures.timed_out(endpoint)
    return failures.broke_off(endpoint, error)
