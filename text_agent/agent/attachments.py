"""Files and folders that the user attaches to a message: what the tools would show of them."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from dataclasses import dataclass

from text_agent.errors import ToolError
from text_agent.files.workspace import Workspace
from text_agent.protocol.templates import fill_template
from text_agent.tools.list_files import list_files
from text_agent.tools.read_file import read_file

# What ends a sentence, or stands around a path in it, and is no part of the path.
_AROUND = ".,;:!?)]}'"


@dataclass(frozen=True, slots=True)
class Attachment:
    """One attached file or folder."""

    path: str  # relative to the workspace
    text: str  # the file's lines with their numbers, or the folder's list

    def render(self) -> str:
        """The part of the message that holds it; foreign text, and not yet made harmless."""
        return fill_template("attached", path=self.path, text=self.text)


class NotAttached(Exception):
    """Something that was named cannot be attached; the text says why, to the user."""


def attach(workspace: Workspace, path: str, max_chars: int) -> Attachment | None:
    """Attaches what lies at `path`, with or without the punctuation behind it; None if nothing does.

    The model knows the lines afterwards as if it had read the file itself. Raises `NotAttached`: it is there,
    and must not be attached or is too long; or a path leads nowhere.
    """
    for spelling in _spellings(path):
        try:
            found = _attach(workspace, spelling, max_chars)
        except ToolError as error:
            raise NotAttached(f"@{path} was not attached: {error}") from error
        if found:
            return found
    if "/" in path:
        raise NotAttached(f"@{path} was not attached: there is no such file or folder.")
    return None


def _spellings(path: str) -> Iterable[str]:
    bare = path.rstrip(_AROUND)
    return [path, bare] if bare and bare != path else [path]


def _attach(workspace: Workspace, path: str, max_chars: int) -> Attachment | None:
    target = workspace.resolve(path, reading=True)
    status = workspace.status(target)
    if status is None:
        return None
    shown = workspace.display(target)
    if workspace.secrets.is_secret(target):
        raise ToolError(f"{shown} may hold secrets.")
    text = (list_files if stat.S_ISDIR(status.st_mode) else read_file)(workspace, path)
    if len(text) > max_chars:
        raise ToolError(f"there is room for {max_chars:,} characters more, and it has {len(text):,}.")
    return Attachment(shown, text)
