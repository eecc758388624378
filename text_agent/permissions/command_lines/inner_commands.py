"""All commands of a line: those that it gives to shells, and to programs that run others, too."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.danger_table import (
    EXECUTING_FLAGS,
    FINDERS,
    RUNNERS,
    SHELLS,
    WRAPPERS,
)
from text_agent.permissions.command_lines.hidden_lines import perhaps_lines
from text_agent.permissions.command_lines.lines import Command, parse_line
from text_agent.permissions.command_lines.programs import program_of
from text_agent.permissions.command_lines.words import UnreadableLineError

# Lines within lines within lines (`sh -c "sh -c '...'"`), and commands of one line: more is a trick.
_MAX_DEPTH = 8
_MAX_COMMANDS = 1000
_CODE_FLAG = late_pattern(r"-[A-Za-z]*c")
_GIT_ALIAS = late_pattern(r"alias\.\S+?=!(.*)", re.DOTALL)
# Commands of git's that run a program, whose words follow.
_GIT_RUNNING = late_pattern(r"(?<= )(?:bisect run|submodule foreach) ")
_SPLIT_FLAG = late_pattern(r"-\w*S|--split-string=")
# It starts the program that it is given.
_LOADER = late_pattern(r"ld(?:-linux.*)?\.so")
_ASSIGNMENT_OR_NUMBER = late_pattern(r"\w+=.*|[\d.]+[smhd]?", re.DOTALL)


def runs_code(command: Command) -> bool:
    """Whether a shell is given code with `-c`, perhaps among other letters."""
    return any(_CODE_FLAG.match(word.text) for word in command.words[1:])


def all_commands(text: str) -> list[Command]:
    """Every command of a line, at whatever depth.

    Raises:
        UnreadableLineError: a part of it cannot be read, or there are too many.
    """
    commands = list(itertools.islice(_commands(text, 0, piped=False), _MAX_COMMANDS + 1))
    if len(commands) > _MAX_COMMANDS:
        raise UnreadableLineError("it has too many commands")
    return commands


def _commands(text: str, depth: int, *, piped: bool) -> Iterator[Command]:
    for command in parse_line(text, piped=piped).commands:
        yield from _with_inner(command, depth)


def _with_inner(command: Command, depth: int) -> Iterator[Command]:
    if depth > _MAX_DEPTH:
        raise UnreadableLineError("it is nested too deeply")
    yield command
    for text in _lines_given_by(command):
        yield from _commands(text, depth + 1, piped=command.piped)
    for text in perhaps_lines(command):
        yield from _readable_commands(text, depth + 1)
    for at in _wrapped_by(command):
        inner = replace(command, words=command.words[at:], redirections=())
        yield from _with_inner(inner, depth + 1)


def _readable_commands(text: str, depth: int) -> Iterator[Command]:
    """The commands of a text that may be a line, or something else."""
    with contextlib.suppress(UnreadableLineError):
        yield from _commands(text, depth, piped=False)


def _lines_given_by(command: Command) -> Iterator[str]:
    """The texts in a command that some shell will read as lines."""
    program, words = program_of(command), command.words[1:]
    if program in SHELLS:
        if runs_code(command):
            yield from (word.text for word in words if not word.text.startswith("-"))
        yield from _documents(command)
    elif program in ("source", "."):
        yield from _documents(command)
    elif program == "eval":
        yield " ".join(word.text for word in words)
    elif program in WRAPPERS:
        yield from (_SPLIT_FLAG.sub("", word.text) for word in words if " " in word.text.strip())
    elif program == "alias":
        yield from (word.text.partition("=")[2] for word in words)
    elif program == "git":
        yield from (found[1] for word in words if (found := _GIT_ALIAS.match(word.text)))


def _documents(command: Command) -> Iterator[str]:
    yield from (each.target.text for each in command.redirections if each.operator in ("<<", "<<<"))


def _wrapped_by(command: Command) -> Iterator[int]:
    """The indices of the words that may be the program that another one runs.

    What follows a flag is its value, or that program: nobody knows all the flags.
    """
    texts = [word.text for word in command.words]
    program = program_of(command)
    if program in FINDERS:
        yield from (at for at, text in enumerate(texts[:-1], 1) if text in EXECUTING_FLAGS)
    if program == "git" and (found := _GIT_RUNNING.search(" ".join(texts))):
        yield found[0].count(" ") + found.string[: found.start()].count(" ")
    own_words = 0 if _LOADER.match(program) else {**RUNNERS, **WRAPPERS}.get(program, -1)
    for at, text in enumerate(texts):
        if own_words < 0:
            return
        if at == 0 or text.startswith("-") or _ASSIGNMENT_OR_NUMBER.fullmatch(text):
            continue
        yield at
        own_words -= not texts[at - 1].startswith("-")
