"""Keeps interrupts out of what must be whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

# The terminal was closed, or someone asks the program to end: a script's time is over, the system goes down.
_ENDING = ("SIGTERM", "SIGHUP")


def ending_signals() -> list[int]:
    """The signals by which others end the program, as far as the system has them."""
    return [int(getattr(signal, name)) for name in _ENDING if hasattr(signal, name)]


@contextmanager
def unbroken(*, is_last: bool = False) -> Iterator[None]:
    """Lets Ctrl-C, and signals that end the program, wait until the body is left; a second one does not wait.

    Signals reach the main thread only: elsewhere there is nothing to wait for.

    Args:
        is_last: nothing follows that could be interrupted: what has waited is dropped.
    """
    waiting: list[int] = []

    def wait(number: int, _frame: FrameType | None) -> None:
        if waiting:
            raise KeyboardInterrupt
        waiting.append(number)

    before = _handlers()
    try:
        for number in before:
            signal.signal(number, wait)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in waiting if not is_last else ():
            signal.raise_signal(number)


class Interrupts:
    """Tells how often the body of `interrupted_once` was to be interrupted."""

    def __init__(self) -> None:
        self._before = _handlers()
        self._later: list[int] = []
        self._holds = False

    @property
    def are_waiting(self) -> bool:
        """Whether signals wait until the body is left."""
        return bool(self._later)

    def hold(self) -> None:
        """Lets the first one wait, too, from now on."""
        self._holds = True

    def take(self) -> None:
        """Takes the signals over."""
        for number in self._before:
            signal.signal(number, self._handle)

    def give_back(self, *, was_interrupted: bool) -> None:
        """Leaves the signals to whoever had them, and sends again those that wait."""
        for number, handler in reversed(self._before.items()):
            signal.signal(number, handler)
        for number in self._later:
            if number != signal.SIGINT or not was_interrupted:
                signal.raise_signal(number)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._holds:
            self._later.append(number)
            return
        self._holds = True
        self._before[number](number, frame)
        self._holds = False  # it did not interrupt


@contextmanager
def interrupted_once() -> Iterator[Interrupts]:
    """Lets the first signal interrupt the body, and those behind it wait until the body is left.

    So what follows an interrupt, such as ending what was started, is whole. Of the later ones, Ctrl-C says no
    more than that the user does not want to wait for it.
    """
    interrupts, was_interrupted = Interrupts(), False
    try:
        interrupts.take()
        yield interrupts
    except KeyboardInterrupt:
        was_interrupted = True
        raise
    finally:
        interrupts.give_back(was_interrupted=was_interrupted)


def _handlers() -> dict[int, Callable[[int, FrameType | None], object]]:
    """What signals that interrupt or end the program start now; other threads than the main one get none."""
    is_main = threading.current_thread() is threading.main_thread()
    numbers = [int(signal.SIGINT), *ending_signals()] if is_main else []
    return {number: handler for number in numbers if callable(handler := signal.getsignal(number))}
