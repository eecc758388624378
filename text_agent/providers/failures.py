"""What went wrong at an endpoint, in one sentence, with a hint what to do.

The adapters recognise a failure; the words for it are here, the same for all of them.
"""

from __future__ import annotations

import json
import math
import re
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2

from text_agent.config.table import without_credentials
from text_agent.errors import (
    AuthenticationError,
    ConnectionFailedError,
    ContextWindowExceededError,
    InvalidResponseError,
    ModelLoadingError,
    ModelMissingError,
    OverloadedError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    RequestRejectedError,
)
from text_agent.lazy_regex import late_pattern
from text_agent.providers import overflow
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.error_bodies import is_html, words

# The status that a type of error would have had, if it had come before the stream instead of in it.
_STATUS_BY_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "request_too_large": 413,
    "exceed_context_size_error": 413,
    "context_length_exceeded": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "timeout_error": 408,
    "overloaded_error": 529,
}
_MODEL_MISSING = late_pattern(
    r"(invalid|unknown|unsupported|no such) model"
    r"|model\b.*(not found|does not exist|doesn't exist|not exist|not available|not loaded)"
    r"|^model: ",
    re.IGNORECASE,
)
# What a server says that is not ready yet: with the status 503 always, with others if it speaks of the model.
_LOADING = late_pattern(
    r"(?<![a-z])(?:loading|being loaded|load in progress|not (?:yet )?(?:fully )?(?:loaded|ready)"
    r"|warming[ _-]?up|initiali[sz]ing|starting|starts up|start-?up)(?![a-z])",
    re.IGNORECASE,
)
_LOAD_FAILED = late_pattern(
    r"\b(?:error|fail\w*|unable|cannot|could ?n.t|terminated|exited|crashed)\b.{0,60}\b(?:load|start)",
    re.IGNORECASE | re.DOTALL,
)
_NO_CREDIT = late_pattern(
    r"insufficient[_ ](quota|credit|balance|fund)|credit balance|out of credit|billing_hard_limit",
    re.IGNORECASE,
)
# The HTTP library's own words that say nothing to a user.
_HTTP_WORDS = {"Receive buffer too long": "its HTTP headers have no end"}
_STATUS = late_pattern(r"[45][0-9]{2}")


def refused(
    endpoint: Endpoint, status: int, body: str, *, label: str = "", wait_seconds: float | None = None
) -> ProviderError:
    """The endpoint answered with an error status, or with an error in a reply's place.

    Args:
        endpoint: who answered.
        status: the HTTP status, or the one that belongs to the error's type.
        body: the answer as it came.
        label: what the error is called; the status if empty.
        wait_seconds: how long it asks to wait, if it does.
    """
    error = _refusal(endpoint, status, body, label or str(status), wait_seconds)
    error.status, error.body, error.wait_seconds = status, body, wait_seconds
    if status == 409:
        error.retryable = True  # a conflict passes
    if status == 501 or (status == 429 and _NO_CREDIT.search(body)):
        error.retryable = False  # what is not implemented stays so, and an account stays empty
    return error


def _refusal(
    endpoint: Endpoint, status: int, body: str, label: str, wait_seconds: float | None
) -> ProviderError:
    said = endpoint.quoted(words(body))
    detail = f"({label}): {said}" if said else f"({label})."
    if status in (401, 403):
        return AuthenticationError(f"{endpoint.shown} refused access {detail}", hint=_key_hint(endpoint))
    if status == 429 and _NO_CREDIT.search(body):
        return RateLimitError(
            f"the account has no credit left {detail}", hint="Look at its plan and billing."
        )
    if status == 429:
        return RateLimitError(f"{endpoint.shown} asks to slow down {detail}", hint=_wait_hint(wait_seconds))
    if status == 408:
        return ProviderTimeoutError(f"{endpoint.shown} gave up waiting {detail}", hint="Try again.")
    if status == 413 or overflow.is_overflow(said):
        return _too_long(endpoint, body, detail)
    if _is_loading(status, said):
        return ModelLoadingError(
            f"{endpoint.shown} is loading the model {detail}", hint="Try again when it is loaded."
        )
    if status >= 500:
        return OverloadedError(
            f"{endpoint.shown} failed on its own side {detail}", hint=_wait_hint(wait_seconds)
        )
    return _rejected(endpoint, status, said, detail)


def _is_loading(status: int, said: str) -> bool:
    may_be = status == 503 or (status in (425, 500, 502) and "model" in said.lower())
    return may_be and bool(_LOADING.search(said)) and not _LOAD_FAILED.search(said)


def error_in_reply(endpoint: Endpoint, error: object) -> ProviderError:
    """The endpoint reported an error where a reply, or the next piece of one, was due."""
    fields = error if isinstance(error, Mapping) else {}
    label = next((str(fields[key]) for key in ("type", "code") if fields.get(key)), "in the reply")
    body = json.dumps({"error": error})
    return refused(endpoint, _status(fields, words(body)), body, label=endpoint.quoted(label))


def moved(endpoint: Endpoint, location: str) -> ProviderError:
    """The endpoint sent us somewhere else."""
    target = without_credentials(location)
    return RequestRejectedError(
        f"{endpoint.tried} has moved to {target}.",
        hint=f"If that is right, use --base-url {target.removesuffix(endpoint.path)}",
    )


def unreachable(endpoint: Endpoint, error: BaseException) -> ProviderError:
    """No connection came about."""
    for cause in _causes(error):
        if found := _no_way(endpoint, cause):
            message, hint = found
            settled = ConnectionFailedError(message, hint=hint)
            settled.retryable = False
            return settled
    return ConnectionFailedError(
        f"cannot reach {endpoint.shown}: {endpoint.quoted(_reason(error))}.",
        hint="Is the server running, and is the base URL right?",
    )


