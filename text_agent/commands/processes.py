"""Runs one program within its time, and ends everything that it has started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from text_agent.commands.capture import Capture
from text_agent.commands.process_table import StartedProcesses, adopting_orphans
from text_agent.config.limits import COMMAND_GRACE_SECONDS, COMMAND_SETTLE_SECONDS

_PIECE_BYTES = 1 << 16
_POLL_SECONDS = 0.01
# How often, and how long each time, is waited for killed processes to be gone; what still runs then (it waits
# for a disk, or is another user's) is left alone.
_KILL_ROUNDS = 100
_KILL_ROUND_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended.

    Attributes:
        exit_code: as a shell tells it: 128 and the signal's number if a signal ended it.
        timed_out: it was ended because its time was over.
        left_running: it ended and left processes behind, which were ended.
    """

    exit_code: int
    timed_out: bool
    left_running: bool


def run_process(
    argv: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    capture: Capture,
    *,
    platform: str = sys.platform,
) -> Ending:
    """Runs a program without input and without a terminal; what it prints goes to `capture`.

    The program is waited for, not the end of its output, which a child in the background may hold open.
    When this returns or raises, `KeyboardInterrupt` included, nothing that it started runs any more.

    Raises:
        OSError: it cannot be started.
        ValueError: the arguments cannot be passed to a program.
    """
    with adopting_orphans(platform):
        family = _Family(StartedProcesses(), platform)
        timed_out = left_running = False
        try:
            family.head = process = subprocess.Popen(
                argv, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, bufsize=0, start_new_session=True,
            )  # fmt: skip
            reader = threading.Thread(target=_drain, args=(process.stdout, capture), daemon=True)
            reader.start()
            process.wait(seconds)
            left_running = not family.ends_within(COMMAND_SETTLE_SECONDS)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            family.end()
        # Where the system cannot tell who escaped, an escaped one may still hold the pipe.
        reader.join(COMMAND_SETTLE_SECONDS)
        code = process.wait()
    return Ending(128 - code if code < 0 else code, timed_out, left_running)


def _drain(pipe: BinaryIO, capture: Capture) -> None:
    with pipe:
        while piece := pipe.read(_PIECE_BYTES):
            capture.feed(piece)


@dataclass(slots=True)
class _Family:
    """A process and all that it has started.

    Attributes:
        started: all of them, where the system can tell.
        platform: the name of the system.
        head: the process; None if an interrupt came while it was started.
    """

    started: StartedProcesses
    platform: str
    head: subprocess.Popen[bytes] | None = None

    def ends_within(self, seconds: float) -> bool:
        """Waits until none of them runs, or the time is over."""
        deadline = time.monotonic() + seconds
        while (self.head and self.head.poll() is None) or self.started.pids():
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def end(self) -> None:
        """Asks them to end, and kills those that do not; a second interrupt only shortens the asking."""
        if self.platform == "win32":
            self._end_on_windows()
            return
        try:
            if not self.ends_within(0):
                self._send(signal.SIGTERM)
                self.ends_within(COMMAND_GRACE_SECONDS)
        finally:
            self._kill()

    def _end_on_windows(self) -> None:
        if self.head:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(self.head.pid)], capture_output=True)
            self.head.wait()

    def _kill(self) -> None:
        try:
            # What forks on and on may have a new child after each round.
            any(self._kill_once() for _ in range(_KILL_ROUNDS))
        finally:  # one more time, for an interrupt may have cut the rounds short
            self._send(signal.SIGKILL)
            self.started.bury()

    def _kill_once(self) -> bool:
        """Kills what runs now; returns whether that was all."""
        self._send(signal.SIGKILL)
        return self.ends_within(_KILL_ROUND_SECONDS)

    def _send(self, number: signal.Signals) -> None:
        if self.head:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.head.pid, number)
        self.started.send(number)
