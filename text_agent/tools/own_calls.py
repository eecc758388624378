"""Calls that the program makes or proposes by itself."""

from __future__ import annotations

from text_agent.protocol.types import ToolCall


def call_to_write(path: str, content: str, repairs: tuple[str, ...] = ()) -> ToolCall:
    """A call that writes a whole file."""
    return ToolCall("write_file", {"path": path, "content": content}, repairs=repairs)


def call_to_search(pattern: str) -> ToolCall:
    """A call that looks for a regular expression in all files."""
    return ToolCall("search", {"pattern": pattern})


def call_to_run(command: str, seconds: int | None = None) -> ToolCall:
    """A call that runs a command line, for at most so many seconds."""
    limit = {} if seconds is None else {"timeout": seconds}
    return ToolCall("run_command", {"command": command, **limit})
