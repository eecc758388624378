"""Sends a request again that failed for a reason which may pass."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator
from itertools import count

from text_agent.config.limits import (
    CONNECTION_RETRIES,
    LOADING_RETRIES,
    LOADING_RETRY_MAX_SECONDS,
    REQUEST_RETRIES,
    RETRY_AFTER_MAX_SECONDS,
    RETRY_FIRST_SECONDS,
    RETRY_MAX_SECONDS,
    SHARED_WAIT_MAX_SECONDS,
    SILENCE_RETRIES,
)
from text_agent.errors import (
    ConnectionFailedError,
    InvalidResponseError,
    ModelLoadingError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
)
from text_agent.messages import CompletionRequest, ReplyPiece, ReplyRestarted
from text_agent.providers.base import Provider
from text_agent.providers.shared_wait import SharedWait
from text_agent.providers.wrapper import ProviderWrapper

_SHARED_REASON = "the endpoint has asked another task to slow down."


class RetryingProvider(ProviderWrapper):
    """Wraps a provider; a failed request is sent again, unchanged, after a wait.

    The wait is told by a `ReplyRestarted`, and happens when the reader asks for the piece after it.

    Args:
        provider: what is asked.
        retries: how often at most, perhaps by the failure; None leaves it to the kind of failure.
        sleep: waits so many seconds.
        chance: a number from 0 to 1, so that many clients do not come back at the same moment.
        shared: what others wait for, and this one with them.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        retries: int | Callable[[ProviderError], int] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
        shared: SharedWait | None = None,
    ) -> None:
        super().__init__(provider)
        self._shared = shared or SharedWait()
        self._limit = retries if callable(retries) else _limit(retries)
        self._sleep = sleep
        self._chance = chance

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Asks the wrapped provider, as often as it takes and makes sense."""
        for attempt in count(1):
            if (seconds := self._shared.seconds()) > 0:
                yield ReplyRestarted(_SHARED_REASON, seconds, attempt)
                self._sleep(seconds)
            try:
                yield from self._provider.complete(request)
                return
            except ProviderError as error:
                wait = self._wait_before_next(error, attempt)
                if isinstance(error, RateLimitError):
                    self._shared.tell(error.wait_seconds or wait or 0)
                if wait is None:
                    raise _told(error, attempt) from error.__cause__
                reason = str(error)
            yield ReplyRestarted(reason, wait, attempt + 1)
            self._sleep(wait)

    def _wait_before_next(self, error: ProviderError, attempt: int) -> float | None:
        """The seconds until the next try; None if there should be none."""
        if not error.retryable or attempt > self._limit(error):
            return None
        if error.wait_seconds is not None and not isinstance(error, ModelLoadingError):
            # A wait that is longer than ours is told to the user, not waited.
            most = SHARED_WAIT_MAX_SECONDS if self._shared.is_shared else RETRY_AFTER_MAX_SECONDS
            return error.wait_seconds if error.wait_seconds <= most else None
        # A model may be loaded sooner than anybody could say.
        longest = LOADING_RETRY_MAX_SECONDS if isinstance(error, ModelLoadingError) else RETRY_MAX_SECONDS
        return growing_wait(attempt, longest) * (1 + self._chance()) / 2


def growing_wait(attempt: int, most: float) -> float:
    """The seconds after so many tries: twice those before, and not more than `most`."""
    return min(most, RETRY_FIRST_SECONDS * 2.0 ** (attempt - 1))


def _limit(retries: int | None) -> Callable[[ProviderError], int]:
    return _retries_after if retries is None else lambda _: retries


def _retries_after(error: ProviderError) -> int:
    """How often a request is sent again after a failure of this kind."""
    if isinstance(error, InvalidResponseError) or (
        isinstance(error, ProviderTimeoutError) and error.status is None
    ):
        return SILENCE_RETRIES
    if isinstance(error, ModelLoadingError):
        return LOADING_RETRIES
    return CONNECTION_RETRIES if isinstance(error, ConnectionFailedError) else REQUEST_RETRIES


def _told(error: ProviderError, attempts: int) -> ProviderError:
    if attempts > 1:
        error.hint = f"{error.hint} It was tried {attempts} times.".strip()
    return error
