"""Folders that git takes for repositories by what lies in them, whatever they are called.

Their settings name programs that git starts: for whoever works in such a folder, and for a shell's prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePosixPath

# A repository's own parts, or those of a linked work tree, which names where the others lie.
_PARTS = ({"head", "objects", "refs"}, {"head", "commondir"})


def is_git_folder(folder: Path, new: AbstractSet[str] = frozenset()) -> bool:
    """Tells whether git takes the folder itself, not a `.git` in it, for a repository, with `new` in it."""
    names = new | {name for parts in _PARTS for name in parts if _holds(folder, name)}
    return any(parts <= names for parts in _PARTS)


def is_git_listing(names: Iterable[str]) -> bool:
    """Tells the same of a folder in which these names stand."""
    found = {name.lower() for name in names}
    return any(parts <= found for parts in _PARTS)


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
    top = _top_of(folder)
    return top is not None and (_git_folder_of(top) / work_tree).resolve() == top


def leads_to_its_own(folder: Path, *, is_named: bool = False) -> bool:
    """Tells whether the `.git` that counts in the folder is there, or knows that it belongs to this place.

    Otherwise a `.git` that came in an archive could show the history of any repository of the user's.
    `is_named`: its settings name this place, as those of submodules do.
    """
    top = _top_of(folder)
    if top is None:
        return True
    git_folder = _git_folder_of(top)
    common = (git_folder / _text_of(git_folder / "commondir")).resolve()
    if not git_folder.is_relative_to(common):
        return False
    return (
        is_named
        or git_folder.is_relative_to(top)
        or Path(_text_of(git_folder / "gitdir")).resolve() == top / ".git"
    )


def _top_of(folder: Path) -> Path | None:
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def _git_folder_of(top: Path) -> Path:
    link = top / ".git"
    return (link if link.is_dir() else top / _text_of(link).removeprefix("gitdir: ")).resolve()


def _text_of(file: Path) -> str:
    """Returns the text of a file without blanks around it; empty if it cannot be read."""
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def makes_git_folder(root: Path, paths: Iterable[str]) -> str:
    """Returns the first of `paths`, relative to `root`, that makes or changes such a folder; else ""."""
    parts = [(path, *place) for path in paths for place in _places(path)]
    for path, folder, _ in parts:
        new = {part.lower() for _, other, part in parts if other == folder}
        if is_git_folder(root / folder, new):
            return path
    return ""


def _places(path: str) -> Iterator[tuple[str, str]]:
    """Yields each folder above a file, with the next part of the path."""
    parts = PurePosixPath(path).parts
    yield from (("/".join(parts[:at]), part) for at, part in enumerate(parts))


def _holds(folder: Path, name: str) -> bool:
    return (folder / (name.upper() if name == "head" else name)).exists()
