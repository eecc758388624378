"""Puts former states back on the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from text_agent.files.atomic_write import other_names, replacing, write_atomically
from text_agent.files.checkpoints.states import PathState
from text_agent.files.checkpoints.store import StoreError
from text_agent.files.problems import reason_of

_OWNER = 0o700


class Restorer:
    """Brings paths of a folder back to the states that they had, or notes in `failed` why not."""

    def __init__(self, root: Path, read: Callable[[str], bytes]) -> None:
        self.failed: dict[str, str] = {}
        self._root = root
        self._read = read

    def restore(self, states: Mapping[str, PathState | None]) -> None:
        """Restores all paths; None means that nothing stood there.

        What is in a folder goes before the folder, and comes back after it. Folders are writable
        meanwhile, and get their own mode at the end.
        """
        ordered = sorted(states.items())
        folders = [(path, state) for path, state in ordered if state and state.kind == "folder"]
        for path, folder in folders:
            if (self._root / path).is_dir():
                self._attempt(path, partial(_make_folder, mode=folder.mode | _OWNER))
        for path, state in reversed(ordered):
            if state is None:
                self._attempt(path, _remove)
        for path, folder in folders:
            self._attempt(path, partial(_make_folder, mode=folder.mode | _OWNER))
        for path, state in ordered:
            if state and state.kind != "folder":
                self._attempt(path, partial(self._put, state=state))
        for path, folder in reversed(folders):
            self._attempt(path, partial(_make_folder, mode=folder.mode))

    def _attempt(self, path: str, action: Callable[[Path], None]) -> None:
        target = self._root / path
        if path in self.failed:
            return
        try:
            if path and Path(os.path.realpath(target.parent)) != target.parent:
                self.failed[path] = "a link leads to its folder"
                return
            action(target)
        except OSError as error:
            self.failed[path] = reason_of(error)
        except StoreError as error:
            self.failed[path] = str(error)

    def _put(self, target: Path, state: PathState) -> None:
        if not state.kept or state.kind == "other":
            raise StoreError("it was too large to be kept, or no file")
        content = self._read(state.content) if state.kind == "file" else b""
        if target.is_dir() and not target.is_symlink():
            target.rmdir()  # an empty folder stands where a file is to stand
        if state.kind == "link":
            with replacing(target) as temporary:
                temporary.symlink_to(state.content)
        else:
            write_atomically(target, content, mode=state.mode, others=list(other_names(target, self._root)))


def _remove(target: Path) -> None:
    if target.is_symlink() or not target.is_dir():
        target.unlink(missing_ok=True)
    elif not any(target.iterdir()):  # somebody else's file in a folder keeps the folder
        target.rmdir()


def _make_folder(target: Path, mode: int) -> None:
    if target.is_symlink() or not target.is_dir():
        target.unlink(missing_ok=True)
        target.mkdir()
    target.chmod(mode)
