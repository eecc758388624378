"""Which processes a command has started and not ended, also those that left its group."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_POLL_SECONDS = 0.01
# Looks in a row that must find nobody new before what was stopped counts as all.
_QUIET_LOOKS = 2
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True)
class Process:
    """One line of the kernel's table."""

    pid: int
    parent: int
    session: int
    is_zombie: bool


def hide_from_other_programs(platform: str = sys.platform) -> None:
    """Keeps the user's other programs, commands among them, from reading this one's memory and environment.

    Only Linux knows that, and it keeps nothing from root.
    """
    if platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


@contextlib.contextmanager
def adopting_orphans(platform: str = sys.platform) -> Iterator[None]:
    """Makes this process, on Linux, the parent of those below it whose parents end, so as to find them."""
    if platform != "linux":
        yield
        return
    library = ctypes.CDLL(None)
    library.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:  # nobody here waits for the orphans of other programs that we start
        library.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def read_table(folder: str = "/proc") -> Iterator[Process]:
    """All processes, the newest first, for they may be gone soon; none where no folder shows them."""
    try:
        pids = sorted((int(name) for name in os.listdir(folder) if name.isdecimal()), reverse=True)  # noqa: PTH208
    except OSError:
        return
    for pid in pids:
        process = _read(folder, pid)
        if process is not None:
            yield process


def _read(folder: str, pid: int) -> Process | None:
    try:
        with open(f"{folder}/{pid}/stat", "rb") as file:  # noqa: PTH123 - a `Path` each takes its time
            # The name stands in brackets, and may hold some itself.
            state, parent, _, session, *_ = file.read().rpartition(b")")[2].split()
    except (OSError, ValueError):  # it has ended meanwhile
        return None
    return Process(pid, int(parent), int(session), state in b"ZX")


class StartedProcesses:
    """The processes below this one that were not there when the object was made.

    Those of this process's own session are none of a command's: a command gets a session of its own.
    """

    def __init__(self, before: Iterable[int] | None = None) -> None:
        """Begins with nobody; the processes `before` do not count, by default those that run now."""
        self.head: int | None = None  # the one that somebody waits for; None if there is none
        # The head is the supervisor between this process and a command, and none of them.
        self.is_supervised = False
        self._before: frozenset[int] = frozenset(before or ())
        if before is None:
            self._before = frozenset(process.pid for process in self._all())

    def pids(self) -> list[int]:
        """Those that run."""
        return list(self._running())

    def send(self, number: signal.Signals) -> set[int]:
        """Signals all that run, each as soon as it is found; returns them."""
        signalled = set()
        for pid in self._running():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
            signalled.add(pid)
        return signalled

    def end_within(self, seconds: float) -> bool:
        """Waits until none of them runs, or the time is over."""
        deadline = time.monotonic() + seconds
        while next(self._running(), None) is not None:
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def kill(self, patience: float) -> None:
        """Kills all of them, also those that start others faster than they can be killed one by one.

        What still runs after `patience` seconds waits for a disk, or is not ours.
        """
        deadline = time.monotonic() + patience
        while self._stop(deadline) and time.monotonic() < deadline:
            self.send(signal.SIGKILL)
            self.end_within(_POLL_SECONDS)
        self.send(signal.SIGKILL)

    def _stop(self, deadline: float) -> set[int]:
        """Stops all of them, and returns them: who is stopped starts no other, so that nobody new is left."""
        known: set[int] = set()
        quiet = 0
        while quiet < _QUIET_LOOKS and time.monotonic() < deadline:
            found = self.send(signal.SIGSTOP)
            quiet = 0 if found - known else quiet + 1
            known |= found
        return known

    def _running(self) -> Iterator[int]:
        """Those that run; the others, if nobody else waits for them, are taken out of the kernel's table."""
        for process in self._all():
            if not process.is_zombie:
                yield process.pid
            elif process.parent == os.getpid() and process.pid != self.head:
                with contextlib.suppress(ChildProcessError):  # another thread waits for all
                    os.waitpid(process.pid, os.WNOHANG)

    def _all(self) -> Iterator[Process]:
        """All of them: at once those that were adopted, which do not wait for anybody; then the others."""
        supervisor = self.head if self.is_supervised else None
        own_session, roots = os.getsid(0), {os.getpid(), supervisor}
        children: defaultdict[int, list[Process]] = defaultdict(list)
        parents: list[int] = []
        for process in read_table():
            if process.pid in self._before or process.pid == supervisor:
                continue
            if process.parent not in roots:
                children[process.parent].append(process)
                continue
            parents.append(process.pid)
            if process.session != own_session:
                yield process
        while parents:
            below = children[parents.pop()]
            parents += [child.pid for child in below]
            yield from (child for child in below if child.session != own_session)
