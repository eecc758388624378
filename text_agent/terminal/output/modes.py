"""The modes of the terminal, such as whether it echoes what is typed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO


@contextmanager
def kept_modes(stream: TextIO) -> Iterator[None]:
    """Gives the terminal back as it was, also where a signal comes in the moment in which its modes change.

    `stream`: reads from the terminal; from anything else, nothing is done.
    """
    try:
        import termios
    except ImportError:  # Windows has no such modes
        yield
        return
    try:
        before = termios.tcgetattr(stream.fileno())
    except (termios.error, OSError, ValueError):
        yield
        return
    try:
        yield
    finally:
        with suppress(termios.error, OSError, ValueError):  # it is gone
            termios.tcsetattr(stream.fileno(), termios.TCSADRAIN, before)
