"""What in a command line destroys for good, or hides what it does: the hard list.

It is a net for accidents, not a wall, as a program can do anything. Where it cannot tell, it says so.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.danger_table import (
    CLOUD_DELETIONS,
    CLOUD_PROGRAMS,
    DANGEROUS_COMMANDS,
    DANGEROUS_PREFIXES,
    DANGEROUS_PROGRAMS,
    DATABASE_PROGRAMS,
    DESTROYING_QUERIES,
    INTERPRETERS,
    SHELLS,
)
from text_agent.permissions.command_lines.deletions import Places, find_deletion
from text_agent.permissions.command_lines.downloads import find_downloaded_code
from text_agent.permissions.command_lines.endings import find_ending
from text_agent.permissions.command_lines.flags import has_letter
from text_agent.permissions.command_lines.git_dangers import find_git_danger
from text_agent.permissions.command_lines.inner_commands import runs_code
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.programs import program_of
from text_agent.permissions.command_lines.words import Word

_FORK_BOMB = late_pattern(r"(?<![\w:.])([\w:.]+)\s*\(\s*\)\s*\{\s*\1\s*\|\s*\1")
_DESTROYING_QUERY = late_pattern(DESTROYING_QUERIES, re.IGNORECASE)
_DEVICES = late_pattern(r"/+(?:dev|sys|proc(?!/self/fd/))/")
_HARMLESS_DEVICES = late_pattern(r"/dev/(?:null|zero|full|tty|stdin|stdout|stderr|fd/\d+)")
_ALL_COMPUTED = late_pattern(r"\$\(|`|\$\{?\w+\}?\Z")
# Deletes trees in other languages: what it is told begins at the root, the home folder, or above.
_TREE = late_pattern(r"(?:rmtree|rmSync|rm_rf|rm_r|remove_tree|rimraf|rmdirSync)\W{1,4}(?:/|~|\.\.)")
# Begins a file that is what another command prints.
_PROCESS = ("<(", "=(")
_INPUT = late_pattern(r"/dev/stdin|/(?:dev|proc/self)/fd/0")
# Programs that write to what they name.
_COPYING = frozenset({"cp", "install", "mv", "pv", "tee", "truncate"})
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
    return next(filter(None, found), None) or find_downloaded_code(commands)


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
    if program in INTERPRETERS:
        read = [word for word in operands if word.text.startswith(_PROCESS)] + _given_code(command)
    if program in SHELLS | INTERPRETERS:
        read += [each.target for each in command.redirections if each.target.text.startswith(_PROCESS)]
    return "runs a text that nobody can see" if any(word.computed for word in read) else None


def _given_code(command: Command) -> list[Word]:
    """What an interpreter is told to run with `-c` and the like, if all of it comes from elsewhere."""
    return [
        word
        for before, word in itertools.pairwise(command.words)
        if before.text in _CODE_FLAGS and _ALL_COMPUTED.match(word.text)
    ]


def _piped_code(command: Command) -> str | None:
    """A shell, or an interpreter without a program of its own, that runs what a pipe brings."""
    program = program_of(command)
    if command.piped and program == "xargs" and SHELLS.intersection(word.text for word in command.words):
        return "runs what comes through a pipe" if command.words[-1].text in ("{}", "%", "-c") else None
    if not command.piped or program not in SHELLS | INTERPRETERS | {"source", "."}:
        return None
    texts = [word.text for word in command.words[1:]]
    operands = [text for text in texts if not text.startswith(("-", "+")) and not _INPUT.fullmatch(text)]
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
    texts = [word.text for word in command.words[1:]]
    return _dangerous_argument(program, texts) or _dangerous_words(program, texts)


def _dangerous_argument(program: str, texts: Sequence[str]) -> str | None:
    """What one of the arguments tells, whose place does not matter."""
    if program == "sysctl" and any("=" in text or has_letter(text, "wp") for text in texts):
        return "changes the running kernel"
    if program in DATABASE_PROGRAMS and _DESTROYING_QUERY.search(" ".join(texts)):
        return "deletes what is in a database"
    if program in CLOUD_PROGRAMS and CLOUD_DELETIONS.intersection(texts):
        return "deletes what runs in a cloud"
    if (
        program in ("docker", "docker-compose", "podman")
        and "down" in texts
        and {"-v", "--volumes"} & {*texts}
    ):
        return "deletes volumes"
    is_outside = program in INTERPRETERS and any(_TREE.search(text) for text in texts)
    return "deletes outside the workspace" if is_outside else None


def _dangerous_words(program: str, texts: Sequence[str]) -> str | None:
    """What the first words tell, with or without those behind flags, which may be values of theirs."""
    plain = [text for text in texts if not text.startswith(("-", "+"))]
    alone = [
        text
        for before, text in itertools.pairwise(("", *texts))
        if not text.startswith(("-", "+")) and not before.startswith("-")
    ]
    readings = [(program, *words[:length]) for words in (plain, alone) for length in (1, 2)]
    return next((DANGEROUS_COMMANDS[each] for each in readings if each in DANGEROUS_COMMANDS), None)


def _redirection(command: Command) -> str | None:
    written = [each.target.text for each in command.redirections if ">" in each.operator]
    if program_of(command) in _COPYING:
        written += [word.text for word in command.words[1 if program_of(command) == "tee" else -1 :]]
    is_device = any(_DEVICES.match(text) and not _HARMLESS_DEVICES.fullmatch(text) for text in written)
    return "writes to a device, or to the kernel" if is_device else None
