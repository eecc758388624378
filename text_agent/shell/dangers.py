"""What in a command line destroys for good, or hides what it does: the hard list.

It is a net for accidents, not a wall, as a program can do anything. Where it cannot tell, it says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from text_agent.shell.danger_table import (
    DANGEROUS_COMMANDS,
    DANGEROUS_PREFIXES,
    DANGEROUS_PROGRAMS,
    INTERPRETERS,
    SHELLS,
)
from text_agent.shell.deletions import Places, find_deletion
from text_agent.shell.endings import find_ending
from text_agent.shell.git_dangers import find_git_danger
from text_agent.shell.inner_commands import program_of, runs_code
from text_agent.shell.lines import Command

_FORK_BOMB = re.compile(r"(?<![\w:.])([\w:.]+)\s*\(\s*\)\s*\{\s*\1\s*\|\s*\1")
_HARMLESS_DEVICES = re.compile(r"/dev/(?:null|zero|full|tty|stdin|stdout|stderr|fd/\d+)")
_CODE_FLAGS = ("-c", "-e", "-E", "-m", "-p", "--eval", "--execute", "--print")


def find_danger(text: str, commands: Sequence[Command], root: Path) -> str | None:
    """What a line does that is dangerous, in half a sentence; None if there is nothing.

    Args:
        text: the line.
        commands: all of its commands.
        root: the workspace, where it starts.
    """
    if _FORK_BOMB.search(text):
        return "starts itself without end"
    places = Places(root, commands)
    found = (_danger_of(command, places) or find_ending(command, commands) for command in commands)
    return next(filter(None, found), None)


def _danger_of(command: Command, places: Places) -> str | None:
    return (
        _hidden_code(command)
        or _piped_code(command)
        or _dangerous_program(command)
        or find_deletion(command, places)
        or _redirection(command)
        or find_git_danger(command, places.root)
    )


def _hidden_code(command: Command) -> str | None:
    if command.words and (command.words[0].computed or command.words[0].glob >= 0):
        return "hides which program it runs"
    program = program_of(command)
    operands = [word for word in command.words[1:] if word.computed or not word.text.startswith("-")]
    is_code = program in ("eval", "source", ".") or (program in SHELLS and runs_code(command))
    read = operands if is_code else operands[:1] if program in SHELLS else []
    return "runs a text that nobody can see" if any(word.computed for word in read) else None


def _piped_code(command: Command) -> str | None:
    """A shell, or an interpreter without a program of its own, that runs what a pipe brings."""
    program = program_of(command)
    if not command.piped or program not in SHELLS | INTERPRETERS | {"source", "."}:
        return None
    texts = [word.text for word in command.words[1:]]
    operands = [text for text in texts if not text.startswith(("-", "+")) and text != "/dev/stdin"]
    has_code = (
        runs_code(command) if program in SHELLS else any(text.startswith(_CODE_FLAGS) for text in texts)
    )
    is_told = (program in SHELLS and "-s" in texts) or "-" in texts
    return "runs what comes through a pipe" if is_told or not (operands or has_code) else None


def _dangerous_program(command: Command) -> str | None:
    program = program_of(command)
    if program in DANGEROUS_PROGRAMS:
        return DANGEROUS_PROGRAMS[program]
    if program.startswith(DANGEROUS_PREFIXES):
        return "overwrites disks"
    texts = [program, *(word.text for word in command.words[1:] if not word.text.startswith("-"))]
    return DANGEROUS_COMMANDS.get(tuple(texts[:2])) or DANGEROUS_COMMANDS.get(tuple(texts[:3]))


def _redirection(command: Command) -> str | None:
    for each in command.redirections:
        is_device = each.target.text.startswith("/dev/") and not _HARMLESS_DEVICES.fullmatch(each.target.text)
        if ">" in each.operator and is_device:
            return "writes to a device"
    return None
