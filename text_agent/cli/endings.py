"""How the program ends: by a signal as a user would end it, and when its output cannot be written."""

from __future__ import annotations

import errno
import os
import signal
from types import FrameType
from typing import TextIO

from text_agent.signals import ending_signals

# The reader has gone; the disk or the user's share is full; the file is too large; the terminal has gone.
_UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def leave_on_signals() -> None:
    """Ends the program in order: its commands, too, and the terminal is as it was. Under nohup it goes on."""
    for number in ending_signals():
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _leave)


def interrupt_on_signals() -> None:
    """Interrupts a task instead, as Ctrl-C does: what was done of it is told."""
    for number in ending_signals():
        if signal.getsignal(number) is _leave:
            signal.signal(number, signal.default_int_handler)


def end_on_signals() -> None:
    """Lets signals end the program's last moment at once, where Python would answer with a traceback."""
    for number in (int(signal.SIGINT), *ending_signals()):
        if callable(signal.getsignal(number)):  # what is ignored stays ignored
            signal.signal(number, signal.SIG_DFL)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def is_output_lost(error: OSError) -> bool:
    """Whether an error that ends the program came from writing to a standard stream: it names no file."""
    return error.filename is None and error.errno in _UNWRITABLE


def give_up(stream: TextIO) -> None:
    """Lets what is still buffered go nowhere, so that it is no second error at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
