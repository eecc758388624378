"""Processes are started in one place, which decides what may be started, and by what runs commands."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import text_agent

ROOT = Path(text_agent.__file__).parent
# Modules that may use what starts a program or looks for one, with the reason.
ALLOWED: Mapping[str, str] = {
    "own_programs/processes.py": "the one place",
    "commands/processes.py": "runs the commands that the policy or the user has allowed, with the shell that "
    "`own_programs` has found",
    "commands/supervision.py": "runs text-agent itself and the checks of a batch, many at a time",
    "commands/supervisor.py": "stands between this program and a command, as a program of its own",
    "permissions/command_lines/system.py": "tells what the shell of a command would find; starts nothing",
}
_MODULES = {"subprocess", "pty", "multiprocessing", "concurrent.futures.process", "posix", "_posixsubprocess"}
_OF_OS = ("exec", "spawn", "posix_spawn", "system", "popen", "fork", "startfile")
_NAMES = {"which", "create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"}


def _uses(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in _MODULES)
        elif isinstance(node, ast.ImportFrom):
            names = {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
            yield from names & _MODULES
            yield from (alias.name for alias in node.names if alias.name in _NAMES)
            yield from (
                alias.name for alias in node.names if node.module == "os" and alias.name.startswith(_OF_OS)
            )
        elif isinstance(node, ast.Attribute):
            of_os = isinstance(node.value, ast.Name) and node.value.id == "os"
            if node.attr in _NAMES or (of_os and node.attr.startswith(_OF_OS)):
                yield node.attr


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_nobody_else_starts_a_process(path: Path) -> None:
    if path.relative_to(ROOT).as_posix() not in ALLOWED:
        assert list(_uses(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize("path", ALLOWED)
def test_every_exception_is_needed(path: str) -> None:
    assert list(_uses(ast.parse((ROOT / path).read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess", "from subprocess import run", "import os\nos.execvp('a', [])", "import pty",
        "import asyncio\nasyncio.create_subprocess_exec('a')", "import shutil\nshutil.which('a')",
        "from os import system",
        "from shutil import which", "import os\nos.posix_spawn", "import multiprocessing",
    ],
)  # fmt: skip
def test_what_counts_as_starting(text: str) -> None:
    assert list(_uses(ast.parse(text)))
