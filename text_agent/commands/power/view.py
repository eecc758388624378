"""What stands in a workspace, at one moment, where programs that the user starts later take orders from."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from text_agent.config.limits import EDIT_MAX_BYTES
from text_agent.files.checkpoints.states import PathState, Sighting, look_at
from text_agent.files.kinds import FOREIGN_FOLDERS
from text_agent.files.power_paths import grants_power, may_begin_power
from text_agent.lazy_regex import late_pattern
from text_agent.own_programs.git import is_git_listing

_GIT = ".git"
# Where git keeps the repositories of submodules, and what it knows of further work trees.
_INNER = ("modules", "worktrees")
# Files behind one link that are looked at.
_MAX_LINKED = 1000
# In these git looks for settings; the last one leads to a folder with others.
_SETTINGS = ("config", "config.worktree")
_LEADS_ON = "commondir"
# What that holds in the folder of a further work tree: the repository in which it lies.
_WORK_TREE = ".git/worktrees/"
_TO_ITS_OWN = b"../.."
# The folder of a submodule's repository names the place of its files.
_SUBMODULE, _PLACE = ".git/modules/", "core.worktree"
_HOOKS = "hooks"
# What git writes there as examples, and never runs.
_EXAMPLE = ".sample"
_HEADER = late_pattern(r'\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]')
_KEY = late_pattern(r"\s*([\w-]+)")
# What git writes itself, and what runs nothing; any other setting may.
_HARMLESS = late_pattern(
    r"advice\..+|branch\..+|core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase"
    r"|precomposeunicode|symlinks|autocrlf|eol|safecrlf)|fetch\.prune|init\.defaultbranch|lfs\.repositoryformatversion"
    r"|merge\.conflictstyle|pull\..+|push\..+|rebase\.auto\w+|remote\.(?:url|fetch|pushurl|tagopt)"
    r"|rerere\..+|submodule\.(?:url|active|branch)|user\.(?:name|email)"
)
_RUNNING_URL = "ext::"


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
        return (_running_settings(path, sighting.content or b"") or None) if is_read else sighting.state


def look_for_power(root: str) -> PowerView:
    """Looks at all of a workspace; `root` is its folder, links resolved."""
    view = PowerView(root)
    folders = [_Folder("")]
    while folders:
        folders += _look_into(folders.pop(), view)
    return view


@dataclass(frozen=True, slots=True)
class _Folder:
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
        for part in _running_parts(view.root, folder.path, names):
            view.add(part)
            if part.rpartition("/")[2] in (*_SETTINGS, _LEADS_ON):
                view.settings.add(part)
    for entry in entries:
        # No program takes orders by itself from other people's code.
        if entry.name.lower() not in FOREIGN_FOLDERS and (not is_git or entry.name in _INNER):
            yield from _look_at(entry, folder, view)


def _look_at(entry: os.DirEntry[str], folder: _Folder, view: PowerView) -> Iterator[_Folder]:
    path = f"{folder.path}/{entry.name}" if folder.path else entry.name
    is_folder = entry.is_dir(follow_symlinks=False)
    # A link may give what it leads to a name that grants power.
    is_power = folder.is_power or may_begin_power(entry.name)
    is_gits = folder.is_gits or (is_folder and _is_git(path))
    is_own = _is_git(path) and _leads_to_the_workspaces_own(view.root, path)
    if is_power and not is_gits and not is_own and (entry.is_symlink() or grants_power(path)):
        view.add(path)
        if entry.is_symlink():
            view.links.add(path)
    if is_folder:
        yield _Folder(path, is_power, is_gits)


def _is_git(path: str) -> bool:
    return path.rpartition("/")[2].lower() == _GIT


def _running_parts(root: str, folder: str, names: frozenset[str]) -> Iterator[str]:
    """The paths in one of git's folders, relative to `root`, that decide which programs it runs."""
    prefix = folder and f"{folder}/"
    yield from (f"{prefix}{name}" for name in (*_SETTINGS, _LEADS_ON) if name in names)
    if os.path.islink(f"{root}/{prefix}{_HOOKS}"):  # noqa: PTH114 - texts, as there may be very many paths
        yield f"{prefix}{_HOOKS}"
    for parent, _, files in os.walk(f"{root}/{prefix}{_HOOKS}"):
        below = parent.removeprefix(f"{root}/")
        yield from (f"{below}/{name}" for name in files if not name.endswith(_EXAMPLE))


def _running_settings(path: str, content: bytes) -> list[str]:
    """The lines of settings that may make git run a program or read further settings."""
    if path.endswith(f"/{_LEADS_ON}"):
        return [] if _WORK_TREE in path and content.strip() == _TO_ITS_OWN else [repr(content)]
    section, found = "", []
    for line in content.decode("utf-8", "surrogateescape").splitlines():
        while header := _HEADER.match(line):
            section, line = header[1].lower(), line[header.end() :]
        if not line.strip() or line.strip().startswith(("#", ";")):
            continue
        key = _KEY.match(line)
        name = f"{section}.{key[1].lower()}" if key else ""
        is_harmless = _HARMLESS.fullmatch(name) or (name == _PLACE and _SUBMODULE in path)
        if not is_harmless or _RUNNING_URL in line:
            found.append(f"{section}: {line.strip()}")
    return found


def _leads_to_the_workspaces_own(root: str, path: str) -> bool:
    """Whether a file `.git` leads into the repository of the workspace, as those of work trees do."""
    try:
        with open(f"{root}/{path}", "rb") as file:  # noqa: PTH123 - texts throughout
            target = os.fsdecode(file.read(EDIT_MAX_BYTES)).removeprefix("gitdir: ").strip()
        place = os.path.join(os.path.dirname(f"{root}/{path}"), target)  # noqa: PTH118, PTH120 - the same
        return os.path.realpath(place).startswith(f"{root}/.git/")
    except (OSError, ValueError):
        return False
