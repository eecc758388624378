from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.support.endpoints import HELLO, whole_reply
from tests.support.scripted_provider import ScriptedProvider
from text_agent.config.limits import RETRY_AFTER_MAX_SECONDS
from text_agent.errors import (
    AuthenticationError,
    ConnectionFailedError,
    InvalidResponseError,
    ModelLoadingError,
    OverloadedError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    RequestRejectedError,
)
from text_agent.messages import ReplyPiece, ReplyRestarted
from text_agent.providers.retries import RetryingProvider


def waits(
    *errors: ProviderError, retries: int | None = None, chance: float = 1.0
) -> tuple[list[float], ScriptedProvider, ProviderError | None]:
    """The waits before the reply, or before the error that is raised in the end."""
    waited: list[float] = []
    scripted = ScriptedProvider([*errors, "Fine."])
    speaker = RetryingProvider(scripted, retries=retries, sleep=waited.append, chance=lambda: chance)
    assert (speaker.name, speaker.model) == ("scripted", "scripted-model")
    try:
        assert whole_reply(speaker).text == "Fine."
    except ProviderError as error:
        return waited, scripted, error
    finally:
        speaker.close()
    return waited, scripted, None


def with_wait(error: ProviderError, seconds: float) -> ProviderError:
    error.wait_seconds = seconds
    return error


def test_waits_grow_and_vary() -> None:
    errors = [OverloadedError("busy") for _ in range(4)]
    assert waits(*errors)[0] == [1.0, 2.0, 4.0, 8.0]
    assert waits(*errors, chance=0.0)[0] == [0.5, 1.0, 2.0, 4.0]


def test_the_last_error_says_how_often_it_was_tried() -> None:
    waited, scripted, error = waits(*(OverloadedError(f"busy {n}", hint="Wait.") for n in range(5)))
    assert (len(waited), len(scripted.requests)) == (4, 5)
    assert error is not None
    assert (str(error), error.hint) == ("busy 4", "Wait. It was tried 5 times.")


@pytest.mark.parametrize(
    ("error", "tries"),
    [
        (RateLimitError("slow down"), 5),
        (ConnectionFailedError("gone"), 3),
        (ProviderTimeoutError("silence"), 2),
        (InvalidResponseError("odd"), 2),
        (AuthenticationError("key"), 1),
        (RequestRejectedError("no"), 1),
    ],
)
def test_how_often_each_failure_is_tried(error: ProviderError, tries: int) -> None:
    _, scripted, raised = waits(*[error] * 9)
    assert raised is error
    assert len(scripted.requests) == tries


def test_a_timeout_that_the_endpoint_tells_is_like_other_answers() -> None:
    error = ProviderTimeoutError("408")
    error.status = 408
    assert len(waits(*[error] * 9)[1].requests) == 5


@pytest.mark.parametrize(("retries", "tries"), [(0, 1), (1, 2), (7, 8)])
def test_the_user_may_say_how_often(retries: int, tries: int) -> None:
    _, scripted, error = waits(*(ConnectionFailedError("gone") for _ in range(9)), retries=retries)
    assert error is not None
    assert len(scripted.requests) == tries
    assert len(waits(*(AuthenticationError("no") for _ in range(9)), retries=retries)[1].requests) == 1


def test_the_endpoint_may_say_when() -> None:
    assert waits(with_wait(RateLimitError("x"), 7.0), with_wait(RateLimitError("x"), 0.0))[0] == [7.0, 0.0]


def test_a_long_wait_is_told_and_not_waited() -> None:
    waited, scripted, error = waits(with_wait(RateLimitError("x"), RETRY_AFTER_MAX_SECONDS + 1))
    assert error is not None
    assert (waited, len(scripted.requests)) == ([], 1)
    assert waits(with_wait(RateLimitError("x"), RETRY_AFTER_MAX_SECONDS))[0] == [RETRY_AFTER_MAX_SECONDS]


def test_the_wait_is_told_before_it_begins() -> None:
    order: list[object] = []
    scripted = ScriptedProvider([OverloadedError("busy."), "Fine."])
    pieces: Generator[ReplyPiece, None, None] = RetryingProvider(
        scripted, sleep=order.append, chance=lambda: 1.0
    ).complete(HELLO)
    for piece in pieces:
        if isinstance(piece, ReplyRestarted):
            order.append(piece)
    assert order == [ReplyRestarted("busy.", 1.0, 2), 1.0]


def test_a_model_that_is_being_loaded_is_waited_for_for_minutes() -> None:
    errors = [with_wait(ModelLoadingError("loading"), 300.0) for _ in range(30)]
    waited, _, error = waits(*errors)
    assert error is None
    assert waited[:6] == [1.0, 2.0, 4.0, 8.0, 15.0, 15.0]
    waited, _, error = waits(*(ModelLoadingError("loading") for _ in range(99)), chance=0.0)
    assert error is not None
    assert sum(waited) > 300
    assert len(waits(*(ModelLoadingError("loading") for _ in range(9)), retries=2)[0]) == 2
