"""Keeps commands from making a repository, whose hooks and settings would run programs of theirs later.

What is there is mounted read-only; what is made anew can only be found afterwards, and is set aside then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from text_agent.files.kinds import SKIPPED_FOLDERS

# What programs take code or settings from, wherever in the workspace it lies.
_NAMES = (".git", ".text-agent")
_ASIDE = ".made"


def find_repositories(root: Path) -> Iterator[Path]:
    """The folders, files and links in the workspace that programs take code from."""
    for folder, folders, names in os.walk(root):
        yield from (Path(folder, name) for name in (*folders, *names) if name.lower() in _NAMES)
        folders[:] = [name for name in folders if name.lower() not in {*_NAMES, *SKIPPED_FOLDERS}]


class Repositories:
    """Those that were in the workspace when the object was made."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known = {None, *map(_identity, find_repositories(root))}

    def set_aside_new(self) -> list[Path]:
        """Renames those that came since then, so that nobody takes code from them; returns the new names."""
        found = list(find_repositories(self._root))
        return [set_aside(path) for path in found if _identity(path) not in self._known]


def _identity(path: Path) -> tuple[int, int] | None:
    """What stays the same when a folder above it is renamed; None where somebody else has removed it."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def set_aside(path: Path) -> Path:
    """Gives what stands at `path` a name that no program looks for, and returns it."""
    number, target = 1, path.with_name(path.name + _ASIDE)
    while os.path.lexists(target):
        number += 1
        target = path.with_name(f"{path.name}{_ASIDE}{number}")
    return path.rename(target)
