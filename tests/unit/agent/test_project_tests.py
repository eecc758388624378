"""How the project's tests are run, and what is told of them."""

from pathlib import Path

import pytest

from text_agent.agent.small_models.objections import describe_failures, pytest_command
from text_agent.protocol.types import ToolResult


def told(exit_code: int | None, output: str) -> str:
    text = f"exit code {exit_code}\n{output}\n[it ran in a sandbox: no network]"
    return describe_failures(ToolResult(1, "run_command", "error", text, exit_code, output))


@pytest.mark.parametrize("folder", ["", ".venv", "venv"])
def test_the_projects_own_python_runs_them(tmp_path: Path, folder: str) -> None:
    if folder:
        (tmp_path / folder / "bin").mkdir(parents=True)
        (tmp_path / folder / "bin/python").touch()
    python = f"{folder}/bin/python" if folder else "python3"
    assert pytest_command(tmp_path).startswith(f"{python} -m pytest ")


@pytest.mark.parametrize("code", [1, 2])
def test_failures_are_told_without_what_is_no_news(code: int) -> None:
    assert told(code, "F\n1 failed") == "The tests fail:\n```\nF\n1 failed\n```"


def test_what_prepares_the_tests_may_fail_for_the_project() -> None:
    output = "ImportError while loading conftest '/a/conftest.py'.\nE   ImportError: cannot import name 'f'"
    assert told(4, output) == f"The tests fail:\n```\n{output}\n```"


def test_output_with_fences_stands_in_a_longer_one() -> None:
    assert told(1, "````\n").startswith("The tests fail:\n`````\n")


@pytest.mark.parametrize(
    ("exit_code", "output"),
    [
        (0, "1 passed"),
        (0, "exit code 1\nF"),
        (4, "ERROR: usage: pytest [options]"),
        (5, "no tests ran"),
        (127, "python3: command not found"),
        (1, "/usr/bin/python3: No module named pytest"),
        (124, "F"),
        (None, "The tool was denied."),
    ],
)
def test_what_says_nothing_of_the_code(exit_code: int | None, output: str) -> None:
    assert told(exit_code, output) == ""
