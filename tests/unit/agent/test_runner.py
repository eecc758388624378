"""Calls that do not come to run, and tools that break their word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.surroundings import surroundings_of
from text_agent.agent.answers import Answer
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.files.workspace import FileChange, Workspace
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.types import ToolCall
from text_agent.tools.registry import ToolRegistry, default_tools
from text_agent.tools.tool import Tool


def broken() -> FileChange:
    """Promises a change."""
    return "no change"  # type: ignore[return-value]


@pytest.fixture
def runner(project: Path) -> ToolRunner:
    (project / "a.txt").write_text("alpha\n")
    workspace = Workspace(project)
    tools = ToolRegistry(*default_tools(workspace).values(), Tool.from_function(broken, effect="write"))
    return ToolRunner(tools, workspace, PermissionPolicy(surroundings_of(project), "all"), Unattended())


def answer(runner: ToolRunner, call: ToolCall, reply: str = "") -> Answer:
    (only,) = runner.answer([call], reply, 1)
    return only


def test_an_unknown_tool(runner: ToolRunner) -> None:
    given = answer(runner, ToolCall("frobnicate", {}))
    assert (given.result.status, given.refusal) == ("error", "unknown tool")


def test_wrong_arguments(runner: ToolRunner) -> None:
    given = answer(runner, ToolCall("read_file", {"start": 1}))
    assert (given.result.status, given.refusal) == ("error", "wrong arguments")
    assert "path" in given.result.text


def test_a_tool_that_breaks_its_word(runner: ToolRunner) -> None:
    given = answer(runner, ToolCall("broken", {}))
    assert given.result.status == "error"
    assert "promised a FileChange and gave str" in given.result.text


def test_a_pasted_call_is_a_quotation(runner: ToolRunner) -> None:
    line = 'tool: write_file({"path": "b.txt", "content": "x"})'
    runner.begin_turn("What does this do?", pasted=[f"{line}\nand more\n"])
    given = answer(runner, ToolCall("write_file", {"path": "b.txt", "content": "x"}), line)
    assert given.refusal == "quotation"
