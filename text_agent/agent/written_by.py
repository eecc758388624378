"""Tells whether a command line says that it changes files, which may be ignored ones that nobody records."""

from __future__ import annotations

from text_agent.permissions.command_lines.inner_commands import all_commands
from text_agent.permissions.command_lines.words import UnreadableLineError


def changes_files(line: str) -> bool:
    """Whether a program of the line writes or deletes what it is told to, by the table of programs."""
    try:
        return any(told.row.writes or told.row.deletes for told in all_commands(line))
    except UnreadableLineError:
        return False
