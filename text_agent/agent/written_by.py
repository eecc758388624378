"""Tells whether commands changed files, which may be ignored ones that nobody records."""

from __future__ import annotations

import os
from pathlib import Path

from text_agent.files.kinds import FOREIGN_FOLDERS
from text_agent.permissions.command_lines.inner_commands import all_commands
from text_agent.permissions.command_lines.lines import Redirection
from text_agent.permissions.command_lines.words import UnreadableLineError

# Files and folders that are looked at, and how far a file system's clock is behind.
_MAX_ENTRIES = 20_000
_LAG_SECONDS = 0.05


def changes_files(line: str) -> bool:
    """Whether a program of the line writes or deletes what it is told to, by the table of programs."""
    try:
        return any(
            told.row.writes or told.row.deletes or any(map(_is_file, told.written()))
            for told in all_commands(line)
        )
    except UnreadableLineError:
        return False


def wrote_since(root: Path, moment: float) -> bool:
    """Whether a file is younger than a moment, in seconds since the epoch; hidden ones and caches aside."""
    seen = 0
    for folder, folders, files in os.walk(root):
        folders[:] = [each for each in folders if not each.startswith(".") and each not in FOREIGN_FOLDERS]
        seen += len(files) + len(folders)
        if seen > _MAX_ENTRIES:
            return False
        if any(_is_younger(Path(folder, each), moment) for each in files if not each.startswith(".")):
            return True
    return False


def _is_younger(file: Path, moment: float) -> bool:
    try:
        return file.stat().st_mtime >= moment - _LAG_SECONDS
    except OSError:
        return False


def _is_file(written: Redirection) -> bool:
    """Whether a redirection writes a file, and no device or other stream."""
    target = written.target.text
    return not (target.startswith(("/dev/", "&")) or target.isdigit() or "&" in written.operator[1:])
