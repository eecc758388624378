"""What stands in a workspace, at one moment, where programs that the user starts later take orders from."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from text_agent.commands.power.git_folders import (
    is_settings,
    leads_to_the_workspaces_own,
    running_parts,
    running_settings,
)
from text_agent.config.limits import EDIT_MAX_BYTES
from text_agent.files.checkpoints.states import PathState, Sighting, look_at
from text_agent.files.power_paths import grants_power, may_begin_power
from text_agent.own_programs.git_folders import is_git_listing

_GIT = ".git"
# Where git keeps the repositories of submodules, and what it knows of further work trees.
_INNER = ("modules", "worktrees")
# Other people's code, made anew by the thousand: no program takes orders from there by itself.
_SKIPPED = frozenset({"node_modules", ".venv", "venv", "__pycache__"})
# Files behind one link that are looked at.
_MAX_LINKED = 1000


@dataclass(frozen=True, slots=True)
class PowerView:
    """What stood there at one moment; paths are relative to the workspace."""

    root: str  # the workspace
    sightings: dict[str, Sighting] = field(default_factory=dict)  # what grants power
    inodes: dict[str, int] = field(default_factory=dict)  # those of what grants power
    # Those of all files and folders, to know again what was moved.
    all_inodes: set[int] = field(default_factory=set)
    settings: set[str] = field(default_factory=set)  # which of the paths are settings of git's
    links: set[str] = field(default_factory=set)  # which of them are links

    def add(self, path: str) -> None:
        """Takes down what stands at a path, if anything does."""
        sighting = look_at(f"{self.root}/{path}", EDIT_MAX_BYTES)
        if sighting.state is not None:
            self.sightings[path] = sighting
            with contextlib.suppress(OSError):  # somebody else has removed it meanwhile
                self.inodes[path] = os.lstat(f"{self.root}/{path}").st_ino

    def follow(self, link: str) -> None:
        """Takes down what a link leads to and gives a name that grants power."""
        target = os.path.realpath(f"{self.root}/{link}")
        if not target.startswith(f"{self.root}/"):
            return
        below = (f"{folder}/{name}" for folder, _, names in os.walk(target) for name in names)
        for file in (target, *itertools.islice(below, _MAX_LINKED)):
            if grants_power(link + file.removeprefix(target)) and os.path.isfile(file):  # noqa: PTH113 - texts
                self.add(file.removeprefix(f"{self.root}/"))

    def state(self, path: str) -> PathState | None:
        """What stood at a path."""
        return self.sighting(path).state

    def sighting(self, path: str) -> Sighting:
        """The same, with the bytes of a file."""
        return self.sightings.get(path, Sighting(None))

    def contents(self) -> dict[str, bytes]:
        """The bytes of files by the names that their states have for them."""
        return {
            each.state.content: each.content
            for each in self.sightings.values()
            if each.state and each.content is not None
        }

    def power(self, path: str) -> PathState | Sequence[str] | None:
        """What counts of a path: of git's settings, those that may run something."""
        sighting = self.sighting(path)
        is_read = path in self.settings and sighting.content is not None
        return (running_settings(path, sighting.content or b"") or None) if is_read else sighting.state


def look_for_power(root: str) -> PowerView:
    """Looks at all of a workspace; `root` is its folder, links resolved."""
    view = PowerView(root)
    folders = [_Folder("")]
    while folders:
        folders += _look_into(folders.pop(), view)
    return view


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to look into."""

    path: str  # relative to the workspace
    is_power: bool = False  # a part of it may be the beginning of a path that grants power
    is_gits: bool = False  # git keeps it, and the names in it mean nothing to other programs


def _look_into(folder: _Folder, view: PowerView) -> Iterator[_Folder]:
    """Takes down what grants power in a folder; yields the folders in it that may hold more."""
    try:
        with os.scandir(f"{view.root}/{folder.path}") as scan:
            entries = list(scan)
    except OSError:  # no permission, or gone meanwhile
        return
    view.all_inodes.update(entry.inode() for entry in entries)
    is_git = _is_git(folder.path)
    names = frozenset(entry.name for entry in entries)
    if is_git or is_git_listing(names):
        for part in running_parts(view.root, folder.path, names):
            view.add(part)
            view.settings.update([part] if is_settings(part) else [])
    for entry in entries:
        if entry.name.lower() not in _SKIPPED and (not is_git or entry.name in _INNER):
            yield from _look_at(entry, folder, view)


def _look_at(entry: os.DirEntry[str], folder: _Folder, view: PowerView) -> Iterator[_Folder]:
    path = f"{folder.path}/{entry.name}" if folder.path else entry.name
    is_folder = entry.is_dir(follow_symlinks=False)
    # A link may give what it leads to a name that grants power.
    is_power = folder.is_power or may_begin_power(entry.name)
    is_gits = folder.is_gits or (is_folder and _is_git(path))
    is_own = _is_git(path) and leads_to_the_workspaces_own(view.root, path)
    if is_power and not is_gits and not is_own and (entry.is_symlink() or grants_power(path)):
        view.add(path)
        view.links.update([path] if entry.is_symlink() else [])
    if is_folder:
        yield _Folder(path, is_power, is_gits)


def _is_git(path: str) -> bool:
    return path.rpartition("/")[2].lower() == _GIT
