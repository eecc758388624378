"""How the project's tests are run, and what is told of them."""

from pathlib import Path

import pytest

from text_agent.agent.small_models.project_tests import describe_failures, pytest_command
from text_agent.protocol.types import ToolResult
from text_agent.tools.run_command import SANDBOX_NOTE


def told(text: str) -> str:
    return describe_failures(ToolResult(1, "run_command", "error", text))


@pytest.mark.parametrize("folder", ["", ".venv", "venv"])
def test_the_projects_own_python_runs_them(tmp_path: Path, folder: str) -> None:
    if folder:
        (tmp_path / folder / "bin").mkdir(parents=True)
        (tmp_path / folder / "bin/python").touch()
    python = f"{folder}/bin/python" if folder else "python3"
    assert pytest_command(tmp_path).startswith(f"{python} -m pytest ")


@pytest.mark.parametrize("code", [1, 2])
def test_failures_are_told_without_what_is_no_news(code: int) -> None:
    output = f"exit code {code}\nF\n1 failed\n{SANDBOX_NOTE}no network]"
    assert told(output) == "The tests fail:\n```\nF\n1 failed\n```"


def test_what_prepares_the_tests_may_fail_for_the_project() -> None:
    output = "ImportError while loading conftest '/a/conftest.py'.\nE   ImportError: cannot import name 'f'"
    assert told(f"exit code 4\n{output}") == f"The tests fail:\n```\n{output}\n```"


def test_output_with_fences_stands_in_a_longer_one() -> None:
    assert told("exit code 1\n````\n").startswith("The tests fail:\n`````\n")


@pytest.mark.parametrize(
    "text",
    [
        "exit code 0\n1 passed",
        "exit code 4\nERROR: usage: pytest [options]",
        "exit code 5\nno tests ran",
        "exit code 127\npython3: command not found",
        "exit code 1\n/usr/bin/python3: No module named pytest",
        "ended after 60 seconds, its time limit, with all that it had started.",
        "The tool was denied.",
    ],
)
def test_what_says_nothing_of_the_code(text: str) -> None:
    assert told(text) == ""
