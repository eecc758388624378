"""Folders that git takes for repositories by what lies in them, whatever they are called.

Their settings name programs that git starts: for whoever works in such a folder, and for a shell's prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePosixPath

# A repository's own parts, or those of a linked work tree, which names where the others lie.
_PARTS = ({"head", "objects", "refs"}, {"head", "commondir"})


def is_git_folder(folder: Path) -> bool:
    """Tells whether git takes the folder itself, not a `.git` in it, for a repository."""
    return _would_be(folder)


def lies_in_git_folder(folder: Path) -> bool:
    """Tells whether git, started in the folder, comes upon such a folder before it comes upon a `.git`."""
    for each in (folder, *folder.parents):
        if (each / ".git").exists():
            return False
        if is_git_folder(each):
            return True
    return False


def is_own_work_tree(folder: Path, work_tree: str) -> bool:
    """Tells whether the setting `core.worktree` names the place where git is anyway, as in submodules."""
    for each in (folder, *folder.parents):
        if (link := each / ".git").exists():
            return (each / _git_folder_of(link) / work_tree).resolve() == each
    return False


def _git_folder_of(link: Path) -> str:
    """Returns where a `.git` leads to, seen from the folder that it lies in."""
    if link.is_dir():
        return link.name
    try:
        return link.read_text("utf-8", "replace").removeprefix("gitdir: ").strip()
    except OSError:
        return ""


def makes_git_folder(root: Path, paths: Iterable[str]) -> str:
    """Returns the first of `paths`, relative to `root`, that makes or changes such a folder; else ""."""
    parts = [(path, *place) for path in paths for place in _places(path)]
    for path, folder, _ in parts:
        new = {part.lower() for _, other, part in parts if other == folder}
        if _would_be(root / folder, new):
            return path
    return ""


def _places(path: str) -> Iterator[tuple[str, str]]:
    """Yields each folder above a file, with the next part of the path."""
    parts = PurePosixPath(path).parts
    yield from (("/".join(parts[:at]), part) for at, part in enumerate(parts))


def _would_be(folder: Path, new: AbstractSet[str] = frozenset()) -> bool:
    names = new | {name for parts in _PARTS for name in parts if _holds(folder, name)}
    return any(parts <= names for parts in _PARTS)


def _holds(folder: Path, name: str) -> bool:
    return (folder / (name.upper() if name == "head" else name)).exists()
