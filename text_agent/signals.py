"""Keeps an interrupt out of what must be whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
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

    is_main = threading.current_thread() is threading.main_thread()
    numbers = [int(signal.SIGINT), *ending_signals()] if is_main else []
    before = {number: handler for number in numbers if callable(handler := signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, wait)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in waiting if not is_last else ():
            signal.raise_signal(number)
