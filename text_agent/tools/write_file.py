"""The tool that writes a whole file."""

from __future__ import annotations

import json

from text_agent.config import EDIT_MAX_BYTES
from text_agent.errors import ToolError
from text_agent.text_files import Encoding, NotTextError, decode_text
from text_agent.workspace import FileChange, Workspace


def write_file(workspace: Workspace, path: str, content: str) -> FileChange:
    """Writes a whole file: `content` is its complete text. Read a file that exists first."""
    target = workspace.resolve(path)
    shown = workspace.display(target)
    before = workspace.read_for_change(target, EDIT_MAX_BYTES)
    if before is None:
        after = Encoding().encode(content if content.endswith("\n") or not content else content + "\n")
        return FileChange(shown, target, before, after, f"{shown} was created.", whole=True)
    if workspace.memory.knowledge(target, before) != "whole":
        call = f"read_file({json.dumps({'path': shown})})"
        raise ToolError(f"{shown} was not read as it is now; it is unchanged. First: {call}")
    try:
        text, encoding = decode_text(before)
    except NotTextError as error:
        raise ToolError(f"{shown}: {error}; it is unchanged.") from error
    if "\r\n" in text:
        content = content.replace("\n", "\r\n")
    if content == text:
        raise ToolError(f"No change: {shown} already has this content.")
    return FileChange(shown, target, before, encoding.encode(content), f"{shown} was written.", whole=True)
