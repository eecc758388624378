"""The screen: lines that stay, and below them some that are drawn anew while something goes on."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from text_agent.terminal.output.markdown import fold, wrap

# Rows that are kept free for the line that the user types.
_FREE_ROWS = 3
_UP, _CLEAR_LINE, _CLEAR_BELOW = "\x1b[{}A", "\x1b[K", "\x1b[J"
_CUT_LINES, _WRAP_LINES = "\x1b[?7l", "\x1b[?7h"


class Screen:
    """Prints lines for good; those below them are replaced by the next drawing.

    Each drawing is one write that ends at the beginning of a new line, so that it can be interleaved with
    what others write. A line that will be replaced takes one row: the terminal cuts it where it is wider than
    we know, as emoji may be. Where the screen has become narrower since, a few of the old rows may stay, but
    no other line is ever overwritten. `console`: where to draw. `redraws`: whether lines can be replaced; if
    not, text is streamed and nothing is drawn twice.
    """

    def __init__(self, console: Console, *, redraws: bool) -> None:
        self.console = console
        self.redraws = redraws
        self._height = 0
        self._live: Sequence[Text] = ()
        self._at_line_start = True

    @property
    def width(self) -> int:
        """The columns that there are now."""
        return self.console.width

    @property
    def is_in_line(self) -> bool:
        """Whether a line was begun that goes on."""
        return not self._at_line_start

    def print(self, lines: Sequence[Text], *, exact: bool = False) -> None:
        """Prints lines for good; too long ones are broken between words, or if `exact` anywhere.

        Between words a blank may be lost; of what a person decides on, none may.
        """
        if self.redraws:
            width = self.width
            broken = (fold(line, width) if exact else wrap(line, self.console, width) for line in lines)
            self.draw([piece for pieces in broken for piece in pieces], self._live)
            return
        if lines:
            self.end_line()
        for line in lines:
            self.console.print(line)

    def draw(self, printed: Sequence[Text], live: Sequence[Text]) -> None:
        """Prints `printed` for good, and `live` below it for now; each of the lines fits the width."""
        self._live = live
        room = max(1, self.console.height - _FREE_ROWS)
        live = live[-room:]
        drawn = self._drawn(printed)
        if live:
            drawn += f"{_CUT_LINES}{self._drawn(live)}{_WRAP_LINES}"
        if self._height:
            # Row by row where nothing moves: it does not flicker.
            clear = _CLEAR_BELOW if printed else _CLEAR_LINE
            drawn = f"\r{_UP.format(self._height)}{clear}" + drawn.replace("\n", f"\n{clear}") + _CLEAR_BELOW
        self._height = len(live)
        if drawn:
            self.console.file.write(drawn)
            self.console.file.flush()

    def _drawn(self, lines: Sequence[Text]) -> str:
        with self.console.capture() as capture:
            for line in lines:
                self.console.print(line)
        return capture.get()

    def write(self, text: str, style: str) -> None:
        """Prints text that the next one goes on with; only where nothing is redrawn."""
        self.console.print(Text(text, style), end="")
        self._at_line_start = text.endswith("\n")

    def end_line(self) -> None:
        """Ends a line that goes on."""
        if not self._at_line_start:
            self.console.print()
            self._at_line_start = True
