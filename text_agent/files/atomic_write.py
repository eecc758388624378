"""Replacing a file so that at every moment it has either its old or its new content."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path


def write_atomically(target: Path, content: bytes, *, mode: int | None = None) -> None:
    """Writes `content` to `target`, which keeps its mode or gets `mode`; missing folders are made.

    A failure of any kind leaves everything as it was. Raises `OSError`.
    """
    with folders_for(target):
        # The new file's name says nothing of the old one's, which may be as long as names can be.
        temporary = target.with_name(f".text-agent-{secrets.token_hex(8)}.tmp")
        try:
            _write_new(temporary, content, _status(target), mode)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(target.parent)


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _write_new(path: Path, content: bytes, like: os.stat_result | None, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # A file that is new to the user gets the mode that the umask gives; a replacement is private
    # until it has the mode of the file that it replaces.
    if mode is None and like is not None:
        mode = stat.S_IMODE(like.st_mode)
    with os.fdopen(os.open(path, flags, 0o666 if mode is None else 0o600), "wb") as file:
        file.write(content)
        file.flush()
        if like is not None:
            with contextlib.suppress(PermissionError, AttributeError):
                # Without the right to, another's file becomes ours; on Windows there are no owners.
                os.chown(path, like.st_uid, like.st_gid)
        if mode is not None:
            path.chmod(mode)
        os.fsync(file.fileno())


@contextlib.contextmanager
def folders_for(target: Path) -> Iterator[None]:
    """Makes the missing folders above `target`, and takes them away again if the body fails."""
    missing = [folder for folder in target.parents if not folder.exists()]
    made: list[Path] = []
    try:
        for folder in reversed(missing):
            folder.mkdir()
            made.append(folder)
        yield
    except BaseException:
        for folder in reversed(made):
            with contextlib.suppress(OSError):  # somebody else has put something into it
                folder.rmdir()
        raise


def _sync_folder(folder: Path) -> None:
    """Makes the new name itself last through a power cut, where the system can."""
    with contextlib.suppress(PermissionError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
