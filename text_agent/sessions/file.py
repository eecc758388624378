"""A session's file on the disk: private, only ever appended to, by one process at a time."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Self

from text_agent.errors import SessionError


class SessionFile:
    """A file that takes lines; each is with the system once `append` returns, whatever ends the process.

    The lock goes with the process, however that ends. Windows has none.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def create(cls, path: Path) -> Self:
        """Makes a new file, and its folder, for nobody but the user. Raises `OSError`."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(OSError):  # somebody else's folder stays as it is
            path.parent.chmod(0o700)
        return cls._locked(path, os.O_CREAT | os.O_EXCL)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Opens a file to go on with it. Raises `OSError`, and `SessionError` if another process has it."""
        file = cls._locked(path, 0)
        file._end_line()
        return file

    @classmethod
    def _locked(cls, path: Path, flags: int) -> Self:
        descriptor = os.open(path, flags | os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        try:
            if not _lock(descriptor):
                raise SessionError(f"the session {path.stem} is open in another text-agent.")
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor)

    def append(self, line: bytes) -> None:
        """Adds a line with its line break. Raises `OSError`."""
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def read(self) -> bytes:
        """All of it."""
        return self.path.read_bytes()

    def close(self) -> None:
        """Lets the file go."""
        os.close(self._descriptor)

    def _end_line(self) -> None:
        """Keeps a last line that broke off apart from what follows."""
        data = self.read()
        if data and not data.endswith(b"\n"):
            self.append(b"\n")


def _lock(descriptor: int) -> bool:
    """Whether no other process has the file, from now on; also if the file system cannot tell."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