def _no_way(endpoint: Endpoint, cause: BaseException) -> tuple[str, str] | None:
    """A sentence and a hint for a cause that does not pass by itself; None for any other."""
    match cause:
        case ssl.SSLCertVerificationError(verify_message=reason):
            return (
                f"the certificate of {endpoint.shown} is not trusted: {reason}.",
                "Behind a company's proxy, name its CA file with --ca-file or in SSL_CERT_FILE; for a "
                "server on this machine, use http:// or put its host in NO_PROXY.",
            )
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER"):
            hint = "If it is a server of your own, write its base URL with http://."
            return f"what answers at {endpoint.shown} does not speak https.", hint
        case httpx2.ProxyError():
            hint = "Check HTTPS_PROXY, or put the endpoint's host in NO_PROXY."
            return (
                f"the proxy does not let us through to {endpoint.shown}: {endpoint.quoted(str(cause))}.",
                hint,
            )
    return None


def timed_out(endpoint: Endpoint) -> ProviderError:
    """Nothing came for as long as we wait."""
    return ProviderTimeoutError(
        f"{endpoint.shown} did not answer in time.",
        hint="Is the server busy, or the model too large for the machine?",
    )


def endless(endpoint: Endpoint, seconds: float) -> ProviderError:
    """A reply went on for longer than any does."""
    error = ProviderTimeoutError(
        f"{endpoint.shown} did not end its reply within {seconds:,.0f} seconds.",
        hint="The request was given up; a smaller --max-tokens ends replies sooner.",
    )
    error.retryable = False
    return error


def too_large(endpoint: Endpoint, limit: int) -> ProviderError:
    """An answer, or a part of it, has more bytes than any that makes sense."""
    error = InvalidResponseError(
        f"{endpoint.shown} sent more than {limit // 1_000_000} MB where no reply is as long.",
        hint="The request was given up; check the server, or set a smaller --max-tokens.",
    )
    error.retryable = False
    return error


def broke_off(endpoint: Endpoint, error: BaseException | None = None) -> ProviderError:
    """The reply ended without its end."""
    reason = f": {endpoint.quoted(_reason(error))}" if error else ""
    return ConnectionFailedError(
        f"{endpoint.shown} broke off in the middle of the reply{reason}.",
        hint="Nothing of the partial reply was used; try again.",
    )


def ended(endpoint: Endpoint) -> ProviderError:
    """The answer ended before a reply began."""
    return ConnectionFailedError(f"{endpoint.tried} ended its answer without a reply.", hint="Try again.")


def not_a_reply(endpoint: Endpoint, body: str) -> ProviderError:
    """The endpoint answered something that is no reply."""
    if is_html(body):
        page = InvalidResponseError(
            f"{endpoint.tried} answered with {words(body)} instead of a reply.",
            hint="Check the base URL: proxies and gateways answer so to a wrong path or a missing login.",
        )
        page.retryable, page.nothing_here = False, True
        return page
    said = endpoint.quoted(body) or "nothing"
    return InvalidResponseError(
        f"{endpoint.tried} gave no reply of the model {endpoint.model!r}: {said}",
        hint="Does the endpoint speak the API of this provider? --provider chooses another.",
    )


def _too_long(endpoint: Endpoint, body: str, detail: str) -> ProviderError:
    error = ContextWindowExceededError(
        f"the request is too long for {endpoint.model!r} {detail}",
        hint="Begin a new conversation (/clear), or tell the model's size with --context-tokens.",
    )
    error.limit_tokens = overflow.limit_in(body)
    return error


def _rejected(endpoint: Endpoint, status: int, said: str, detail: str) -> ProviderError:
    if status in (400, 404, 422) and _MODEL_MISSING.search(said):
        return ModelMissingError(
            f"{endpoint.shown} has no model {endpoint.model!r} {detail}",
            hint="Choose one with --model or TEXT_AGENT_MODEL.",
        )
    if status in (404, 405):
        nothing = RequestRejectedError(
            f"nothing is served at {endpoint.tried} {detail}", hint="Check the base URL."
        )
        nothing.nothing_here = True
        return nothing
    return RequestRejectedError(f"{endpoint.shown} refused the request {detail}")


def _status(error: Mapping[str, Any], said: str) -> int:
    """The status that an error inside a 200 stands for; 500 if neither its fields nor its words say."""
    for key in ("code", "status", "status_code", "type"):
        value = error.get(key)
        if isinstance(value, int) and 400 <= value < 600:
            return value
        if isinstance(value, str) and value in _STATUS_BY_TYPE:
            return _STATUS_BY_TYPE[value]
        if isinstance(value, str) and _STATUS.fullmatch(value):
            return int(value)
    return 404 if _MODEL_MISSING.search(said) else 500


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, the deepest cause last."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__


def _reason(error: BaseException) -> str:
    """What the deepest cause says, without the number that the system gives it, and without a full stop."""
    *_, deepest = _causes(error)
    words = deepest.strerror if isinstance(deepest, OSError) else None
    said = (words or str(deepest) or type(deepest).__name__).rstrip(".")
    return _HTTP_WORDS.get(said, said)


def _key_hint(endpoint: Endpoint) -> str:
    if endpoint.secret:
        return f"Check the key in {endpoint.key_variable} or TEXT_AGENT_API_KEY, and what it may do."
    return f"The endpoint wants a key: set TEXT_AGENT_API_KEY or {endpoint.key_variable}."


def _wait_hint(seconds: float | None) -> str:
    return f"Try again in {math.ceil(seconds)} seconds." if seconds else "Try again in a while."
