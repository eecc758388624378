"""Which program a command starts."""

from __future__ import annotations

from text_agent.permissions.command_lines.lines import Command


def program_of(command: Command) -> str:
    """The name of a command's program, without its folder; empty where there is none."""
    return command.words[0].text.rpartition("/")[2] if command.words else ""
