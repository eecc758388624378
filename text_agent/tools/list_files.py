"""The tool that lists files."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from text_agent.errors import ToolError
from text_agent.files.globs import compile_glob
from text_agent.files.problems import kind_of_file, readable, reason_of
from text_agent.files.ripgrep import list_project, listing_of
from text_agent.files.workspace import Workspace
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.tool import ToolWords
from text_agent.tools import words
from text_agent.tools.limits import list_entries
from text_agent.tools.suggestions import missing
from text_agent.tools.tool import Declaration

# Names of what was left out; more would crowd out the list itself.
_NAMED = 10
# Files of one folder that stand together in a listing; the folder with its `/`, empty for files at the top.
_FILES_OF_A_FOLDER = late_pattern(r"((?:[^\0]*/)?)[^\0/]++\0(?:\1[^\0/]++\0)*+")


@Declaration(
    "looks",
    rank=4,
    paths=("path",),
    words=ToolWords(
        names=(
            "ls dir list list_dir list_directory list_folder list_files_in_directory read_dir read_folder"
            " glob glob_files find_files find_file file_glob_search tree"
        ),
        parameters={"path": words.PATH, "pattern": words.PATTERN},
        payload="",
    ),
)
def list_files(workspace: Workspace, path: str = ".", pattern: str | None = None) -> str:
    """Lists the files in a folder and below it. `pattern` is a glob such as `*.py`: newest first."""
    folder = workspace.resolve(path)
    shown = workspace.display(folder)
    status = workspace.status(folder)
    if status is None:
        raise missing(workspace, folder)
    if not stat.S_ISDIR(status.st_mode):
        if not stat.S_ISREG(status.st_mode):
            raise ToolError(f"{shown} is {kind_of_file(status.st_mode)}, not a folder.")
        return f"{shown} is a file, not a folder. read_file({json.dumps({'path': shown})}) shows it."
    entries = _entries(workspace, folder)
    prefix = "" if folder == workspace.root else shown + "/"
    everything, most = _listing(workspace.root, folder, pattern), list_entries(workspace)
    listing, secret = _split(workspace, folder, everything, prefix)
    if pattern:
        matches = _render_matches(folder, prefix, listing.split("\0")[:-1], pattern, most)
        return "\n".join([*matches, *count_secrets(secret)])
    total = listing.count("\0")
    tree = Counter(listing.split("\0")[:-1]) if total <= most else _folded(listing, most)
    kept, _ = _split(workspace, folder, "".join(f"{name}\0" for name in entries), prefix)
    others = kept.split("\0")[:-1]
    secret += sum(f"\0{name}\0" not in f"\0{everything}" for name in set(entries).difference(others))
    lines = [
        *_render_tree(prefix, tree, total, most),
        *_left_out(folder, others, prefix, tree),
        *count_secrets(secret),
    ]
    return "\n".join(lines) or f"{shown if prefix else 'The workspace'} holds no files."


def visible_files(workspace: Workspace) -> list[str]:
    """The files that belong to the project and are no secret, for a user who names one; none if it fails."""
    try:
        return workspace.secrets.split(list_project(workspace.root))[0]
    except ToolError:
        return []


def _split(workspace: Workspace, folder: Path, listing: str, prefix: str) -> tuple[str, int]:
    """The listing of what may be shown, and how much may not; a folder that is secret itself was approved."""
    return (
        (listing, 0)
        if workspace.secrets.is_secret(folder)
        else workspace.secrets.split_listing(listing, prefix)
    )


def count_secrets(count: int) -> list[str]:
    """The note that some files are not shown."""
    if not count:
        return []
    files = "secret file is" if count == 1 else "secret files are"
    return [f"[{count:,} {files} left out: the user must approve of reading one]"]


def _listing(root: Path, folder: Path, pattern: str | None) -> str:
    """The files of a folder; those that are ignored or hidden, too, if there are no others."""
    listing = listing_of(folder, name=pattern, root=root)
    if listing or (pattern and listing_of(folder, root=root)):
        return listing
    return listing_of(folder, scope="own rules" if folder == root else "all", root=root)


def _render_matches(folder: Path, prefix: str, paths: Sequence[str], pattern: str, most: int) -> list[str]:
    wanted = compile_glob(pattern)
    found = [path for path in paths if wanted.matches(path) or (prefix and wanted.matches(prefix + path))]
    if not found:
        return [f"0 files match {pattern!r}."]
    found.sort(key=lambda path: (-modified(f"{folder}/{path}"), path))
    lines = [prefix + readable(path) for path in found[:most]]
    left = len(found) - len(lines)
    return [*lines, f"[{left:,} older ones left out; narrow the pattern or the path]"] if left else lines


def modified(path: str) -> float:
    """When a file was changed last, in seconds; 0 if it is not there any more."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _render_tree(prefix: str, tree: Counter[str], total: int, most: int) -> list[str]:
    names = sorted(tree)
    lines = [
        prefix + readable(name) + (f" ({tree[name]:,} files)" if name.endswith("/") else "")
        for name in names[:most]
    ]
    if total <= most:
        return lines
    left = f", {len(names) - len(lines):,} entries left out" if len(names) > len(lines) else ""
    return [*lines, f"[{total:,} files in all{left}; list one folder with path, or find names with pattern]"]


