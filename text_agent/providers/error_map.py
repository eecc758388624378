"""Which of our errors stands for an exception of the HTTP client or the vendor's SDK, or for a refusal."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Literal

import httpx2

from text_agent.errors import ProviderError
from text_agent.providers import failures
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.limited import beginning
from text_agent.providers.retry_after import http_date, retry_after_seconds

Kind = Literal["timed out", "lost", "refused", "odd", "failed"]

# By package and name of the class; the nearest base that has a row counts. The SDK's classes stand here by
# name because it is imported for its vendor's own host alone.
_KINDS: Mapping[str, Kind] = {
    "httpx2.TimeoutException": "timed out",
    "httpx2.HTTPError": "lost",
    "httpx2.StreamError": "lost",
    "builtins.OSError": "lost",
    "builtins.UnicodeError": "lost",
    "anthropic.APITimeoutError": "timed out",
    "anthropic.APIConnectionError": "lost",
    "anthropic.APIStatusError": "refused",
    "anthropic.APIResponseValidationError": "odd",
    # What no request of ours ends in; all SDKs have such errors, of files, of web sockets, of cookies.
    "builtins.Exception": "failed",
}


def provider_error(error: Exception, endpoint: Endpoint, *, begun: bool = False) -> ProviderError:
    """Returns our error for an exception.

    Args:
        error: what was raised; one of ours that the SDK has wrapped is that one.
        endpoint: who was asked.
        begun: an answer had begun.
    """
    if isinstance(error.__cause__, ProviderError):
        return error.__cause__
    match kind_of(type(error)):
        case "timed out":
            return failures.timed_out(endpoint)
        case "lost":
            return failures.broke_off(endpoint, error) if begun else failures.unreachable(endpoint, error)
        case "refused":
            return refusal(error.response, endpoint)  # type: ignore[attr-defined]
        case "odd":
            return failures.not_a_reply(endpoint, str(error))
        case "failed":
            return ProviderError(f"the request to {endpoint.shown} failed: {endpoint.quoted(str(error))}")


def kind_of(kind: type[Exception]) -> Kind:
    """Which kind of failure an exception's class stands for."""
    names = (f"{base.__module__.partition('.')[0]}.{base.__name__}" for base in kind.__mro__)
    return next(_KINDS[name] for name in names if name in _KINDS)


def refusal(response: httpx2.Response, endpoint: Endpoint) -> ProviderError:
    """Returns our error for an answer with an error status, or a redirect; reads of its body what fits."""
    if response.has_redirect_location and (moved := _moved(response, endpoint)):
        return moved
    # The server's own clock, if it tells the time: one of the two may be wrong.
    server_time = http_date(response.headers.get("date", ""))
    now = time.time() if math.isnan(server_time) else server_time
    wait_seconds = retry_after_seconds(response.headers, now=now)
    return failures.refused(endpoint, response.status_code, beginning(response), wait_seconds=wait_seconds)


def _moved(response: httpx2.Response, endpoint: Endpoint) -> ProviderError | None:
    """Our error for a redirect; None if it leads nowhere."""
    try:
        return failures.moved(endpoint, str(response.url.join(response.headers["location"])))
    except (ValueError, httpx2.InvalidURL):
        return None
