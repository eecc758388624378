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
    """What ties programs to the one that has started them.

    Attributes:
        stop: a descriptor that can be read once they are to be given up; None: they never are.
        held: descriptors that they keep open as long as they run, such as that of a lock.
    """

    stop: int | None = None
    held: tuple[int, ...] = ()


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

        Raises:
            TimeoutError: the time is over.
            Stopped: `stop` can be read.
            OSError: the command could not be started.
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


def run_supervised(
    argv: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    seconds: float,
    standard: Standard,
    lifeline: Lifeline,
) -> int | None:
    """Runs a program in any thread, many at a time; when this returns or raises, nothing of it runs any more.

    Returns:
        Its exit code, as a shell tells it; None: its time was over.

    Raises:
        Stopped: it was given up.
        OSError: it cannot be started.
    """
    supervision = Supervision() if sys.platform == "linux" else None
    process = subprocess.Popen(
        supervision.argv(argv) if supervision else argv, cwd=folder, env=dict(environment),
        stdin=standard.input, stdout=standard.output, stderr=standard.errors, start_new_session=True,
        pass_fds=[*lifeline.held, *([supervision.descriptor] if supervision else [])],
    )  # fmt: skip
    try:
        if supervision is None:
            return _wait(process, seconds, lifeline.stop)
        supervision.begin()
        return supervision.wait(process, seconds, lifeline.stop)
    except TimeoutError:
        return None
    finally:
        if supervision is None:
            _end(process)
        else:
            supervision.close()
            process.wait()


def _wait(process: subprocess.Popen[bytes], seconds: float, stop: int | None) -> int:
    """Waits where there are no supervisors. Raises as `Supervision.wait` does."""
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
    """Ends the group of a process: those that have left it run on."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(COMMAND_GRACE_SECONDS)
