"""Starts a program below a supervisor, which ends what it has started if this process is killed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from text_agent.config.limits import COMMAND_GRACE_SECONDS, COMMAND_KILL_SECONDS

_PROGRAM = Path(__file__).with_name("supervisor.py")
_ANSWER_BYTES = 64


class Supervision:
    """The connection to one supervisor; when it is closed, the supervisor ends all that is below it."""

    def __init__(self) -> None:
        self._near, self._far = socket.socketpair()

    @property
    def descriptor(self) -> int:
        """The end that the supervisor inherits."""
        return self._far.fileno()

    def argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` below a supervisor."""
        numbers = (self.descriptor, COMMAND_GRACE_SECONDS, COMMAND_KILL_SECONDS)
        return [sys.executable, "-I", "-S", str(_PROGRAM), *map(str, numbers), *command]

    def begin(self) -> None:
        """Leaves the supervisor's end to it, once it has been started."""
        self._far.close()

    def wait(self, supervisor: subprocess.Popen[bytes], seconds: float) -> int:
        """Waits for the command, and returns its exit code, or that of a supervisor that was killed.

        Raises:
            TimeoutError: the time is over.
            OSError: the command could not be started.
        """
        self._near.settimeout(seconds)
        code, *_ = [*self._near.recv(_ANSWER_BYTES).split(), b""]
        if not code:
            return supervisor.wait()
        if int(code) < 0:
            raise OSError(-int(code), os.strerror(-int(code)))
        return int(code)

    def close(self) -> None:
        """Lets the supervisor go."""
        self._near.close()
        self._far.close()
