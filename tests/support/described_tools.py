"""Descriptions of tools for tests of the protocol, which needs no tool that can run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from text_agent.files.workspace import Workspace
from text_agent.protocol.describing import describe
from text_agent.protocol.tool import ToolDescription
from text_agent.tools.registry import default_tools


def described(*functions: Callable[..., Any]) -> dict[str, ToolDescription]:
    """The descriptions of functions, by name."""
    return {function.__name__: describe(function) for function in functions}


def read_file(path: str, start: int = 1, end: int | None = None) -> None: ...
def list_files(path: str = ".", pattern: str | None = None) -> None: ...
def edit_file(path: str, old_str: str, new_str: str) -> None: ...
def write_file(path: str, content: str) -> None: ...
def search(pattern: str, path: str = ".", glob: str | None = None) -> None: ...
def run_command(command: str, timeout: int = 60) -> None: ...
def update_plan(steps: list[str], done: list[int] = []) -> None: ...  # noqa: B006


_WORDS = {name: tool.words for name, tool in default_tools(Workspace(Path())).items()}


def like_ours(*functions: Callable[..., Any]) -> dict[str, ToolDescription]:
    """The descriptions of functions that are called like our tools, with the words that these declare."""
    return {function.__name__: describe(function, _WORDS[function.__name__]) for function in functions}


SEVEN_TOOLS = like_ours(read_file, list_files, edit_file, write_file, search, run_command, update_plan)
FOUR_TOOLS = like_ours(read_file, list_files, edit_file, write_file)
