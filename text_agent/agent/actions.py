"""What the permission policy is told of a call, before it runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath
from typing import Any

from text_agent.errors import ToolError
from text_agent.files.problems import readable
from text_agent.files.secret_names import has_secret_name
from text_agent.files.workspace import FileChange, Workspace
from text_agent.permissions.policy import Action
from text_agent.text.masking import map_texts
from text_agent.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Touched:
    """A path of a call: as the model wrote it, and the file or folder that it leads to."""

    named: str
    target: Path


def touched_by(tool: Tool, arguments: Mapping[str, Any], workspace: Workspace) -> list[Touched]:
    """The files and folders that a call is about, by its tool's declaration.

    Raises `ToolError`: one of them is outside the workspace, or no path.
    """
    declared = (arguments.get(name) for name in tool.declaration.paths or ())
    reading = tool.effect == "read"
    return [Touched(path, workspace.resolve(path, reading=reading)) for path in _texts(list(declared))]


def with_spelled_paths(
    tool: Tool, arguments: Mapping[str, Any], workspace: Workspace
) -> tuple[dict[str, Any], list[str]]:
    """The arguments with paths as they are meant, and a note on each that was written in another way.

    Raises `ToolError`: one of them is no path, or may be several.
    """
    notes: list[str] = []

    def spell(path: str) -> str:
        spelled = workspace.spell(path)
        if spelled not in (path, path.strip()):
            notes.append(f"[the path {readable(path)!r} was read as {readable(spelled)}]")
        return spelled

    declared = set(tool.declaration.paths or ()) & arguments.keys()
    spelled = {**arguments, **{name: map_texts(arguments[name], spell) for name in declared}}
    return spelled, notes


def action_of(
    tool: Tool,
    arguments: Mapping[str, Any],
    workspace: Workspace,
    touched: list[Touched],
    change: FileChange | None = None,
) -> Action:
    """What a call would do, secret files aside.

    The action has no path where it is not known what the call changes: nothing is declared, or a whole folder
    is given to a tool that does not say what it does in it.
    """
    paths = [
        path for each in touched for path in (_relative(each.target, workspace), normpath(each.named.strip()))
    ]
    if paths and change:
        paths.append(_relative(change.target, workspace))
    if not change and any(each.target.is_dir() for each in touched):
        paths = []
    command = arguments.get(tool.declaration.command)
    return Action(
        tool.name,
        tool.effect,
        tuple(dict.fromkeys(paths)),
        command=command if isinstance(command, str) else None,
    )


def secret_readings(
    tool: Tool, arguments: Mapping[str, Any], workspace: Workspace, touched: list[Touched]
) -> Iterator[Action]:
    """The readings of secret files and folders that a call names.

    A tool that changes a file reads it first, and what it says of it goes to the model. Where no path is
    declared, every text may be one.
    """
    if tool.declaration.paths is None:
        touched = list(_existing(arguments, workspace))
    for each in touched:
        if os.path.lexists(each.target):
            shown = workspace.display(each.target)
            # A link may have the name of a secret file, and lead to one of another name.
            is_secret_link = has_secret_name(each.named.strip()) and not has_secret_name(shown)
            if is_secret_link or workspace.secrets.is_secret(each.target):
                yield Action(tool.name, "read", (shown,), secret=True)


def spelled(path: str, workspace: Workspace) -> str:
    """A path in the one way in which all paths to its file or folder are spelled."""
    try:
        return workspace.display(workspace.resolve(path, reading=True))
    except ToolError:  # the tool finds the same, and tells it
        return normpath(path.strip())


def _existing(arguments: Mapping[str, Any], workspace: Workspace) -> Iterator[Touched]:
    for text in _texts(arguments):
        try:
            yield Touched(text, workspace.resolve(text, reading=True))
        except ToolError:
            continue


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def _relative(target: Path, workspace: Workspace) -> str:
    inside = target.is_relative_to(workspace.root)
    return (target.relative_to(workspace.root) if inside else target).as_posix()
