"""Finds the processes that a test's commands have left behind."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Mapping
from pathlib import Path


class Mark:
    """A word that commands carry in their environment or their arguments, so that they can be found.

    Attributes:
        word: stands in the environment that `environment` gives; a command that drops that says it.
    """

    def __init__(self) -> None:
        self.word = f"mark-{secrets.token_hex(6)}"

    @property
    def environment(self) -> Mapping[str, str]:
        """This process's environment with the mark in it."""
        return {**os.environ, "TEST_MARK": self.word}

    def running(self) -> list[str]:
        """The command lines of the marked processes that run."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command, environment = (folder / name for name in ("cmdline", "environ"))
                texts = (command.read_bytes(), environment.read_bytes())
                state = (folder / "stat").read_bytes().rpartition(b")")[2].split()[0]
            except OSError:
                continue
            is_other = int(folder.name) != os.getpid() and state not in b"ZX"
            if is_other and any(self.word.encode() in text for text in texts):
                found.append(texts[0].replace(b"\0", b" ").decode("utf-8", "replace"))
        return found

    def wait_until_none_runs(self, seconds: float = 2.0) -> list[str]:
        """The same, after giving what was killed just now the time to go."""
        deadline = time.monotonic() + seconds
        while (running := self.running()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return running
