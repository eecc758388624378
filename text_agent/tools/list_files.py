"""The tool that lists files."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import methodcaller
from pathlib import Path

from text_agent.config import LIST_MAX_ENTRIES
from text_agent.errors import ToolError
from text_agent.files.problems import readable, reason_of
from text_agent.tools.globs import compile_glob
from text_agent.tools.names import missing
from text_agent.tools.ripgrep import list_paths
from text_agent.workspace import Workspace

# Names of what was left out; more would crowd out the list itself.
_NAMED = 10


def list_files(workspace: Workspace, path: str = ".", pattern: str | None = None) -> str:
    """Lists the files in a folder and below it. `pattern` is a glob such as `*.py`: newest first."""
    folder = workspace.resolve(path)
    shown = workspace.display(folder)
    status = workspace.status(folder)
    if status is None:
        raise missing(workspace, folder)
    if not stat.S_ISDIR(status.st_mode):
        return f"{shown} is a file, not a folder. read_file({json.dumps({'path': shown})}) shows it."
    entries = _entries(workspace, folder)
    prefix = "" if folder == workspace.root else shown + "/"
    listed = _paths(workspace, folder, pattern)
    paths, secret = _split(workspace, folder, listed, prefix)
    if pattern:
        return "\n".join([*_render_matches(folder, prefix, paths, pattern), *count_secrets(secret)])
    tree = Counter(paths) if len(paths) <= LIST_MAX_ENTRIES else _folded(paths)
    others, _ = _split(workspace, folder, entries, prefix)
    secret += sum(name not in listed for name in set(entries).difference(others))
    lines = [
        *_render_tree(prefix, tree, len(paths)),
        *_left_out(others, prefix, tree),
        *count_secrets(secret),
    ]
    return "\n".join(lines) or f"{shown if prefix else 'The workspace'} holds no files."


def _split(workspace: Workspace, folder: Path, paths: list[str], prefix: str) -> tuple[list[str], int]:
    """The paths that may be shown, and how many may not; a folder that is secret itself was approved."""
    return (paths, 0) if workspace.secrets.is_secret(folder) else workspace.secrets.split(paths, prefix)


def count_secrets(count: int) -> list[str]:
    """The note that some files are not shown."""
    if not count:
        return []
    files = "secret file is" if count == 1 else "secret files are"
    return [f"[{count:,} {files} left out: the user must approve of reading one]"]


def _paths(workspace: Workspace, folder: Path, pattern: str | None) -> list[str]:
    """The files of a folder; those that are ignored or hidden, too, if there are no others."""
    paths = list_paths(folder, name=pattern)
    if paths or (pattern and list_paths(folder)):
        return paths
    return list_paths(folder, scope="own rules" if folder == workspace.root else "all")


def _render_matches(folder: Path, prefix: str, paths: Sequence[str], pattern: str) -> list[str]:
    wanted = compile_glob(pattern)
    found = [path for path in paths if wanted.matches(path) or (prefix and wanted.matches(prefix + path))]
    if not found:
        return [f"0 files match {pattern!r}."]
    found.sort(key=lambda path: (-modified(f"{folder}/{path}"), path))
    lines = [prefix + readable(path) for path in found[:LIST_MAX_ENTRIES]]
    left = len(found) - len(lines)
    return [*lines, f"[{left:,} older ones left out; narrow the pattern or the path]"] if left else lines


def modified(path: str) -> float:
    """When a file was changed last, in seconds; 0 if it is not there any more."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _render_tree(prefix: str, tree: Counter[str], total: int) -> list[str]:
    names = sorted(tree)
    lines = [
        prefix + readable(name) + (f" ({tree[name]:,} files)" if name.endswith("/") else "")
        for name in names[:LIST_MAX_ENTRIES]
    ]
    if total <= LIST_MAX_ENTRIES:
        return lines
    left = f", {len(names) - len(lines):,} entries left out" if len(names) > len(lines) else ""
    return [*lines, f"[{total:,} files in all{left}; list one folder with path, or find names with pattern]"]


def _folded(paths: Sequence[str]) -> Counter[str]:
    """The tree cut at the greatest depth at which it is short enough; folders end with `/`.

    It is cut by folders, of which there are few: looking at each file takes as long as finding it.
    """
    folders = Counter(parts[0] for parts in map(methodcaller("rpartition", "/"), paths))
    depth = 1
    while _length(folders, depth + 1) <= LIST_MAX_ENTRIES:
        depth += 1
    deep = {folder: count for folder, count in folders.items() if _depth(folder) >= depth}
    tree: Counter[str] = Counter()
    if len(deep) < len(folders):
        tree.update(path for path in paths if path.count("/") < depth)
    for folder, count in deep.items():
        tree["/".join(folder.split("/")[:depth]) + "/"] += count
    return tree


def _length(folders: Counter[str], depth: int) -> int:
    """How many entries the tree has, cut at `depth`."""
    files = sum(count for folder, count in folders.items() if _depth(folder) < depth)
    return files + len({"/".join(folder.split("/")[:depth]) for folder in folders if _depth(folder) >= depth})


def _depth(folder: str) -> int:
    return folder.count("/") + 1 if folder else 0


def _entries(workspace: Workspace, folder: Path) -> list[str]:
    """The names in a folder itself, those of folders with a `/` behind them."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name + ("/" if entry.is_dir() else "") for entry in entries)
    except OSError as error:
        raise ToolError(f"{workspace.display(folder)} cannot be listed: {reason_of(error)}.") from error


def _left_out(entries: Sequence[str], prefix: str, tree: Iterable[str]) -> list[str]:
    """What lies in the folder and is not listed, counted and named; below it that would cost too much."""
    listed = {name.partition("/")[0] for name in tree}
    names = [name for name in entries if name.rstrip("/") not in listed]
    if not names:
        return []
    more = ", ..." if len(names) > _NAMED else ""
    named = ", ".join(prefix + readable(name) for name in names[:_NAMED]) + more
    return [f"[{len(names):,} not listed, being ignored, hidden, empty or links: {named}]"]
