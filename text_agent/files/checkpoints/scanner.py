"""Finds out, quickly and again and again, what stands in the workspace.

Only what changed since the last scan is read again: it is told by size, times and inode. The files are
listed anew only when a folder has changed, for listing 50,000 files takes as long as looking at each.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from text_agent.config.limits import (
    CHECKPOINT_ANNOUNCED_FILES,
    CHECKPOINT_MAX_BYTES,
    CHECKPOINT_MAX_FILE_BYTES,
)
from text_agent.files.atomic_write import write_atomically
from text_agent.files.checkpoints.states import Change, PathState, look_at
from text_agent.files.checkpoints.store import Importer, ShadowStore

# By what a path is known to be unchanged.
_Signature = tuple[int, ...]
_GONE: _Signature = ()
_NOT_SETTLED: _Signature = (-1,)
# A change within one tick of the file system's clock may leave no trace in a file's times.
_TICK_NANOSECONDS = 20_000_000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What stood in the workspace at one moment."""

    states: Mapping[str, PathState]  # by path relative to the workspace, with `/`; without what is ignored
    names: Mapping[str, frozenset[str]]  # all names in each folder that was looked into, ignored ones too

    def had(self, path: str) -> bool:
        """Whether something stood at `path`, known or ignored."""
        folder, _, name = path.rpartition("/")
        if folder in self.names:
            return name in self.names[folder]
        state = self.states.get(folder)
        return state.kind == "folder" if state else self.had(folder)

    def changes_to(self, later: Snapshot) -> dict[str, Change]:
        """What is different in a later snapshot.

        A file that is only no longer ignored is no new one: taking it back would lose it.
        """
        changes = {
            path: Change(self.states.get(path), state)
            for path, state in later.states.items()
            if self.states.get(path) is not state and self.states.get(path) != state
        }
        new = {path: change for path, change in changes.items() if change.before or not self.had(path)}
        gone = self.states.keys() - later.states.keys()
        return new | {path: Change(self.states[path], None) for path in gone}


@dataclass(frozen=True, slots=True)
class _Known:
    signature: _Signature
    state: PathState


@dataclass(frozen=True, slots=True)
class _Folder:
    """What a folder holds: all names, and the paths of the links and folders among them."""

    names: frozenset[str]
    links: tuple[str, ...]
    folders: tuple[str, ...]


