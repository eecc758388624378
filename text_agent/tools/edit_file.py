"""The tool that changes a part of a file."""

from __future__ import annotations

from text_agent.config import EDIT_MAX_BYTES
from text_agent.errors import EditMismatchError, ToolError
from text_agent.text_files import Encoding, NotTextError, decode_text
from text_agent.tools.names import missing
from text_agent.workspace import FileChange, Workspace


def edit_file(workspace: Workspace, path: str, old_str: str, new_str: str) -> FileChange:
    """Replaces `old_str`, which must be in the file exactly once, by `new_str`.

    Copy `old_str` from the file, without line numbers. An empty `old_str` creates the file.
    """
    target = workspace.resolve(path)
    shown = workspace.display(target)
    before = workspace.read_for_change(target, EDIT_MAX_BYTES)
    if not old_str and not before:
        return FileChange(shown, target, before, Encoding().encode(new_str), f"{shown} was created.")
    if before is None:
        raise missing(workspace, target)
    try:
        text, encoding = decode_text(before)
    except NotTextError as error:
        raise ToolError(f"{shown}: {error}; it is unchanged.") from error
    if not old_str:
        raise ToolError(f"{shown} has content; it is unchanged. Give the text to replace as old_str.")
    if old_str == new_str:
        raise ToolError(f"No change: old_str equals new_str; {shown} is unchanged.")
    count = text.count(old_str)
    if count != 1:
        raise EditMismatchError(f"old_str is in {shown} {count} times; it is unchanged.")
    after = encoding.encode(text.replace(old_str, new_str))
    return FileChange(shown, target, before, after, f"{shown} was changed.")
