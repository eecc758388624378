"""The tools that a session has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from text_agent.files.workspace import Workspace
from text_agent.tools.edit_file import edit_file
from text_agent.tools.editing.documents import PLAIN_EDITS, EditPolicy
from text_agent.tools.list_files import list_files
from text_agent.tools.read_file import read_file
from text_agent.tools.run_command import CommandHost, command_tool
from text_agent.tools.search import search
from text_agent.tools.tool import Tool, ToolFunction
from text_agent.tools.update_plan import update_plan
from text_agent.tools.write_file import write_file


class ToolRegistry(Mapping[str, Tool]):
    """Tools by name, in the order in which the model sees them.

    A function says by its `Declaration` what it does. One that has none is taken for one that may change
    anything, and is asked about in every mode.
    """

    def __init__(self, *tools: Tool | ToolFunction) -> None:
        """Raises `ValueError` if two tools have one name."""
        self._tools: dict[str, Tool] = {}
        for given in tools:
            tool = given if isinstance(given, Tool) else Tool.from_function(given)
            if tool.name in self._tools:
                raise ValueError(f"there are two tools named {tool.name!r}")
            self._tools[tool.name] = tool

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)


def default_tools(
    workspace: Workspace, host: CommandHost | None = None, edits: EditPolicy = PLAIN_EDITS
) -> ToolRegistry:
    """The tools of every session, bound to `workspace`.

    Args:
        workspace: where they work.
        host: how commands run; by default as the user, without a sandbox.
        edits: what changes of files are held to.
    """
    # Small models take what is named first most often; whole files they keep better than exact old text.
    changing: tuple[Callable[..., Any], ...] = (write_file, edit_file)
    looking: tuple[Callable[..., Any], ...] = (read_file, list_files, search)
    return ToolRegistry(
        *(Tool.from_function(function, workspace, policy=edits) for function in changing),
        *(Tool.from_function(function, workspace) for function in looking),
        command_tool(host or CommandHost(workspace)),
        update_plan,
    )