def _folded(listing: str, most: int) -> Counter[str]:
    """The tree cut at the greatest depth at which it is short enough; folders end with `/`.

    It is cut by folders, of which there are few: looking at each file takes as long as finding it.
    """
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for run in _FILES_OF_A_FOLDER.finditer(listing):
        folders[run[1]].append(run[0])
    counts = {folder: sum(run.count("\0") for run in runs) for folder, runs in folders.items()}
    depth = 1
    while _length(counts, depth + 1) <= most:
        depth += 1
    tree: Counter[str] = Counter()
    for folder, runs in folders.items():
        if folder.count("/") < depth:
            tree.update("".join(runs).split("\0")[:-1])
        else:
            tree[_cut(folder, depth)] += counts[folder]
    return tree


def _length(counts: Mapping[str, int], depth: int) -> int:
    """How many entries the tree has, cut at `depth`."""
    files = sum(count for folder, count in counts.items() if folder.count("/") < depth)
    return files + len({_cut(folder, depth) for folder in counts if folder.count("/") >= depth})


def _cut(folder: str, depth: int) -> str:
    return "/".join(folder.split("/")[:depth]) + "/"


def _entries(workspace: Workspace, folder: Path) -> list[str]:
    """The names in a folder itself, those of folders with a `/` behind them."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name + ("/" if _is_folder(entry) else "") for entry in entries)
    except OSError as error:
        raise ToolError(f"{workspace.display(folder)} cannot be listed: {reason_of(error)}.") from error


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder, or a link to one; a link in a circle is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _left_out(folder: Path, entries: Sequence[str], prefix: str, tree: Iterable[str]) -> list[str]:
    """What lies in the folder and is not listed, counted and named; below it that would cost too much."""
    listed = {name.partition("/")[0] for name in tree}
    names = [name for name in entries if name.rstrip("/") not in listed]
    unusable = {name: reason for name in names if (reason := _why_unusable(folder / name))}
    others = [readable(name) for name in names if name not in unusable]
    return [
        *counted("not listed, being ignored, hidden, empty or links", others, prefix),
        *counted("cannot be used", [f"{readable(name)} ({why})" for name, why in unusable.items()], prefix),
    ]


def _why_unusable(path: Path) -> str:
    """Why nothing can be read there; empty for a file, a folder, and a link that leads nowhere."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return ""
    except OSError as error:
        return reason_of(error)
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        return kind_of_file(mode)
    is_locked = stat.S_ISDIR(mode) and not os.access(path, os.R_OK | os.X_OK)
    return "there is no permission" if is_locked else ""


def counted(what: str, names: Sequence[str], prefix: str = "") -> list[str]:
    """A note on some names, of which the first are told; none without any."""
    if not names:
        return []
    named = ", ".join(prefix + name for name in names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    return [f"[{len(names):,} {what}: {named}]"]
