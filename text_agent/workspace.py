"""The folder tree that the tools may touch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file's new content, proposed by a tool: reviewed first, then applied.

    Attributes:
        path: the file as the user knows it, relative to the workspace, with `/`.
        target: the file itself, links resolved.
        before: its bytes when the change was made; None if it did not exist.
        after: the bytes it is to have.
        summary: the tool result once the change is applied.
    """

    path: str
    target: Path
    before: bytes | None
    after: bytes
    summary: str
