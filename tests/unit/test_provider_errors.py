"""Every exception of the installed SDKs has a place in our own errors."""

from __future__ import annotations

import inspect
from types import ModuleType

import anthropic
import httpx2
import openai
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
from text_agent.providers import anthropic as anthropic_adapter
from text_agent.providers import openai_compatible as openai_adapter
from text_agent.providers.transport import TRANSPORT_ERRORS, translated

# By name; the SDKs share most of their names. A new kind of error in an SDK fails the test until it has
# its place here.
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
    "OAuthError": AuthenticationError,
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
    "ContentFilterFinishReasonError",
    "CredentialsError",
    "IdentityTokenFileError",
    "InvalidWebhookSignatureError",
    "LengthFinishReasonError",
    "OpenAIError",
    "RetryableError",
    "SubjectTokenProviderError",
    "WebSocketConnectionClosedError",
    "WebSocketQueueFullError",
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
def test_every_exception_of_the_anthropic_sdk_is_mapped(kind: type[Exception]) -> None:
    error = anthropic_adapter.provider_error(instance(kind), endpoint("http://127.0.0.1", "anthropic"))
    assert type(error) is expected(kind)


@pytest.mark.parametrize("kind", exceptions(openai), ids=lambda kind: kind.__name__)
def test_every_exception_of_the_openai_sdk_is_mapped(kind: type[Exception]) -> None:
    error = openai_adapter.provider_error(instance(kind), endpoint("http://127.0.0.1", "openai"))
    assert type(error) is expected(kind)


def test_even_what_cannot_come_is_told_in_one_sentence() -> None:
    where = endpoint("http://127.0.0.1", "openai", secret="sk-1")
    error = openai_adapter.provider_error(openai.OpenAIError("odd\nthing with sk-1"), where)
    assert str(error) == "the request to http://127.0.0.1/v1 failed: odd thing with ***"
    error = anthropic_adapter.provider_error(anthropic.RetryableError("odd"), where)
    assert str(error) == "the request to http://127.0.0.1/v1 failed: odd"


@pytest.mark.parametrize("kind", exceptions(httpx2), ids=lambda kind: kind.__name__)
def test_every_exception_of_the_transport_is_mapped(kind: type[Exception]) -> None:
    assert issubclass(kind, TRANSPORT_ERRORS)
    error = translated(kind.__new__(kind), endpoint("http://127.0.0.1", "openai"))
    timed_out = issubclass(kind, httpx2.TimeoutException)
    assert type(error) is (ProviderTimeoutError if timed_out else ConnectionFailedError)
