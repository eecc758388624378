"""Tells and asks the user while a provider is made ready: a model is fetched, loaded, found."""

from __future__ import annotations

from typing import TextIO

_BAR_WIDTH = 30


class ConsoleSetupListener:
    """Speaks on `output`; asks only where both ends are a terminal.

    `input_stream`: where answers come from. `output`: where it speaks. `assumes`: without a terminal the
    answer is the default; else it is no.
    """

    def __init__(self, input_stream: TextIO, output: TextIO, *, assumes: bool = False) -> None:
        self._assumes = assumes
        self._input = input_stream
        self._output = output
        self._tenths: dict[str, int] = {}

    def say(self, line: str) -> None:
        """Tells one line."""
        self._output.write(line + "\n")
        self._output.flush()

    def confirm(self, question: str, *, default: bool = True) -> bool:
        """Asks; at the input's end the answer is no."""
        if not (self._input.isatty() and self._output.isatty()):
            return self._assumes and default
        while True:
            self._output.write(f"{question} [{'Y/n' if default else 'y/N'}] ")
            self._output.flush()
            line = self._input.readline()
            if not line:
                return False
            answer = line.strip().lower()
            if not answer:
                return default
            if answer in ("y", "yes", "n", "no"):
                return answer.startswith("y")

    def progress(self, label: str, done: int, total: int) -> None:
        """Draws a bar that grows in a terminal, and a line at each tenth elsewhere."""
        share = done / total if total else 1.0
        if self._output.isatty():
            bar = "#" * int(share * _BAR_WIDTH)
            end = "\n" if done >= total else ""
            self._output.write(f"\r{label} [{bar:<{_BAR_WIDTH}}] {share:4.0%}{end}")
        elif int(share * 10) > self._tenths.get(label, 0):
            self._tenths[label] = int(share * 10)
            self._output.write(f"{label} {share:.0%}\n")
        self._output.flush()
