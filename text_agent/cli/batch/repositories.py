"""Git for the copies of tasks: without anything that a repository, or the user, could have it start."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from text_agent.commands.supervision import Lifeline, Standard, Tied, run_supervised
from text_agent.config.limits import BATCH_COPY_SECONDS
from text_agent.config.table import without_credentials
from text_agent.errors import TextAgentError
from text_agent.own_programs.git import (
    GIT_VARIABLES,
    REDIRECTING,
    is_git_folder,
    own_flags,
    own_git_environment,
    reading_flags,
)
from text_agent.own_programs.processes import find_program, outer_path, own_environment, run

# Neither `ext::`, which runs a command, nor what helpers of others add.
_PROTOCOLS = "file:git:http:https:ssh"
# Where the commit is kept that another repository has checked out.
_HEAD = "refs/fetched/HEAD"
_FETCH = ("fetch", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")


class CopyError(TextAgentError):
    """A task has no folder to work in, or it cannot be compared with what it was."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit; without an id, none."""

    id: str = ""
    objects: str = ""  # where its objects lie
    form: str = "sha1"  # of its id


@dataclass(frozen=True, slots=True)
class OwnRepository:
    """A repository of our own, with no settings but ours."""

    folder: Path  # what git calls its folder; it need not exist before `init`
    git: str  # the program
    held: tuple[int, ...] = ()  # what git keeps open as long as it runs

    def call(self, *words: str, work_tree: Path | None = None, given: bytes = b"") -> bytes:
        """Runs a command of git's, which gets `given`, and returns what it prints. Raises `CopyError`."""
        settings = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_DIR": str(self.folder)}
        environment = {**own_environment(os.environ, self.folder.parent), **GIT_VARIABLES, **settings}
        if work_tree:
            environment["GIT_WORK_TREE"] = str(work_tree)
        argv = [self.git, *own_flags(), *words]
        return _run(argv, environment, work_tree or self.folder.parent, given, self.held)

    def borrow(self, commit: Commit) -> None:
        """Takes the objects of a commit from where they lie, from now on. Raises `OSError`."""
        (self.folder / "objects/info").mkdir(exist_ok=True)
        (self.folder / "objects/info/alternates").write_bytes(os.fsencode(commit.objects) + b"\n")


def find_commit(repository: Path, ref: str, shown: str) -> Commit:
    """Finds a commit of the user's repository, which is asked nothing else.

    `shown` is how the user knows the repository. Raises `CopyError`: it has no such commit, or is none.
    """
    inner = repository / ".git"
    folder = inner if inner.exists() else repository
    if folder is repository and not is_git_folder(repository):
        raise CopyError(f"{shown} is no git repository.")
    environment = {**own_git_environment(os.environ, repository), "GIT_DIR": str(folder)}
    words = ("--show-object-format", "--path-format=absolute", "--git-path", "objects", f"{ref}^{{commit}}")
    try:
        told = os.fsdecode(
            _run([find_git(repository), *own_flags(), "rev-parse", *words], environment, repository)
        )
        form, objects, commit = told.splitlines()
    except (CopyError, ValueError):
        raise CopyError(f"{shown} has no commit {ref!r}.") from None
    return Commit(commit, objects, form)


def fetched(url: str, shared: Path, lifeline: Lifeline) -> Path:
    """Returns a repository with all of another one's, which is fetched once for all tasks.

    Raises `CopyError`: it cannot be fetched; `Stopped`: it was given up; `OSError`: it cannot be kept.
    """
    name = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    own = OwnRepository(shared / "repositories" / f"{name}.git", find_git(shared), lifeline.held)
    own.folder.parent.mkdir(parents=True, exist_ok=True)
    with own.folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (own.folder / "fetched").exists():
            own.call("init", "--quiet", "--bare", "--template=")
            _fetch(url, own, lifeline)
            own.call("symbolic-ref", "HEAD", _HEAD)
            (own.folder / "fetched").touch()
    return own.folder


def _fetch(url: str, own: OwnRepository, lifeline: Lifeline) -> None:
    target = own.folder
    # The address is not written down: it may hold a password.
    argv = [own.git, *reading_flags(), *_FETCH, "--", url, "+refs/*:refs/*", f"+HEAD:{_HEAD}"]
    with (target / "problems.txt").open("w+b") as problems:
        standard = Standard(errors=problems.fileno())
        program = Tied(argv, _fetching_environment(os.environ, target), target, standard, lifeline)
        code = run_supervised(program, BATCH_COPY_SECONDS)
        problems.seek(0)
        said = problems.read().decode("utf-8", "replace").replace(url, without_credentials(url))
    if code != 0:
        reason = "it took too long." if code is None else _last_line(said, code)
        raise CopyError(f"{without_credentials(url)} cannot be fetched: {reason}")


def _fetching_environment(environment: Mapping[str, str], target: Path) -> dict[str, str]:
    """The user's own variables, for his keys and proxies, and none that name another repository."""
    kept = {name: value for name, value in environment.items() if name not in REDIRECTING}
    own = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": _PROTOCOLS, "LC_ALL": "C"}
    path = outer_path(environment.get("PATH", os.defpath), target)
    return {**kept, **own, "PATH": path, "GIT_DIR": str(target)}


def find_git(root: Path) -> str:
    """Returns where git is, if not in the folder `root`. Raises `CopyError`: it is nowhere."""
    if found := find_program("git", root):
        return found
    raise CopyError("git is missing, which tells what a task has changed.")


def _run(
    argv: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    given: bytes = b"",
    held: Sequence[int] = (),
) -> bytes:
    try:
        done = run(argv, environment, folder, seconds=BATCH_COPY_SECONDS, given=given, held=held)
    except OSError as error:
        raise CopyError(f"git cannot be run: {error.strerror or error}.") from error
    if done.returncode:
        raise CopyError(_last_line(done.stderr.decode("utf-8", "replace"), done.returncode))
    return done.stdout


def _last_line(said: str, code: int) -> str:
    return (said.strip().splitlines() or [f"git ended with {code}."])[-1]
