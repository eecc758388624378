from __future__ import annotations

from pathlib import Path

import pytest

from text_agent.files.workspace import Workspace
from text_agent.protocol.types import ToolCall
from text_agent.protocol.writing import bind_call
from text_agent.tools.own_calls import call_to_run, call_to_search, call_to_write
from text_agent.tools.registry import default_tools


@pytest.mark.parametrize("call", [call_to_write("a", "x\n"), call_to_search("x"), call_to_run("ls")])
def test_a_call_of_the_programs_own_fits_its_tool(call: ToolCall, project: Path) -> None:
    assert bind_call(call, default_tools(Workspace(project))) == (call.name, call.arguments)
