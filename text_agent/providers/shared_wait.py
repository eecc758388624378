"""A wait that an endpoint has asked one program for, and that others which use it keep as well."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

from text_agent.config.limits import RETRY_FIRST_SECONDS, SHARED_WAIT_MAX_SECONDS


class SharedWait:
    """The moment before which nobody sends a request: the time of a file, which is set ahead.

    Args:
        file: the same for all programs that wait together; None: this one waits for itself.
        clock: tells the seconds since the epoch.
        chance: a number from 0 to 1, so that not all come back at the same moment.
    """

    def __init__(
        self,
        file: Path | None = None,
        clock: Callable[[], float] = time.time,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._file = file
        self._clock = clock
        self._chance = chance

    @property
    def is_shared(self) -> bool:
        """Whether anybody else keeps it."""
        return self._file is not None

    def tell(self, seconds: float) -> None:
        """Has all wait so long from now on; what they wait already is never made shorter."""
        if self._file is None:
            return
        until = self._clock() + min(seconds, SHARED_WAIT_MAX_SECONDS)
        with contextlib.suppress(OSError):  # without the file, each waits for itself
            if until > self._until(self._file):
                self._file.touch()
                os.utime(self._file, (until, until))

    def seconds(self) -> float:
        """Returns how long there is still to wait; 0: not at all."""
        if self._file is None or (left := self._until(self._file) - self._clock()) <= 0:
            return 0.0
        return min(left, SHARED_WAIT_MAX_SECONDS) + self._chance() * min(left, RETRY_FIRST_SECONDS)

    def _until(self, file: Path) -> float:
        try:
            return file.stat().st_mtime
        except OSError:
            return 0.0
