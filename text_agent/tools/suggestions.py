"""What to say about a path that does not exist."""

from __future__ import annotations

import difflib
from pathlib import Path, PurePosixPath

from text_agent.errors import ToolError
from text_agent.files.problems import readable
from text_agent.files.ripgrep import list_paths
from text_agent.files.workspace import Workspace

_SUGGESTIONS = 3
# Names compared one by one; beyond that a listing helps more than a guess.
_COMPARED = 5000
# Names that projects have in several folders.
_COMMON_STEMS = frozenset({"readme", "index", "main", "conftest", "makefile", "dockerfile", "package"})


def missing(workspace: Workspace, target: Path) -> ToolError:
    """The error for a file or folder that is not there, with the nearest names that are."""
    shown = workspace.display(target)
    near = nearest_paths(workspace, target)
    hint = f"Did you mean {' or '.join(near)}?" if near else "list_files({}) shows the files."
    return ToolError(f"{shown} does not exist. {hint}")


def namesakes(workspace: Workspace, target: Path) -> list[str]:
    """Files elsewhere of the same name, or beside it if only capitals differ.

    Names such as `__init__.py` stand in many folders, and tell nothing.
    """
    if target.name.startswith("__") or target.stem.casefold() in _COMMON_STEMS:
        return []
    return [
        path
        for path in nearest_paths(workspace, target)
        if PurePosixPath(path).name.casefold() == target.name.casefold()
    ]


def nearest_paths(workspace: Workspace, target: Path) -> list[str]:
    """Files whose names are like that of `target`: those of the same name first."""
    try:
        paths = sorted(list_paths(workspace.root))[:_COMPARED]
    except ToolError:  # a suggestion is worth no failure of its own
        return []
    wanted = target.name.casefold()
    same = [path for path in paths if PurePosixPath(path).name.casefold() == wanted]
    if same:
        return [readable(path) for path in same[:_SUGGESTIONS]]
    by_name = {PurePosixPath(path).name.casefold(): path for path in paths}
    close = difflib.get_close_matches(wanted, by_name, n=_SUGGESTIONS, cutoff=0.7)
    return [readable(by_name[name]) for name in close]
