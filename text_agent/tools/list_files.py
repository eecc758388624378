"""The tool that lists files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from text_agent.config import LIST_MAX_ENTRIES
from text_agent.file_problems import readable
from text_agent.tools.globs import compile_glob
from text_agent.tools.names import missing
from text_agent.tools.ripgrep import list_paths
from text_agent.workspace import Workspace


def list_files(workspace: Workspace, path: str = ".", pattern: str | None = None) -> str:
    """Lists the files in a folder and below it. `pattern` is a glob such as `*.py`: newest first."""
    folder = workspace.resolve(path)
    shown = workspace.display(folder)
    if not os.path.lexists(folder):
        raise missing(workspace, folder)
    if not folder.is_dir():
        return f"{shown} is a file, not a folder; read_file shows it."
    paths = list_paths(folder) or list_paths(folder, ignored_too=True)
    if pattern:
        wanted = compile_glob(pattern)
        paths = _newest_first(folder, [path for path in paths if wanted.match(path)])
    if not paths:
        return f"0 files match {pattern!r} in {shown}." if pattern else f"{shown} holds no files."
    return "\n".join(_render(workspace, folder, paths))


def _newest_first(folder: Path, paths: Sequence[str]) -> list[str]:
    return sorted(paths, key=lambda path: -_modified(folder / path))


def _modified(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:  # it vanished after it was listed
        return 0.0


def _render(workspace: Workspace, folder: Path, paths: Sequence[str]) -> list[str]:
    prefix = "" if folder == workspace.root else workspace.display(folder) + "/"
    lines = [prefix + readable(path) for path in paths[:LIST_MAX_ENTRIES]]
    left = len(paths) - len(lines)
    return [*lines, f"[{left:,} more files; narrow with path or pattern]"] if left else lines
