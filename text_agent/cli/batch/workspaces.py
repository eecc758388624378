"""The copy that a task works in, and what became of it.

Nothing that lies in a folder or a repository is started by this: a repository of our own, with our settings
alone, checks out and compares, and knows no hooks, filters or monitors. The user's own are only read.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from text_agent.cli.batch.repositories import Commit, CopyError, call_git, fetched, find_commit
from text_agent.cli.batch.tasks import Task
from text_agent.commands.supervision import Lifeline, Standard, run_supervised
from text_agent.config.limits import BATCH_COPY_SECONDS
from text_agent.config.table import without_credentials
from text_agent.errors import ToolError
from text_agent.files.problems import reason_of
from text_agent.files.workspace import Workspace
from text_agent.own_programs.processes import find_program, own_environment

# What is listed, and how it is taken over; what is new comes last: a file may have become a folder.
_UPDATES = ((("--deleted", "--modified"), "--remove"), (("--others", "--exclude-standard"), "--add"))


@dataclass(frozen=True, slots=True)
class Copy:
    """The folder that a task works in, and what it began with.

    Attributes:
        folder: where it is.
        base: our own repository.
        tree: what it began with, in that repository.
    """

    folder: Path
    base: Path
    tree: str

    def write_patch(self, target: Path) -> bool:
        """Writes what has changed, as `git apply` takes it; without ignored files. False: nothing has."""
        tree = _snapshot(self.base, self.folder)
        if tree == self.tree:
            return False
        words = ("diff", "--no-ext-diff", "--no-textconv", "--binary", "--full-index", f"--output={target}")
        call_git(self.base, (*words, self.tree, tree))
        return True

    def remove(self) -> None:
        """Removes the folder."""
        remove_tree(self.folder)


def make_copy(task: Task, folder: Path, shared: Path, lifeline: Lifeline) -> Copy:
    """Makes the copy in `folder`, which is empty.

    Args:
        task: says what is copied.
        folder: of the task alone.
        shared: where repositories lie that were fetched for all tasks.
        lifeline: of the programs that do it.

    Raises:
        CopyError: it cannot be made.
        Stopped: it was given up.
    """
    target, base = folder / "workspace", folder / "base.git"
    target.mkdir()
    try:
        if task.workspace:
            _copy_tree(Path(task.workspace), target, lifeline)
        commit = _commit_of(task, shared, lifeline)
        call_git(base, ("init", "--quiet", "--bare", "--template=", f"--object-format={commit.form}"))
        if commit.id:
            _check_out(commit, base, target)
        _write_files(task, target)
        return Copy(target, base, _snapshot(base, target))
    except OSError as error:
        raise CopyError(f"no copy can be made: {reason_of(error)}.") from error
    except ToolError as error:
        raise CopyError(str(error)) from error


def remove_tree(folder: Path) -> None:
    """Removes a folder, whatever its permissions; one that is not there is gone already."""

    def allow(remove: Callable[..., object], path: str, _error: object) -> None:
        for each in (Path(path).parent, Path(path)):
            if not each.is_symlink() and each.is_dir():
                each.chmod(stat.S_IRWXU)
        remove(path) if remove is not os.open else shutil.rmtree(path)

    if folder.exists():
        shutil.rmtree(folder, onerror=allow)


def _copy_tree(source: Path, target: Path, lifeline: Lifeline) -> None:
    """Copies a folder with its links as links; where the file system can, without copying its bytes."""
    program = find_program("cp", target) if sys.platform == "linux" else None
    if program is None:
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
        return
    argv = [program, "-a", "--reflink=auto", "--", f"{source}/.", str(target)]
    problems = target.with_name("copying.txt")
    with problems.open("wb") as file:
        standard = Standard(errors=file.fileno())
        environment = own_environment(os.environ, target)
        code = run_supervised(argv, environment, target, BATCH_COPY_SECONDS, standard, lifeline)
    said = problems.read_text("utf-8", "replace").strip()
    problems.unlink()
    if code:
        raise CopyError(
            f"{source} cannot be copied: {said.splitlines()[-1] if said else f'cp ended with {code}'}."
        )
    if code is None:
        raise CopyError(f"{source} cannot be copied within {BATCH_COPY_SECONDS:,.0f} seconds.")


def _commit_of(task: Task, shared: Path, lifeline: Lifeline) -> Commit:
    if not task.repository:
        return Commit()
    repository = fetched(task.repository, shared, lifeline) if task.is_remote else Path(task.repository)
    return find_commit(repository, task.ref, without_credentials(task.repository))


def _check_out(commit: Commit, base: Path, target: Path) -> None:
    """Checks a commit out, into a repository that has its objects, and no branch, tag or setting."""
    _borrow(base, commit.objects)
    call_git(base, ("read-tree", "-u", "--reset", commit.id), work_tree=target)
    own = target / ".git"
    call_git(own, ("init", "--quiet", "--template=", f"--object-format={commit.form}"))
    _borrow(own, commit.objects)
    (own / "HEAD").write_text(f"{commit.id}\n", encoding="ascii")
    shutil.copyfile(base / "index", own / "index")


def _borrow(repository: Path, objects: str) -> None:
    (repository / "objects/info").mkdir(exist_ok=True)
    (repository / "objects/info/alternates").write_bytes(os.fsencode(objects) + b"\n")


def _write_files(task: Task, target: Path) -> None:
    """Writes the task's own files; no link of the copy leads them out of it."""
    workspace = Workspace(target)
    for path, text in task.files.items():
        file = workspace.resolve(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


def _snapshot(base: Path, folder: Path) -> str:
    """Keeps all that is not ignored, and returns its tree; repositories below the folder are left out."""
    for listed, update in _UPDATES:
        names = call_git(base, ("ls-files", "-z", *listed), work_tree=folder).split(b"\0")
        kept = [name + b"\0" for name in names if name and not name.endswith(b"/")]
        if kept:
            call_git(base, ("update-index", "-z", update, "--stdin"), work_tree=folder, given=b"".join(kept))
    return call_git(base, ("write-tree",)).decode().strip()
