"""What a task of the benchmark is, and what tasks share."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        id: its name, unique over all files of tasks.
        prompt: what the user asks.
        files: the project: paths to contents.
        check: Python that is run in the project's folder afterwards and fails if the task is not solved.
            It finds the agent's answer in `ANSWER`.
    """

    id: str
    prompt: str
    files: Mapping[str, str]
    check: str


def load_tasks(path: Path) -> list[Task]:
    """The tasks in a file of others, which has a list `T` of dictionaries with a task's attributes."""
    return [Task(**fields) for fields in runpy.run_path(str(path))["T"]]


RUN_TESTS = """
import subprocess, sys
run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], capture_output=True, text=True)
assert run.returncode == 0, run.stdout[-800:]
"""
