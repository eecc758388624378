"""Git for the copies of tasks: without anything that a repository, or the user, could have it start."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from text_agent.commands.supervision import Lifeline, Standard, run_supervised
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
from text_agent.own_programs.processes import find_program, own_environment, run

# Neither `ext::`, which runs a command, nor what helpers of others add.
_PROTOCOLS = "file:git:http:https:ssh"
# Where the commit is kept that another repository has checked out.
_HEAD = "refs/fetched/HEAD"


class CopyError(TextAgentError):
    """A task has no folder to work in, or it cannot be compared with what it was."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its id, where its objects lie, and their format; without an id, none."""

    id: str = ""
    objects: str = ""
    form: str = "sha1"


def find_git(root: Path) -> str:
    """Returns where git is. Raises `CopyError`: it is nowhere."""
    if found := find_program("git", root):
        return found
    raise CopyError("git is missing, which tells what a task has changed.")


def call_git(
    repository: Path,
    words: Sequence[str],
    *,
    work_tree: Path | None = None,
    given: bytes = b"",
) -> bytes:
    """Runs git on a repository of our own, and returns what it prints.

    Args:
        repository: where it is, or will be.
        words: the command and its arguments.
        work_tree: what it looks at, or writes; None: nothing.
        given: its standard input.

    Raises:
        CopyError: git is missing, failed, or took too long.
    """
    settings = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_DIR": str(repository)}
    environment = {**own_environment(os.environ, repository.parent), **GIT_VARIABLES, **settings}
    if work_tree:
        environment["GIT_WORK_TREE"] = str(work_tree)
    return _run(words, environment, work_tree or repository.parent, given)


def find_commit(repository: Path, ref: str, shown: str) -> Commit:
    """Finds a commit of the user's repository, which is asked nothing else.

    `shown` is how the user knows the repository. Raises `CopyError`: it has no such commit, or is none.
    """
    inner = repository / ".git"
    folder = inner if inner.exists() else repository
    if folder is repository and not is_git_folder(repository):
        raise CopyError(f"{shown} is no git repository.")
    environment = {**own_git_environment(os.environ, repository), "GIT_DIR": str(folder)}
    words = (
        "rev-parse",
        "--show-object-format",
        "--path-format=absolute",
        "--git-path",
        "objects",
        f"{ref}^{{commit}}",
    )
    try:
        form, objects, commit = os.fsdecode(_run(words, environment, repository, b"")).splitlines()
    except (CopyError, ValueError):
        raise CopyError(f"{shown} has no commit {ref!r}.") from None
    return Commit(commit, objects, form)


def fetched(url: str, shared: Path, lifeline: Lifeline) -> Path:
    """Returns a repository with all of another one's, which is fetched once for all tasks.

    Raises:
        CopyError: it cannot be fetched.
        Stopped: it was given up.
    """
    name = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    target = shared / "repositories" / f"{name}.git"
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / "fetched").exists():
            call_git(target, ("init", "--quiet", "--bare", "--template="))
            _fetch(url, target, lifeline)
            call_git(target, ("symbolic-ref", "HEAD", _HEAD))
            (target / "fetched").touch()
    return target


def _fetch(url: str, target: Path, lifeline: Lifeline) -> None:
    # The address is not written down: it may hold a password.
    words = ("fetch", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")
    argv = [find_git(target), *reading_flags(), *words, "--", url, "+refs/*:refs/*", f"+HEAD:{_HEAD}"]
    with (target / "problems.txt").open("w+b") as problems:
        standard = Standard(errors=problems.fileno())
        environment = _fetching_environment(os.environ, target)
        code = run_supervised(argv, environment, target, BATCH_COPY_SECONDS, standard, lifeline)
        problems.seek(0)
        said = problems.read().decode("utf-8", "replace").replace(url, without_credentials(url)).strip()
    if code != 0:
        reason = (
            said.splitlines()[-1]
            if said
            else "it took too long"
            if code is None
            else f"git ended with {code}"
        )
        raise CopyError(f"{without_credentials(url)} cannot be fetched: {reason}.")


def _fetching_environment(environment: Mapping[str, str], target: Path) -> dict[str, str]:
    """The user's own variables, for his keys and proxies, and none that name another repository."""
    kept = {name: value for name, value in environment.items() if name not in REDIRECTING}
    own = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": _PROTOCOLS, "LC_ALL": "C"}
    return {**kept, **own, "GIT_DIR": str(target)}


def _run(words: Sequence[str], environment: Mapping[str, str], folder: Path, given: bytes) -> bytes:
    argv = [find_git(folder), *own_flags(), *words]
    try:
        done = run(argv, environment, folder, seconds=BATCH_COPY_SECONDS, given=given)
    except OSError as error:
        raise CopyError(f"git cannot be run: {error.strerror or error}.") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise CopyError(said.splitlines()[-1] if said else f"git ended with {done.returncode}.")
    return done.stdout
