"""Takes changes back: the steps' former states, without losing what somebody else did since."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from text_agent.files.atomic_write import other_names, replacing, write_atomically
from text_agent.files.checkpoints.recorder import Changes, Recorder
from text_agent.files.checkpoints.states import Change, PathState
from text_agent.files.checkpoints.store import StoreError
from text_agent.files.problems import reason_of

_OWNER = 0o700


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo came to, by path relative to the workspace."""

    restored: list[str] = field(default_factory=list)  # these have their former content again
    removed: list[str] = field(default_factory=list)  # these did not exist before
    # These were changed by somebody else since, and are as they were.
    left: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)  # these are already as they were
    failed: dict[str, str] = field(default_factory=dict)  # these could not be brought back, and why


def find_conflicts(recorder: Recorder, count: int) -> list[str]:
    """The paths of the last `count` steps that somebody else has changed since the agent did."""
    changes = _net(recorder.steps[-count:])
    return sorted(path for path, change in changes.items() if _conflicts(recorder, path, change))


def undo(recorder: Recorder, count: int, overwrite: Collection[str] = ()) -> UndoReport:
    """Takes back the last `count` steps; paths changed by others since only if they are in `overwrite`."""
    changes = _net(recorder.steps[-count:])
    conflicts = set(find_conflicts(recorder, count)) - set(overwrite)
    wanted = {path: change.before for path, change in changes.items() if path not in conflicts}
    unchanged = {
        path for path, state in wanted.items() if recorder.now(path, changes[path].after).state == state
    }
    with recorder.store.reading() as read:
        restorer = Restorer(recorder.root, read)
        restorer.restore(wanted)
    failed = restorer.failed
    recorder.steps[-count:] = _left_over(recorder.steps[-count:], failed)
    report = UndoReport(left=sorted(conflicts), failed=failed, unchanged=sorted(unchanged))
    for path in sorted(wanted.keys() - failed.keys() - unchanged):
        if not _is_folder(changes[path]):
            (report.restored if wanted[path] else report.removed).append(path)
    return report


def _net(steps: Iterable[Changes]) -> Changes:
    net: Changes = {}
    for changes in steps:
        for path, change in changes.items():
            net[path] = net[path].then(change) if path in net else change
    return net


def _conflicts(recorder: Recorder, path: str, change: Change) -> bool:
    now = recorder.now(path, change.after).state
    if now == change.before:
        return False
    if change.makes_folder and now and now.kind == "folder":
        return False  # it is removed only if it is empty
    return change.disturbed or now != change.after


def _left_over(steps: Iterable[Changes], failed: Collection[str]) -> list[Changes]:
    left = (
        {path: it for path, it in changes.items() if path in failed and (not it.before or it.before.kept)}
        for changes in steps
    )
    return [changes for changes in left if changes]


def _is_folder(change: Change) -> bool:
    state: PathState | None = change.before or change.after
    return state is not None and state.kind == "folder"


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
