"""What the user types while the model works: kept for the next prompt, key by key.

A thread of its own takes the keys, and does nothing else; so they neither answer a question that comes up
meanwhile nor appear in the middle of the model's words. Escape stops the turn, as Ctrl-C does.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import Output

if sys.platform != "win32":
    import termios

# Seconds within which the rest of a key's sequence follows its Escape.
ESCAPE_SECONDS = 0.1
# Seconds in which another Escape means the same stop: it would interrupt the tidying up.
_AGAIN_SECONDS = 1.0
_ENTER = (Keys.ControlM, Keys.ControlJ)


class TypeAhead:
    """Keeps keys that are pressed in a terminal while nobody asks for them."""

    def __init__(self, terminal: Input, screen: Output, stop: Callable[[], None]) -> None:
        """Takes the terminal's two sides, and what is called, in the thread, when Escape is pressed."""
        self._terminal = terminal
        self._screen = screen
        self._stop = stop
        self._keys: list[KeyPress] = []
        self._told = 0
        self._collector: _Collector | None = None
        self._paused = False
        # Escape was pressed when nobody was left to be stopped by it, a moment before the work goes on.
        self._stops_next = False

    @contextlib.contextmanager
    def collecting(self) -> Iterator[None]:
        """Collects keys meanwhile."""
        try:
            self._begin()
            yield
        finally:
            self._end()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Collects none meanwhile, for questions; what was typed before the first is kept for later."""
        collector = self._collector
        self._end()
        if not self._paused:
            self._keys += get_typeahead(self._terminal)
        self._stops_next = False
        before, self._paused = self._paused, True
        try:
            yield
        finally:
            self._paused = before
            if collector:
                self._begin()

    def _begin(self) -> None:
        self._collector = _Collector(self._terminal, self._keys, self._stop)
        self._screen.enable_bracketed_paste()
        self._screen.flush()
        self._collector.begin()
        if self._stops_next:
            self._stops_next = False
            self._stop()

    def _end(self) -> None:
        collector, self._collector = self._collector, None
        if collector:
            collector.end()
            self._stops_next = collector.is_stop_left
            self._screen.disable_bracketed_paste()
            self._screen.flush()

    def give_back(self) -> None:
        """Lets the next prompt begin with everything that was kept."""
        kept = [*self._keys, *get_typeahead(self._terminal)]
        self._keys.clear()
        self._told, self._stops_next = 0, False
        store_typeahead(self._terminal, kept)

    def typed(self) -> str:
        """The line that is not finished."""
        return typed_lines(tuple(self._keys))[-1]

    def queued(self) -> list[str]:
        """The lines that were finished since the last time, for the user to see."""
        lines = typed_lines(tuple(self._keys))[:-1]
        new, self._told = lines[self._told :], len(lines)
        return new


class _Collector:
    """The thread, and the state of the terminal while it runs.

    Attributes:
        is_stop_left: Escape was the last key, and it has ended since.
    """

    def __init__(self, terminal: Input, keys: list[KeyPress], stop: Callable[[], None]) -> None:
        self._terminal = terminal
        self._keys = keys
        self._stop = stop
        self._ends = False
        self.is_stop_left = False
        self._stopped = -_AGAIN_SECONDS
        self._wake, self._waker = os.pipe()
        self._before = termios.tcgetattr(terminal.fileno())
        self._thread = threading.Thread(target=self._run, daemon=True)

    def begin(self) -> None:
        """Takes keys one by one from now on, and shows none; Ctrl-C still interrupts."""
        quiet: list[Any] = termios.tcgetattr(self._terminal.fileno())
        quiet[0] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR)
        quiet[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        quiet[3] |= termios.NOFLSH  # Ctrl-C takes no key away that nobody has read yet
        quiet[6][termios.VMIN] = 1
        termios.tcsetattr(self._terminal.fileno(), termios.TCSANOW, quiet)
        self._thread.start()

    def end(self) -> None:
        """Takes what was typed so far, and leaves the terminal as it was."""
        self._ends = True
        os.close(self._waker)
        try:
            self._thread.join()
        finally:
            termios.tcsetattr(self._terminal.fileno(), termios.TCSANOW, self._before)

    def _run(self) -> None:
        keyboard = self._terminal.fileno()
        begun = False
        ready: list[int] = []
        while self._wake not in ready and not self._terminal.closed:
            ready, _, _ = select.select([keyboard, self._wake], [], [], ESCAPE_SECONDS if begun else None)
            begun = keyboard in ready
            if begun:
                self._take(self._terminal.read_keys())
            else:
                self._take_last(self._terminal.flush_keys())
        os.close(self._wake)

    def _take(self, keys: Sequence[KeyPress]) -> None:
        # The terminal's answer to a question where the cursor is comes as a key, too.
        self._keys += [key for key in keys if key.key is not Keys.CPRResponse]

    def _take_last(self, keys: Sequence[KeyPress]) -> None:
        """Takes what was held back to see whether more follows: Escape, if nothing did."""
        if [key.key for key in keys] != [Keys.Escape]:
            self._take(keys)
        elif self._ends:
            self.is_stop_left = True
        elif time.monotonic() - self._stopped >= _AGAIN_SECONDS:
            self._stopped = time.monotonic()
            self._stop()


def typed_lines(keys: Sequence[KeyPress]) -> list[str]:
    """The text that keys give, as lines; the last one is not finished. Keys that move are left out."""
    text = ""
    before: Keys | str = ""
    for press in keys:
        if press.key in _ENTER:
            goes_on = before is Keys.Escape or text.endswith("\\")
            text = text.removesuffix("\\") + (" " if goes_on else "\n")
        elif press.key is Keys.ControlH:
            text = text[:-1]
        elif press.key is Keys.BracketedPaste:
            text += " ".join(press.data.split())
        elif not isinstance(press.key, Keys):
            text += press.key
        before = press.key
    return text.split("\n")