class TreeScanner:
    """Scans one workspace, and keeps the contents of its files in a store."""

    def __init__(
        self,
        root: Path,
        list_files: Callable[[], Iterable[str]],
        store: ShadowStore,
        tell: Callable[[str], None],
    ) -> None:
        self._prefix = f"{root}/" if root.name else str(root)
        stores = store.folder.parent
        self._stores = f"{stores.relative_to(root).as_posix()}/" if stores.is_relative_to(root) else ""
        self._list_files = list_files
        self._store = store
        self._tell = tell
        self._known: dict[str, _Known] = {}
        self._folders: dict[str, _Folder] = {}
        self._touched: set[str] = set()
        self._bytes_left = CHECKPOINT_MAX_BYTES

    def touch(self, path: str) -> None:
        """Has a path scanned from now on, even if it is ignored."""
        self._touched.add(path)

    def scan(self) -> Snapshot:
        """Looks at the workspace, and keeps what is new in it.

        Raises `ToolError`: the files cannot be listed; `StoreError`: they cannot be kept.
        """
        settled_before = time.time_ns() - _TICK_NANOSECONDS
        is_first = not self._folders
        if is_first:
            self._known = _load_index(self._store.index)
        changed = {path for path, known in self._known.items() if known.signature != self._signature(path)}
        found = set(self._touched)
        if is_first or any(self._known[path].state.kind == "folder" for path in changed):
            found |= self._walk(changed)
        new = changed | (found - self._known.keys())
        self._look_again(new, settled_before)
        if is_first and new:
            _save_index(self._store.index, self._known)
        states = {path: known.state for path, known in self._known.items()}
        return Snapshot(states, {path: folder.names for path, folder in self._folders.items()})

    def _walk(self, changed: set[str]) -> set[str]:
        """All files, links and folders; only folders that have changed are looked into again."""
        former = {path: folder for path, folder in self._folders.items() if path not in changed}
        found = set(self._list_files())
        if self._stores:
            found = {path for path in found if not self._is_store(path)}
        listed = _ancestors(found)
        self._folders = {path: former.get(path) or self._read_folder(path) for path in listed}
        others: list[str] = []
        for folder in self._folders.values():
            found.update(folder.links)
            others += [path for path in folder.folders if path not in listed]
        # Folders without listed files: what is in them need not be new when it is listed one day.
        while others:
            path = others.pop()
            if self._is_store(path):
                continue
            found.add(path)
            folder = self._folders[path] = former.get(path) or self._read_folder(path)
            if len(folder.folders) == len(folder.names):  # an empty tree, or one that may be ignored
                others += folder.folders
        return found | listed

    def _is_store(self, path: str) -> bool:
        """Whether this is ours: the workspace may hold the user's data folder."""
        return bool(self._stores) and f"{path}/".startswith(self._stores)

    def _read_folder(self, path: str) -> _Folder:
        prefix = path and f"{path}/"
        try:
            with os.scandir(self._prefix + path) as scan:
                entries = list(scan)
        except OSError:  # no permission, or gone meanwhile
            return _Folder(frozenset(), (), ())
        links = tuple(prefix + entry.name for entry in entries if entry.is_symlink())
        folders = tuple(prefix + entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        return _Folder(frozenset(entry.name for entry in entries), links, folders)

    def _signature(self, path: str) -> _Signature:
        try:
            status = os.lstat(self._prefix + path)
        except OSError:
            return _GONE
        return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino

    def _look_again(self, paths: Iterable[str], settled_before: int) -> None:
        """Reads what is new, the smallest first, until as much is kept as may be."""
        signed = sorted((self._signature(path), path) for path in paths)
        if not signed:
            return
        if len(signed) > CHECKPOINT_ANNOUNCED_FILES:
            self._tell(f"Keeping the state of {len(signed):,} files, so that commands can be undone ...")
        seen: dict[str, _Known | None] = {}
        with self._store.importing() as importer:
            for signature, path in signed:
                state = self._keep(path, importer)
                settled = max(signature[1:3], default=0) < settled_before
                seen[path] = _Known(signature if settled else _NOT_SETTLED, state) if state else None
        for path, known in seen.items():
            if known:
                self._known[path] = known
            else:
                self._known.pop(path, None)

    def _keep(self, path: str, importer: Importer) -> PathState | None:
        sighting = look_at(self._prefix + path, min(CHECKPOINT_MAX_FILE_BYTES, self._bytes_left))
        if sighting.content is not None:
            importer.add(sighting.content)
            self._bytes_left -= len(sighting.content)
        return sighting.state


def _ancestors(paths: Iterable[str]) -> set[str]:
    """All folders above the paths, the root, which is the empty path, included."""
    folders = {path.rpartition("/")[0] for path in paths}
    missing = folders
    while missing:
        missing = {path.rpartition("/")[0] for path in missing} - folders
        folders = folders | missing
    return folders | {""}


def _save_index(file: Path, known: Mapping[str, _Known]) -> None:
    """Notes what is known; where that fails, the next session only takes longer."""
    rows = {
        path: [each.signature, each.state.kind, each.state.mode, each.state.content, each.state.kept]
        for path, each in known.items()
    }
    with contextlib.suppress(OSError):
        write_atomically(file, json.dumps(rows).encode(), mode=0o600)


def _load_index(file: Path) -> dict[str, _Known]:
    """What is known from an earlier session; nothing if it was not noted or cannot be read."""
    try:
        rows = json.loads(file.read_bytes())
        return {
            path: _Known(tuple(signature), PathState(*state)) for path, (signature, *state) in rows.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
