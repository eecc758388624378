"""Which processes a command has started and not ended, also those that left its group."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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
    """Makes this process the parent of those below it whose parents end, so that they can be found.

    Only Linux knows that; elsewhere it does nothing.
    """
    if platform != "linux":
        yield
        return
    library = ctypes.CDLL(None)
    library.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:  # nobody here waits for the orphans of other programs that we start
        library.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def read_table(folder: Path = Path("/proc")) -> list[Process]:
    """All processes; none where the system shows them in no such folder."""
    found = (_read(entry) for entry in folder.glob("[0-9]*/stat"))
    return [process for process in found if process is not None]


def _read(stat: Path) -> Process | None:
    try:
        # The name stands in brackets, and may hold some itself.
        state, parent, _, session, *_ = stat.read_bytes().rpartition(b")")[2].split()
    except (OSError, ValueError):  # it has ended meanwhile
        return None
    return Process(int(stat.parent.name), int(parent), int(session), state in b"ZX")


class StartedProcesses:
    """The processes below this one that were not there when the object was made.

    Those of this process's own session are none of a command's: a command gets a session of its own.
    """

    def __init__(self) -> None:
        self._before: frozenset[int] = frozenset()
        self._before = frozenset(process.pid for process in self._all())

    def pids(self) -> list[int]:
        """Those that run."""
        return [process.pid for process in self._all() if not process.is_zombie]

    def send(self, number: signal.Signals) -> None:
        """Signals all that run."""
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def bury(self) -> None:
        """Takes those that have ended, and that nobody else waits for, out of the kernel's table."""
        for process in self._all():
            if process.is_zombie and process.parent == os.getpid():
                os.waitpid(process.pid, os.WNOHANG)

    def _all(self) -> list[Process]:
        children: defaultdict[int, list[Process]] = defaultdict(list)
        for process in read_table():
            children[process.parent].append(process)
        found: list[Process] = []
        parents = [os.getpid()]
        while parents and children:
            below = [child for child in children[parents.pop()] if child.pid not in self._before]
            parents += [child.pid for child in below]
            found += [child for child in below if child.session != os.getsid(0)]
        return found
