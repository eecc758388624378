"""The runner tells the checkpoints of every step, and of everything that may change files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.checkpoints import Recorded
from tests.support.surroundings import surroundings_of
from text_agent.agent.runner import ToolRunner
from text_agent.errors import ToolError
from text_agent.files.ripgrep import list_project
from text_agent.permissions.policy import PermissionPolicy, Review, ReviewRequest
from text_agent.protocol.types import ToolCall
from text_agent.tools.editing.documents import PLAIN_EDITS
from text_agent.tools.registry import ToolRegistry
from text_agent.tools.tool import Tool
from text_agent.tools.write_file import write_file


class No:
    """An approver that says no."""

    def review(self, request: ReviewRequest) -> Review:
        return Review(approved=False)


@pytest.fixture
def recorded(project: Path, tmp_path: Path) -> Recorded:
    (project / "a").write_bytes(b"a\n")
    return Recorded(project, tmp_path / "data")


def runner(recorded: Recorded, *, allowed: bool = True) -> ToolRunner:
    def shell(line: str) -> str:
        """Runs a line."""
        subprocess.run(line, shell=True, cwd=recorded.root, check=False, capture_output=True)
        if "interrupt" in line:
            raise KeyboardInterrupt
        if "fail" in line:
            raise ToolError("failed")
        return "ran"

    tools = ToolRegistry(
        Tool.from_function(write_file, recorded.workspace, policy=PLAIN_EDITS),
        Tool.from_function(shell, effect="execute"),
    )
    policy = PermissionPolicy(surroundings_of(recorded.workspace.root), "all" if allowed else "ask")
    return ToolRunner(tools, recorded.workspace, policy, No(), recorded.recorder)


def run(runner: ToolRunner, *calls: ToolCall) -> None:
    list(runner.answer(list(calls), "", 1))


def write(path: str) -> ToolCall:
    return ToolCall("write_file", {"path": path, "content": "x\n"})


def shell(line: str) -> ToolCall:
    return ToolCall("shell", {"line": line})


def changed(recorded: Recorded) -> list[list[str]]:
    return [sorted(step) for step in recorded.recorder.steps]


def test_the_calls_of_one_reply_are_one_step(recorded: Recorded) -> None:
    agent = runner(recorded)
    run(agent, write("b"), shell("echo x > c"), write("d/e"))
    run(agent, write("f"))
    assert changed(recorded) == [["b", "c", "d", "d/e"], ["f"]]


def test_a_command_that_fails_or_is_interrupted_counts(recorded: Recorded) -> None:
    agent = runner(recorded)
    run(agent, shell("echo x > b; fail"))
    with pytest.raises(KeyboardInterrupt):
        run(agent, shell("echo x > c; interrupt"))
    assert changed(recorded) == [["b"], ["c"]]


def test_what_is_denied_changes_nothing(recorded: Recorded) -> None:
    run(runner(recorded, allowed=False), write("b"), shell("echo x > c"))
    assert changed(recorded) == []
    assert not recorded.data.exists()


def test_what_belongs_to_a_project(project: Path) -> None:
    for path in (
        "a.py",
        ".hidden",
        "sub/.env",
        "sub/b.py",
        "node_modules/m.js",
        ".git/HEAD",
        "x.log",
        "out/o",
    ):
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text("")
    (project / ".gitignore").write_text("*.log\nout/\n")
    assert sorted(list_project(project)) == [".gitignore", ".hidden", "a.py", "sub/.env", "sub/b.py"]
    with pytest.raises(ToolError, match="more than 4 files"):
        list_project(project, max_files=4)


def test_a_project_without_files(project: Path) -> None:
    assert list_project(project) == []
