"""The copy that a task works in, and what became of it.

Nothing that lies in a folder or a repository is started by this: a repository of our own, with our settings
alone, checks out and compares, and knows no hooks, filters or monitors. The user's own are only read.
"""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from text_agent.cli.batch.repositories import Commit, CopyError, OwnRepository, fetched, find_commit, find_git
from text_agent.cli.batch.tasks import Task
from text_agent.commands.sandbox.confinement import PRIVATE_FOLDERS
from text_agent.commands.supervision import Lifeline, Stopped
from text_agent.config.table import without_credentials
from text_agent.errors import ToolError
from text_agent.files.problems import reason_of
from text_agent.files.workspace import Workspace

# What is listed, and how it is taken over; what is new comes last: a file may have become a folder.
_UPDATES = ((("--deleted", "--modified"), "--remove"), (("--others", "--exclude-standard"), "--add"))
# Has Linux let two files share their bytes until one of them is changed.
_FICLONE = 0x40049409


@dataclass(frozen=True, slots=True)
class Copy:
    """The folder that a task works in, and what it began with."""

    folder: Path
    base: OwnRepository  # it has what the folder began with, and in the end what has changed
    tree: str  # the id of what it began with

    def write_patch(self, target: Path) -> bool:
        """Writes what has changed, as `git apply` takes it, without ignored files. False: nothing has.

        Raises `CopyError`.
        """
        tree = _snapshot(self.base, self.folder)
        if tree == self.tree:
            return False
        how = ("--no-ext-diff", "--no-textconv", "--binary", "--full-index", f"--output={target}")
        self.base.call("diff", *how, self.tree, tree)
        return True


def make_copy(task: Task, folder: Path, shared: Path, lifeline: Lifeline) -> Copy:
    """Makes the copy of a task in its `folder`, which is empty; `shared` keeps what is fetched for all tasks.

    Raises `CopyError`: it cannot be made; `Stopped`: it was given up.
    """
    target, base = folder / "workspace", OwnRepository(folder / "base.git", find_git(folder), lifeline.held)
    try:
        target.mkdir()
        if task.workspace:
            _copy_tree(Path(task.workspace), target, lifeline)
        commit = _commit_of(task, shared, lifeline)
        base.call("init", "--quiet", "--bare", "--template=", f"--object-format={commit.form}")
        if commit.id:
            _check_out(commit, base, target, lifeline)
        _write_files(task, target)
        return Copy(target, base, _snapshot(base, target))
    except shutil.Error as error:  # of many files, each with its reason
        source, _, reason = error.args[0][0]
        raise CopyError(f"no copy can be made of {source}: {reason}") from error
    except OSError as error:
        raise CopyError(f"no copy can be made: {reason_of(error)}.") from error
    except ToolError as error:
        raise CopyError(str(error)) from error


def remove_tree(folder: Path) -> None:
    """Removes a folder, whatever its permissions; one that is not there is gone already. Raises `OSError`."""

    def allow(remove: Callable[..., object], path: str, _error: object) -> None:
        for each in (Path(path).parent, Path(path)):
            if not each.is_symlink() and each.is_dir():
                each.chmod(stat.S_IRWXU)
        remove(path) if remove is not os.open else shutil.rmtree(path)

    if folder.exists():
        shutil.rmtree(folder, onerror=allow)


def _copy_tree(source: Path, target: Path, lifeline: Lifeline, *left_out: str) -> None:
    """Copies a folder with its links as links; sockets, pipes and devices are left out, as are some names."""
    copy, ignore = partial(_copy_file, stop=lifeline.stop), shutil.ignore_patterns(*left_out)
    shutil.copytree(source, target, symlinks=True, ignore=ignore, dirs_exist_ok=True, copy_function=copy)


def _copy_file(source: str, target: str, *, stop: int | None) -> None:
    """Copies a file; its bytes are shared where the file system can. Raises `Stopped`: `stop` can be read."""
    if stop is not None and select.select([stop], [], [], 0)[0]:
        raise Stopped
    if not Path(source).is_file():
        return
    try:
        with Path(source).open("rb") as old, Path(target).open("wb") as new:
            fcntl.ioctl(new, _FICLONE, old.fileno())
    except OSError:
        shutil.copyfile(source, target)
    shutil.copystat(source, target)


def _commit_of(task: Task, shared: Path, lifeline: Lifeline) -> Commit:
    if not task.repository:
        return Commit()
    repository = fetched(task.repository, shared, lifeline) if task.is_remote else Path(task.repository)
    return find_commit(repository, task.ref, without_credentials(task.repository))


def _check_out(commit: Commit, base: OwnRepository, target: Path, lifeline: Lifeline) -> None:
    """Checks a commit out, into a repository that has its objects, and no branch, tag or setting."""
    base.borrow(commit)
    base.call("read-tree", "-u", "--reset", commit.id, work_tree=target)
    made = OwnRepository(target / ".git", base.git, base.held)
    made.call("init", "--quiet", "--template=", f"--object-format={commit.form}")
    objects = Path(commit.objects)
    is_seen = not any(objects.is_relative_to(folder) for folder in PRIVATE_FOLDERS)
    if is_seen or (objects / "info/alternates").exists():
        made.borrow(commit)
    if not is_seen:  # by commands in a sandbox
        _copy_tree(objects, made.folder / "objects", lifeline, "info")
    (made.folder / "HEAD").write_text(f"{commit.id}\n", encoding="ascii")
    shutil.copyfile(base.folder / "index", made.folder / "index")


def _write_files(task: Task, target: Path) -> None:
    """Writes the task's own files; no link of the copy leads them out of it."""
    workspace = Workspace(target)
    for path, text in task.files.items():
        file = workspace.resolve(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


def _snapshot(base: OwnRepository, folder: Path) -> str:
    """Keeps all that is not ignored, and returns its tree; repositories below the folder are left out."""
    has_index = (base.folder / "index").exists()
    for listed, update in _UPDATES if has_index else _UPDATES[1:]:
        names = base.call("ls-files", "-z", *listed, work_tree=folder).split(b"\0")
        kept = [name + b"\0" for name in names if name and not name.endswith(b"/")]
        if kept:
            base.call("update-index", "-z", update, "--stdin", work_tree=folder, given=b"".join(kept))
    return base.call("write-tree").decode().strip()
