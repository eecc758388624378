"""What the user has typed, kept across sessions in a file that nobody else can read."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit.history import FileHistory

from text_agent.config.limits import HISTORY_MAX_BYTES
from text_agent.files.atomic_write import write_atomically


class PrivateHistory(FileHistory):
    """A history in `file`; without it, where it cannot be used, one of this session."""

    def __init__(self, file: Path, mask: Callable[[str], str], max_bytes: int = HISTORY_MAX_BYTES) -> None:
        super().__init__(file)
        self._file = file
        self._mask = mask
        self._max_bytes = max_bytes

    def load_history_strings(self) -> Iterable[str]:
        """The lines, the newest first."""
        with contextlib.suppress(OSError):
            self._shorten()
            return super().load_history_strings()
        return []

    def store_string(self, string: str) -> None:
        """Adds a line, without keys, in one write: another chat may add one at the same time."""
        lines = "".join(f"+{line}\n" for line in self._mask(string).split("\n"))
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(file, f"\n{lines}".encode("utf-8", "replace"))
            finally:
                os.close(file)

    def _shorten(self) -> None:
        """Forgets the older half of a file that has become too long."""
        if self._file.exists() and self._file.stat().st_size > self._max_bytes:
            _, _, newer = self._file.read_bytes()[-self._max_bytes // 2 :].partition(b"\n\n")
            write_atomically(self._file, b"\n" + newer, mode=0o600)
