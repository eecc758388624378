"""Every exception of the vendor's SDK and of the HTTP client has a place in our own errors."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType

import anthropic
import httpx2
import pytest

from tests.support.endpoints import endpoint
from text_agent.errors import (
    AuthenticationError,
    ConnectionFailedError,
    ContextWindowExceededError,
    InvalidResponseError,
    OverloadedError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    RequestRejectedError,
)
from text_agent.providers.error_map import _KINDS, provider_error
from text_agent.providers.limited import TRANSPORT_ERRORS

WHERE = endpoint("http://127.0.0.1", "anthropic")
# By name. A new kind of error in the SDK fails the test until it has its place here.
EXPECTED: dict[str, type[ProviderError]] = {
    "APIConnectionError": ConnectionFailedError,
    "APIError": ProviderError,
    "APIResponseValidationError": InvalidResponseError,
    "APIStatusError": RequestRejectedError,
    "APITimeoutError": ProviderTimeoutError,
    "AuthenticationError": AuthenticationError,
    "BadRequestError": RequestRejectedError,
    "ClientClosedRequestError": RequestRejectedError,
    "ConflictError": RequestRejectedError,
    "ContentTooLargeError": ContextWindowExceededError,
    "GatewayTimeoutError": OverloadedError,
    "HTTPNotImplementedError": OverloadedError,
    "InternalServerError": OverloadedError,
    "NotFoundError": RequestRejectedError,
    "OverloadedError": OverloadedError,
    "PaymentRequiredError": RequestRejectedError,
    "PermissionDeniedError": AuthenticationError,
    "PreconditionFailedError": RequestRejectedError,
    "RateLimitError": RateLimitError,
    "RequestHeaderFieldsTooLargeError": RequestRejectedError,
    "RequestTimeoutError": ProviderTimeoutError,
    "ServiceUnavailableError": OverloadedError,
    "UnprocessableEntityError": RequestRejectedError,
}
# What cannot come from a request for a reply: other credentials, web sockets, webhooks, typed parsing; and
# from the transport, what belongs to URLs (checked before) and cookies (not kept).
OUT_OF_PLACE = {
    "APIWebhookValidationError",
    "AnthropicError",
    "CookieConflict",
    "HTTPXDeprecationWarning",
    "InvalidURL",
    "CredentialsError",
    "IdentityTokenFileError",
    "RetryableError",
    "WorkloadIdentityError",
}


def exceptions(sdk: ModuleType) -> list[type[Exception]]:
    """The exceptions that a package names to its users, and that can come from a request for a reply."""
    named = [value for name, value in vars(sdk).items() if not name.startswith("_")]
    kinds = {value for value in named if inspect.isclass(value) and issubclass(value, Exception)}
    return sorted((k for k in kinds if k.__name__ not in OUT_OF_PLACE), key=lambda kind: kind.__name__)


def expected(kind: type[Exception]) -> type[ProviderError]:
    """By the nearest base that stands in the table; merely being some error of the API is no place."""
    known = [base.__name__ for base in kind.__mro__ if base.__name__ in EXPECTED]
    assert known, f"{kind.__name__} has no place yet"
    assert known[0] != "APIError" or kind.__name__ == "APIError", f"{kind.__name__} has no place yet"
    return EXPECTED[known[0]]


def instance(kind: type[Exception]) -> Exception:
    """An exception with the attributes that the SDK gives it, whatever its constructor takes."""
    error = kind.__new__(kind)
    status = getattr(kind, "status_code", 500 if kind.__name__ == "InternalServerError" else 400)
    request = httpx2.Request("POST", "http://127.0.0.1/")
    response = httpx2.Response(status, request=request, text="what the server says")
    vars(error).update(message="what the SDK says", request=request, response=response, status_code=status)
    error.args = ("what the SDK says",)
    return error


@pytest.mark.parametrize("kind", exceptions(anthropic), ids=lambda kind: kind.__name__)
def test_every_exception_of_the_sdk_is_mapped(kind: type[Exception]) -> None:
    assert issubclass(kind, anthropic.AnthropicError)
    error = provider_error(instance(kind), WHERE)
    assert type(error) is expected(kind)


def test_even_what_cannot_come_is_told_in_one_sentence() -> None:
    where = endpoint("http://127.0.0.1", "anthropic", secret="sk-1")
    for kind in (anthropic.RetryableError, httpx2.InvalidURL, httpx2.CookieConflict):
        error = provider_error(kind("odd\nthing with sk-1"), where)
        assert str(error) == "the request to http://127.0.0.1 failed: odd thing with ***"


def test_what_the_sdk_has_wrapped_is_taken_out() -> None:
    ours = AuthenticationError("no")
    error = anthropic.APIConnectionError(request=httpx2.Request("POST", "http://127.0.0.1/"))
    error.__cause__ = ours
    assert provider_error(error, WHERE) is ours


@pytest.mark.parametrize("kind", exceptions(httpx2), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("begun", [False, True])
def test_every_exception_of_the_transport_is_mapped(kind: type[Exception], begun: bool) -> None:
    assert issubclass(kind, TRANSPORT_ERRORS)
    error = provider_error(kind.__new__(kind), WHERE, begun=begun)
    timed_out = issubclass(kind, httpx2.TimeoutException)
    assert type(error) is (ProviderTimeoutError if timed_out else ConnectionFailedError)
    assert timed_out or ("broke off" in str(error)) is begun


def test_every_row_of_the_map_is_a_class_that_exists() -> None:
    for name in _KINDS:
        package, _, kind = name.partition(".")
        assert issubclass(getattr(importlib.import_module(package), kind), Exception)
