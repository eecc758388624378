from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path

import pytest

from text_agent import parse_reply
from text_agent.files.workspace import FileChange, Workspace
from text_agent.protocol.signatures import render_signature
from text_agent.protocol.types import ToolCall
from text_agent.tools.registry import ToolRegistry, declared_functions, default_tools
from text_agent.tools.tool import Tool


def greet(name: str) -> str:
    """Greets somebody."""
    return f"hello {name}"


def test_plain_functions_become_tools() -> None:
    tools = ToolRegistry(greet)
    assert tools["greet"].function("Ann") == "hello Ann"
    assert tools["greet"].description == "Greets somebody."
    assert tools["greet"].effect == "write", "nobody has said what it does"
    assert list(tools) == ["greet"]
    assert len(tools) == 1
    assert "other" not in tools


def test_two_tools_of_one_name() -> None:
    with pytest.raises(ValueError, match="two tools named 'greet'"):
        ToolRegistry(greet, Tool.from_function(greet, effect="write"))


TOOL_MODULE = '''
from text_agent.errors import ToolError
from text_agent.tools.search import search
from text_agent.tools.tool import Declaration, Tool

@Declaration("looks", rank={rank}, paths=())
def {name}() -> str:
    """Looks."""
    return "seen"

def helper() -> str:
    """Is no tool."""
    return ""
'''


def test_a_tool_is_found_where_it_is_declared(tmp_path: Path) -> None:
    folder = tmp_path / "some_tools_of_a_test"
    folder.mkdir()
    for rank, name in enumerate(("last_look", "look_around", "first_look")):
        (folder / f"{name}.py").write_text(TOOL_MODULE.format(rank=-rank, name=name))
    spec = ModuleSpec(folder.name, None, is_package=True)
    package = module_from_spec(spec)
    package.__path__ = [str(folder)]
    sys.modules[folder.name] = package
    try:
        found = [function.__name__ for function in declared_functions(package)]
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == folder.name]:
            del sys.modules[name]
    assert found == ["first_look", "look_around", "last_look"]


def test_the_default_tools(project: Path) -> None:
    tools = default_tools(Workspace(project))
    assert {name: (render_signature(tool), tool.effect) for name, tool in tools.items()} == {
        "read_file": ("read_file(path: str, start: int = 1, end: int | None = None)", "read"),
        "list_files": ("list_files(path: str = '.', pattern: str | None = None)", "read"),
        "search": ("search(pattern: str, path: str = '.', glob: str | None = None)", "read"),
        "edit_file": ("edit_file(path: str, old_str: str, new_str: str)", "write"),
        "write_file": ("write_file(path: str, content: str)", "write"),
        "run_command": ("run_command(command: str, timeout: int = 60)", "execute"),
        "update_plan": ("update_plan(steps: list[str], done: list[int] = [])", "read"),
    }
    assert all(len(tool.description) <= 250 for tool in tools.values()), "they are in every system prompt"


def test_writing_tools_only_propose(project: Path) -> None:
    tools = default_tools(Workspace(project))
    assert isinstance(tools["write_file"].function("a.py", "x = 1"), FileChange)
    assert list(project.iterdir()) == []


def test_a_function_without_a_docstring_is_no_tool() -> None:
    with pytest.raises(ValueError, match="'<lambda>' needs a docstring"):
        Tool.from_function(lambda: "x")


def test_a_reply_is_read_for_the_default_tools_unless_others_are_given() -> None:
    reply = 'tool: run_command({"command": "ls"})'
    assert parse_reply(reply).calls == [ToolCall("run_command", {"command": "ls"})]
    assert parse_reply(reply, ToolRegistry(greet)).calls == [ToolCall("run_command", {"command": "ls"})]
    assert parse_reply('greet({"name": "Ann"})', ToolRegistry(greet)).calls == [
        ToolCall("greet", {"name": "Ann"})
    ]
    assert parse_reply('greet({"name": "Ann"})').calls == []
