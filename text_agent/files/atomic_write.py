"""Replacing a file so that at every moment it has either its old or its new content."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

# Attributes that the system makes from the content, or takes away when it changes.
_OF_THE_CONTENT = frozenset({"security.capability", "security.evm", "security.ima"})


def write_atomically(
    target: Path, content: bytes, *, mode: int | None = None, others: Iterable[Path] = ()
) -> list[str]:
    """Writes `content` to `target`, which keeps its owner, attributes and, without a `mode`, permission bits.

    Missing folders are made. Each of the `others`, names of the same file, leads to the new content, too.
    Returns what of the file could not be kept, a few words each. Raises `OSError`: it cannot be written; a
    failure of any kind leaves everything as it was.
    """
    with folders_for(target):
        with replacing(target) as temporary:
            lost = _write_new(temporary, content, target, mode)
        _sync_folder(target.parent)
    return lost + [f"the link to its name {name.name}" for name in others if not _relink(target, name)]


def other_names(target: Path, root: Path) -> Iterator[Path]:
    """The other names below `root` of a file that has several (hard links)."""
    status = _status(target)
    if status is None or status.st_nlink < 2:
        return
    for folder, _, names in os.walk(root):
        for path in (Path(folder, name) for name in names):
            with contextlib.suppress(OSError):
                if path != target and os.path.samestat(path.lstat(), status):
                    yield path


def count_names(target: Path) -> int:
    """How many names the file has; 0 if there is none."""
    status = _status(target)
    return status.st_nlink if status else 0


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Gives a name for a new file, which takes the place of `target` when the body has ended well.

    The name says nothing of the old one, which may be as long as names can be.
    """
    temporary = target.with_name(f".text-agent-{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _relink(target: Path, other: Path) -> bool:
    """Makes `other` a name of the file at `target`; False if that cannot be done."""
    try:
        with replacing(other) as temporary:
            temporary.hardlink_to(target)
    except OSError:
        return False
    return True


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _write_new(path: Path, content: bytes, former: Path, mode: int | None) -> list[str]:
    """Writes a new file, and gives it what the one at `former` has; returns what it could not be given."""
    like, lost = _status(former), []
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # A file that is new to the user gets the mode that the umask gives; a replacement is private
    # until it has the mode of the file that it replaces.
    if mode is None and like is not None:
        mode = stat.S_IMODE(like.st_mode)
    with os.fdopen(os.open(path, flags, 0o666 if mode is None else 0o600), "wb") as file:
        file.write(content)
        file.flush()
        if like is not None and not _give(path, like.st_uid, like.st_gid):
            lost.append("its owner")
        if mode is not None:
            path.chmod(mode)
        if like is not None:
            lost += _copy_attributes(former, path)
        os.fsync(file.fileno())
    return lost


def _give(path: Path, user: int, group: int) -> bool:
    """Makes the file another's; False without the right to: it stays ours. On Windows there are no owners."""
    try:
        os.chown(path, user, group)
    except PermissionError:
        return False
    except AttributeError:
        pass
    return True


def _copy_attributes(former: Path, path: Path) -> list[str]:
    """Copies extended attributes, access lists among them; returns those that could not be copied."""
    if not hasattr(os, "listxattr"):
        return []
    try:
        names = [name for name in os.listxattr(former) if name not in _OF_THE_CONTENT]
    except OSError:  # the file system has none
        return []
    return [f"its attribute {name}" for name in names if not _copy_attribute(former, path, name)]


def _copy_attribute(former: Path, path: Path, name: str) -> bool:
    try:
        os.setxattr(path, name, os.getxattr(former, name))
    except OSError:
        return False
    return True


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
