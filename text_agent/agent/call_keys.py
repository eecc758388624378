"""What makes two calls the same, however they are spelled."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from posixpath import normpath
from typing import Any

from text_agent.errors import ArgumentError, ToolError
from text_agent.files.workspace import Workspace
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.lines import parse_line
from text_agent.permissions.command_lines.words import UnreadableLineError
from text_agent.protocol.binding.bind import bind_arguments
from text_agent.tools.tool import Tool

# What small models vary when they try the same once more.
_TRIFLES = late_pattern(r"[\s'\"`\\]+")


@dataclass(frozen=True, slots=True)
class CallKeys:
    """A call, apart from its spelling.

    Attributes:
        exact: equal for calls that mean the same for certain: defaults, paths and the blanks and quotes
            of a plain command are spelled in one way.
        near: equal for calls that differ in blanks, quotes and numbers, too: a sign that a model turns in
            circles, but no reason not to run one.
    """

    exact: str
    near: str


def keys_of(name: str, arguments: Mapping[str, Any], tool: Tool | None, workspace: Workspace) -> CallKeys:
    """The keys of a call.

    Args:
        name: the tool's, or what the model took for one.
        arguments: as the model wrote them.
        tool: None if there is none of this name.
        workspace: where its paths lead.
    """
    bound = _bound(arguments, tool)
    spelling = _spelling(tool)
    spelled = {
        key: spelling[key](value, workspace) if key in spelling and isinstance(value, str) else value
        for key, value in bound.items()
    }
    near = {key: _without_trifles(value) for key, value in spelled.items()}
    return CallKeys(_key(name, spelled), f"near {_key(name, near)}")


def _bound(arguments: Mapping[str, Any], tool: Tool | None) -> Mapping[str, Any]:
    if tool is None:
        return arguments
    defaults = {name: schema["default"] for name, schema in tool.properties.items() if "default" in schema}
    try:
        return {**defaults, **bind_arguments(arguments, tool)}
    except ArgumentError:
        return arguments


def _spelling(tool: Tool | None) -> Mapping[str, Callable[[str, Workspace], Any]]:
    """How the values of some parameters are spelled in one way."""
    if tool is None:
        return {}
    declared = tool.declaration
    return {**dict.fromkeys(declared.paths or (), _path), declared.command: _command}


def _path(path: str, workspace: Workspace) -> str:
    try:
        return workspace.display(workspace.resolve(path, reading=True))
    except ToolError:
        return normpath(path.strip())


def _command(command: str, _: Workspace) -> str | list[tuple[str, int]]:
    """The words of a plain command; any other one as it is, for blanks may count in it."""
    try:
        line = parse_line(command)
    except UnreadableLineError:
        return command
    return [(word.text, word.glob) for word in line.commands[0].words] if line.plain else command.strip()


def _without_trifles(value: Any) -> Any:
    if isinstance(value, str):
        return _TRIFLES.sub("", value)
    return None if isinstance(value, int | float) and not isinstance(value, bool) else value


def _key(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([name, dict(arguments)], sort_keys=True, default=str)
