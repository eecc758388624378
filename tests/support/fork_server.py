"""Starts the program without its imports: a server that has done them forks a process for each run.

All else of a run is real: the process and how it ends, its streams, its terminal, the console script that it
runs. What a run changes in the modules that it shares is gone with its process.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.fork_server_program import NUMBER_BYTES

_SERVER = Path(__file__).with_name("fork_server_program.py")
# What the interpreter itself, or the loader before it, reads when it starts.
_READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_")


def _start_variables(environment: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset((name, value) for name, value in environment.items() if name.startswith(_READ_AT_START))


# Any other needs an interpreter of its own.
_SERVED = {_start_variables(os.environ), _start_variables({**os.environ, "PYTHONUTF8": "1"})}


def can_serve(environment: Mapping[str, str]) -> bool:
    """Whether the interpreter of a server has started as one with this environment would."""
    return hasattr(os, "fork") and _start_variables(environment) in _SERVED


class ForkedProgram(subprocess.Popen[Any]):
    """A process that a server has forked; only the server's side can wait for it, and tells how it ended."""

    def _execute_child(
        self, args: Sequence[str], executable: object, preexec_fn: object, close_fds: object,
        pass_fds: object, cwd: Path, env: Mapping[str, str], startupinfo: object, creationflags: object,
        shell: object, p2cread: int, p2cwrite: int, c2pread: int, c2pwrite: int, errread: int, errwrite: int,
        *of_system: object,
    ) -> None:  # fmt: skip
        """Does what `Popen` does with fork and exec."""
        given = zip((p2cread, c2pwrite, errwrite), range(3), strict=True)
        streams = [standard if descriptor == -1 else descriptor for descriptor, standard in given]
        *_, own_session, _ = of_system
        os.umask(umask := os.umask(0))
        request = {
            "argv": args, "folder": str(cwd), "environment": dict(env), "own_session": own_session,
            "umask": umask,
        }  # fmt: skip
        self._report, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(_server(_start_variables(env)), [b"!"], [*streams, theirs.fileno()])
        self._report.sendall(json.dumps(request).encode() + b"\n")
        self.pid = int.from_bytes(self._report.recv(NUMBER_BYTES, socket.MSG_WAITALL), "big")
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]

    def _try_wait(self, flags: int) -> tuple[int, int]:
        """Does what `os.waitpid` does."""
        with contextlib.suppress(BlockingIOError):
            status = self._report.recv(NUMBER_BYTES, socket.MSG_DONTWAIT if flags & os.WNOHANG else 0)
            self._report.close()
            return self.pid, int.from_bytes(status, "big")
        return 0, 0

    def _internal_poll(self, _deadstate: object = None) -> int | None:
        if self.returncode is None:
            pid, status = self._try_wait(os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


@functools.cache
def _server(start_variables: frozenset[tuple[str, str]]) -> socket.socket:
    """Starts a server, which ends when this process does, and returns the connection to it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        server = subprocess.Popen(
            [sys.executable, str(_SERVER), str(theirs.fileno())], cwd="/", stdin=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], **dict(start_variables)}, pass_fds=[theirs.fileno()],
        )  # fmt: skip
    atexit.register(server.wait)
    atexit.register(ours.close)  # is called first
    return ours
