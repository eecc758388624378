"""Programs below a supervisor each, which ends all that they have started, also if this program is killed."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from text_agent.config.limits import COMMAND_GRACE_SECONDS, COMMAND_KILL_SECONDS

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_ANSWER_BYTES = 64
_POLL_SECONDS = 0.05


class Stopped(Exception):
    """Somebody has asked that a program be given up; nothing of it runs any more."""


@dataclass(frozen=True, slots=True)
class Lifeline:
    """What ties programs to the one that has started them."""

    stop: int | None = (
        None  # a descriptor that can be read once they are to be given up; None: they never are
    )
    held: tuple[int, ...] = ()  # what they keep open as long as they run, such as a lock


@dataclass(frozen=True, slots=True)
class Standard:
    """The descriptors of a program's standard streams."""

    input: int = subprocess.DEVNULL
    output: int = subprocess.DEVNULL
    errors: int = subprocess.DEVNULL


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
        return [sys.executable, "-I", "-S", str(_SUPERVISOR), *map(str, numbers), *command]

    def begin(self) -> None:
        """Leaves the supervisor's end to it, once it has been started."""
        self._far.close()

    def wait(self, supervisor: subprocess.Popen[bytes], seconds: float, stop: int | None = None) -> int:
        """Waits for the command, and returns its exit code, or that of a supervisor that was killed.

        Raises `TimeoutError`: the time is over; `Stopped`: `stop` can be read; `OSError`: the command could
        not be started.
        """
        if stop is not None:
            self._wait_for_either(seconds, stop)
        self._near.settimeout(seconds)
        code, *_ = [*self._near.recv(_ANSWER_BYTES).split(), b""]
        if not code:
            return supervisor.wait()
        if int(code) < 0:
            raise OSError(-int(code), os.strerror(-int(code)))
        return int(code)

    def _wait_for_either(self, seconds: float, stop: int) -> None:
        poll = select.poll()
        poll.register(self._near, select.POLLIN)
        poll.register(stop, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll(seconds * 1000)}
        if stop in ready:
            raise Stopped
        if not ready:
            raise TimeoutError

    def close(self) -> None:
        """Lets the supervisor go."""
        self._near.close()
        self._far.close()


@dataclass(frozen=True, slots=True)
class Tied:
    """A program with its arguments, to be run in any thread, many at a time."""

    argv: Sequence[str]
    environment: Mapping[str, str]  # all that it gets of it
    folder: Path  # where it starts
    standard: Standard
    lifeline: Lifeline

    def start(self, supervision: Supervision | None) -> subprocess.Popen[bytes]:
        """Starts it, or the supervisor that starts it. Raises `OSError`."""
        argv, descriptors = self.argv, [*self.lifeline.held]
        if supervision:
            argv, descriptors = supervision.argv(argv), [*descriptors, supervision.descriptor]
        return subprocess.Popen(
            argv, cwd=self.folder, env=dict(self.environment), stdin=self.standard.input,
            stdout=self.standard.output, stderr=self.standard.errors, start_new_session=True,
            pass_fds=descriptors,
        )  # fmt: skip


def run_supervised(program: Tied, seconds: float) -> int | None:
    """Runs a program; when this returns or raises, nothing that it has started runs any more.

    Returns its exit code, as a shell tells it; None: its time was over. Raises `Stopped`: it was given up;
    `OSError`: it cannot be started.
    """
    if sys.platform != "linux":
        return _run_in_group(program, seconds)
    supervision = Supervision()
    try:
        process = program.start(supervision)
        supervision.begin()
        try:
            return supervision.wait(process, seconds, program.lifeline.stop)
        finally:
            supervision.close()
            process.wait()
    except TimeoutError:
        return None
    finally:
        supervision.close()


def _run_in_group(program: Tied, seconds: float) -> int | None:
    """Does the same where there are no supervisors: what leaves the group, or outlives us, runs on."""
    process = program.start(None)
    try:
        return _wait(process, seconds, program.lifeline.stop)
    except TimeoutError:
        return None
    finally:
        _end(process)


def _wait(process: subprocess.Popen[bytes], seconds: float, stop: int | None) -> int:
    """Waits for a process. Raises as `Supervision.wait` does."""
    deadline = time.monotonic() + seconds
    while process.poll() is None:
        if stop is not None and select.select([stop], [], [], 0)[0]:
            raise Stopped
        if time.monotonic() > deadline:
            raise TimeoutError
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_POLL_SECONDS)
    return 128 - process.returncode if process.returncode < 0 else process.returncode


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the group of a process."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(COMMAND_GRACE_SECONDS)
