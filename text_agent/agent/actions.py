"""What the permission policy is told of a call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from posixpath import normpath
from typing import Any

from text_agent.errors import ToolError
from text_agent.files.power_paths import grants_power
from text_agent.files.secrets import has_secret_name
from text_agent.files.workspace import FileChange, Workspace
from text_agent.permissions.policy import Action
from text_agent.tools.tool import Tool


def action_of(
    tool: Tool, arguments: Mapping[str, Any], workspace: Workspace, change: FileChange | None = None
) -> Action:
    """What a call would do, secret files aside."""
    if change is not None:
        return Action(tool.name, tool.effect, _changed(str(arguments.get("path", "")), workspace, change))
    command = arguments.get("command") if tool.effect == "execute" else None
    return Action(tool.name, tool.effect, command=command if isinstance(command, str) else None)


def secret_reading(tool: Tool, arguments: Mapping[str, Any], workspace: Workspace) -> Action | None:
    """The reading of a secret file or folder that a call names; None if it names none.

    A tool that changes a file reads it first, and what it says of it goes to the model.
    """
    path = arguments.get("path")
    if not isinstance(path, str) or tool.effect == "execute":
        return None
    try:
        target = workspace.resolve(path, reading=True)
    except ToolError:  # the tool finds the same, and tells it
        return None
    if not os.path.lexists(target):
        return None
    shown = workspace.display(target)
    # A link may have the name of a secret file, and lead to one of another name.
    is_secret_link = has_secret_name(path.strip()) and not has_secret_name(shown)
    is_secret = is_secret_link or workspace.secrets.is_secret(target)
    return Action(tool.name, "read", shown, secret=True) if is_secret else None


def _changed(path: str, workspace: Workspace, change: FileChange) -> str:
    """The changed file, or the name by which it is known as one that grants power, as a link may have it."""
    inside = change.target.is_relative_to(workspace.root)
    target = change.target.relative_to(workspace.root).as_posix() if inside else change.target.as_posix()
    named = normpath(path.strip())
    return named if grants_power(named) and not grants_power(target) else target
