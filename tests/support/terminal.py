"""A chat in a real pseudo-terminal, and the screen that its user sees."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import termios
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pexpect
import pyte
from pexpect.fdpexpect import fdspawn
from platformdirs import user_config_path

from tests.support.command import start_command

_ENTER = "\r"


class Chat:
    """The installed command in a pseudo-terminal; a context manager that ends it.

    Args:
        arguments: of the command line.
        cwd: the folder to start in.
        environment: variables, beside this process's.
        size: rows and columns.
        is_offered: the user has no settings yet, and so is asked whether to keep what has worked.
        options: of `start_command`.

    Attributes:
        raw: everything that was written to the terminal, control sequences included.
    """

    def __init__(
        self,
        *arguments: str,
        cwd: Path,
        environment: Mapping[str, str] | None = None,
        size: tuple[int, int] = (24, 80),
        is_offered: bool = False,
        **options: Any,
    ) -> None:
        self.raw = ""
        if not is_offered:
            settings = user_config_path("text-agent") / "config.toml"
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.touch()
        self._screen = pyte.HistoryScreen(size[1], size[0], history=10_000)
        self._stream = pyte.Stream(self._screen)
        self._terminal, programs = os.openpty()
        termios.tcsetwinsize(self._terminal, size)
        variables = {"PYTHONUTF8": "1", **(environment or {})}
        self._process = start_command(
            *arguments, cwd=cwd, environment=variables, terminal=programs, **options
        )
        os.close(programs)
        self._keys = fdspawn(self._terminal, encoding="utf-8", codec_errors="replace", timeout=20)

    def expect(self, text: str) -> None:
        """Waits until the screen shows `text`, white space aside."""
        wanted = re.sub(r"\s+", " ", text).strip()
        while wanted not in re.sub(r"\s+", " ", self.text):
            try:
                self._take(self._keys.read_nonblocking(4096, timeout=20))
            except (pexpect.EOF, pexpect.TIMEOUT) as error:
                raise AssertionError(f"{text!r} is not on the screen:\n{self.text}") from error

    def send(self, text: str) -> None:
        """Types `text` and Enter."""
        self._keys.send(text + _ENTER)

    def press(self, keys: str) -> None:
        """Presses keys without Enter."""
        self._keys.send(keys)

    def interrupt(self) -> None:
        """Presses Ctrl-C."""
        self.press("\x03")

    def kill(self, number: signal.Signals) -> None:
        """Sends the program a signal."""
        self._process.send_signal(number)

    def end(self) -> int:
        """Waits until the program has ended and returns its exit code, as a shell tells it."""
        while True:
            try:
                self._take(self._keys.read_nonblocking(4096, timeout=20))
            except pexpect.EOF:
                break
        exit_code = self._process.wait()
        return 128 - exit_code if exit_code < 0 else exit_code

    @property
    def text(self) -> str:
        """The screen's lines."""
        return "\n".join(self._line(self._screen.buffer[row]) for row in range(self._screen.lines)).rstrip()

    @property
    def history(self) -> str:
        """The lines that have left the screen at its top, and its own."""
        return "\n".join([*map(self._line, self._above()), self.text])

    def _line(self, line: Mapping[int, pyte.screens.Char]) -> str:
        return "".join(line[column].data for column in range(self._screen.columns)).rstrip()

    def _above(self) -> list[Mapping[int, pyte.screens.Char]]:
        return list(self._screen.history.top)

    @property
    def cells(self) -> list[list[pyte.screens.Char]]:
        """The screen, cell by cell."""
        columns = range(self._screen.columns)
        return [[self._screen.buffer[row][column] for column in columns] for row in range(self._screen.lines)]

    def settle(self, seconds: float = 0.3) -> None:
        """Takes what still comes, until nothing does for some time."""
        with contextlib.suppress(pexpect.TIMEOUT):
            while True:
                self._take(self._keys.read_nonblocking(4096, timeout=seconds))

    def resize(self, rows: int, columns: int) -> None:
        """Changes the terminal's size."""
        self._screen.resize(rows, columns)
        termios.tcsetwinsize(self._terminal, (rows, columns))

    def color_of(self, text: str) -> str:
        """The foreground colour of the first place where the screen shows `text`."""
        return str(self._character(text).fg)

    def background_of(self, text: str) -> str:
        """The background colour of the first place where the screen shows `text`."""
        return str(self._character(text).bg)

    def _character(self, text: str) -> pyte.screens.Char:
        for row, line in enumerate(self._screen.display):
            column = line.find(text)
            if column >= 0:
                return self._screen.buffer[row][column]
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text}")

    def _take(self, text: str) -> None:
        self.raw += text
        self._stream.feed(text)
        # A terminal answers when it is asked where its cursor is.
        if "\x1b[6n" in text:
            self._keys.send(f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R")

    def terminal_modes(self) -> list[object]:
        """How the terminal handles keys now."""
        return termios.tcgetattr(self._terminal)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)
