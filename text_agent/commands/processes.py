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
from text_agent.commands.supervision import Supervision
from text_agent.config.limits import COMMAND_GRACE_SECONDS, COMMAND_KILL_SECONDS, COMMAND_SETTLE_SECONDS
from text_agent.own_programs.processes import find_program, run
from text_agent.signals import Interrupts, interrupted_once

_PIECE_BYTES = 1 << 16
_POLL_SECONDS = 0.01
# What tells who was started by whom.
_TABLE = Path("/proc/self/stat")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended."""

    exit_code: int  # as a shell tells it: 128 and the signal's number if a signal ended it
    timed_out: bool  # it was ended because its time was over
    left_running: bool  # it ended and left processes behind, which were ended


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run."""

    argv: Sequence[str]  # the program and its arguments
    folder: Path  # where it starts
    environment: Mapping[str, str]  # all that it gets of it
    # What it starts is to end even if this process is killed (known to Linux only; a sandbox does that by
    # itself).
    is_supervised: bool = True


def run_process(
    program: Program, seconds: float, capture: Capture, *, platform: str = sys.platform
) -> Ending:
    """Runs a program without input and without a terminal; what it prints goes to `capture`.

    The program is waited for, not the end of its output, which a child in the background may hold open. When
    this returns or raises, `KeyboardInterrupt` included, nothing that it started runs any more. Raises
    `OSError`: it cannot be started; `ValueError`: the arguments cannot be passed to a program.
    """
    with interrupted_once() as interrupts, adopting_orphans(platform):
        family = _Family(program, platform, interrupts)
        code, timed_out, left_running = None, False, False
        try:
            process = family.start()
            reader = threading.Thread(target=drain, args=(process.stdout, capture), daemon=True)
            reader.start()
            code = family.wait(seconds)
            left_running = not family.ends_within(COMMAND_SETTLE_SECONDS)
        except (TimeoutError, subprocess.TimeoutExpired):
            timed_out = True
        finally:
            family.end()
        # Where the system cannot tell who escaped, an escaped one may still hold the pipe.
        reader.join(COMMAND_SETTLE_SECONDS)
        code = process.wait() if code is None else code
    return Ending(128 - code if code < 0 else code, timed_out, left_running)


def drain(pipe: BinaryIO, capture: Capture) -> None:
    """Gives what comes through a pipe to `capture`, to its end, and closes it."""
    with pipe:
        while piece := pipe.read(_PIECE_BYTES):
            capture.feed(piece)


class _Family:
    def __init__(self, program: Program, platform: str, interrupts: Interrupts) -> None:
        self._interrupts = interrupts
        self._program = program
        self._platform = platform
        is_supervised = program.is_supervised and platform == "linux" and _TABLE.exists()
        self._supervision = Supervision() if is_supervised else None
        self._started = StartedProcesses()
        # The process or its supervisor; None if an interrupt came while it was started.
        self._head: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        """Starts the process, or the supervisor that starts it."""
        program, supervision = self._program, self._supervision
        self._head = subprocess.Popen(
            supervision.argv(program.argv) if supervision else program.argv, cwd=program.folder,
            env=program.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, bufsize=0, start_new_session=True,
            pass_fds=[supervision.descriptor] if supervision else [],
        )  # fmt: skip
        self._started.head, self._started.is_supervised = self._head.pid, supervision is not None
        if supervision:
            supervision.begin()
        return self._head

    def wait(self, seconds: float) -> int:
        """Waits for the process, and returns its exit code.

        Raises `TimeoutError`, `subprocess.TimeoutExpired`: the time is over; `OSError`: it could not be
        started.
        """
        assert self._head
        return self._supervision.wait(self._head, seconds) if self._supervision else self._head.wait(seconds)

    def ends_within(self, seconds: float) -> bool:
        """Waits until none of them runs, or the time or the user's patience is over."""
        deadline = time.monotonic() + seconds
        while self._is_head_running() or self._started.pids():
            if time.monotonic() > deadline or self._interrupts.are_waiting:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def end(self) -> None:
        """Asks them to end, and kills those that do not; a second interrupt only shortens the asking.

        The killing cannot be interrupted.
        """
        if self._platform == "win32":
            self._end_on_windows()
            return
        try:
            if not self.ends_within(0):
                self._send(signal.SIGTERM)
                self.ends_within(COMMAND_GRACE_SECONDS)
        finally:
            self._kill()

    def _is_head_running(self) -> bool:
        return not (self._supervision or self._head is None or self._head.poll() is not None)

    def _end_on_windows(self) -> None:
        if self._head:
            program = find_program("taskkill", self._program.folder) or r"C:\Windows\System32\taskkill.exe"
            argv = [program, "/F", "/T", "/PID", str(self._head.pid)]
            run(argv, os.environ, seconds=COMMAND_KILL_SECONDS)
            self._head.wait()

    def _kill(self) -> None:
        self._interrupts.hold()
        self._started.kill(COMMAND_KILL_SECONDS)
        self._send(signal.SIGKILL)
        if self._head:
            self._head.wait()
        if self._supervision:
            self._supervision.close()
        self._started.pids()  # buries the dead

    def _send(self, number: signal.Signals) -> None:
        if self._head:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._head.pid, number)
        self._started.send(number)
