"""What a signal to end does: the program leaves as a user would, and takes along what it has started."""

from __future__ import annotations

import signal
from types import FrameType

from text_agent.signals import ending_signals


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
