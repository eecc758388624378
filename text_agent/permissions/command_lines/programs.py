"""The table of programs, and what of it counts for a command."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.lines import Command, Redirection
from text_agent.permissions.command_lines.options import kinds_of
from text_agent.permissions.command_lines.program import Program, says
from text_agent.permissions.command_lines.rows_acting import ACTING
from text_agent.permissions.command_lines.rows_git import GIT
from text_agent.permissions.command_lines.rows_reading import READERS
from text_agent.permissions.command_lines.rows_running import RUNNING
from text_agent.permissions.command_lines.words import Word

PROGRAMS: Mapping[str, Program] = {**READERS, **RUNNING, **ACTING, "git": GIT}
_UNKNOWN = Program()
_LOADER = late_pattern(r"ld(?:-linux.*)?\.so")
# What stands behind the name of an interpreter for its version: `python3.11`, `lua-5.4`.
_VERSION = late_pattern(r"[-.]?\d[\d.]*\Z")
_GITS_OWN = late_pattern(r"((?:.*/)?git)-([^/]+)")
_PATH_IN_CODE = late_pattern(r"[\w.~/-]+")
_LEAVING_OUT = ("--exclude", "--ignore")


def program_of(command: Command) -> str:
    """The name of a command's program, without its folder; empty where there is none."""
    return command.words[0].text.rpartition("/")[2] if command.words else ""


def row_of(program: str) -> Program:
    """A program's row; that of a program whose name is written otherwise says nothing of what only reads."""
    if program in PROGRAMS:
        return PROGRAMS[program]
    versioned = PROGRAMS.get(_VERSION.sub("", program), _UNKNOWN)
    # Some file systems do not tell letters from capitals.
    other = PROGRAMS["ld"] if _LOADER.match(program) else PROGRAMS.get(program.lower(), _UNKNOWN)
    return replace(versioned if versioned.language else other, flags=None)


@dataclass(frozen=True)
class Told:
    """A command, with the row of what it starts."""

    command: Command  # the command
    row: Program  # of its program, or of a command of its program
    name: str  # of that, such as `ls` and `git stash list`; empty if it starts nothing
    last: Word | None  # where that name ends; None if it starts nothing
    before: tuple[Word, ...]  # flags of the program that stand before its command
    words: tuple[Word, ...]  # what it is told
    fed: bool = False  # it gets more words from another command, whose input they are

    @cached_property
    def texts(self) -> list[str]:
        """The texts of what it is told."""
        return [word.text for word in self.words]

    @property
    def program(self) -> str:
        """The name of its program."""
        return program_of(self.command)

    @cached_property
    def top(self) -> Program:
        """The row of its program."""
        return row_of(self.program)

    @property
    def is_named_plainly(self) -> bool:
        """Whether the program is named without a folder, and only harmless flags stand before its command."""
        harmless = (self.top.flags or "").split()
        return "/" not in self.command.words[0].text and all(word.text in harmless for word in self.before)

    def says(self, phrases: str) -> bool:
        """Whether it is told one of some phrases."""
        return phrases != "" and says(self.texts, phrases)

    def operands(self) -> list[Word]:
        """The words that are no flags, as far as that can be told without knowing the flags."""
        end = self.texts.index("--") if "--" in self.texts else len(self.words)
        return [word for word in self.words[:end] if not word.text.startswith("-")] + [*self.words[end + 1 :]]

    def arguments(self) -> list[Word]:
        """The words behind the program, without what it is told to leave out."""
        return [
            word
            for before, word in itertools.pairwise(self.command.words)
            if not word.text.startswith(_LEAVING_OUT) and before.text not in _LEAVING_OUT
        ]

    def paths_in_code(self) -> list[str]:
        """The paths that a program in a small or a large language, given in the arguments, may hold."""
        codes = self.texts if self.row.language in ("code", "editor") else ()
        return [path for text in codes for path in _PATH_IN_CODE.findall(text)]

    def written(self) -> list[Redirection]:
        """The redirections that write."""
        return [each for each in self.command.redirections if ">" in each.operator]


def tell(command: Command, *, fed: bool = False) -> Told:
    """Looks a command up in the table; `fed`: it gets more words from another one."""
    # A command of git's is a program of its own, too: `/usr/lib/git-core/git-reset`.
    if own := _GITS_OWN.fullmatch(command.words[0].text if command.words else ""):
        git = Word(own[1], command.words[0].end)
        command = replace(command, words=(git, replace(command.words[0], text=own[2]), *command.words[1:]))
    words = command.words
    row = row_of(program_of(command))
    if not row.commands:
        return Told(command, row, program_of(command), words[0] if words else None, (), words[1:], fed)
    start = 1 + _count_options(words[1:], row)
    for length in (2, 1):
        name = " ".join(word.text for word in words[start : start + length])
        if name in row.commands and len(words) >= start + length:
            break
    else:
        name, length = (words[start].text, 1) if len(words) > start else ("", 0)
    found = row.commands.get(name, _UNKNOWN) if name else row
    end = start + length
    name = f"{program_of(command)} {name}".strip()
    return Told(command, found, name, words[end - 1], words[1:start], words[end:], fed)


def _count_options(words: Sequence[Word], row: Program) -> int:
    kinds, at = kinds_of(row.options), 0
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if kinds.get(words[at].text) in ("=", ":") else 1
    return min(at, len(words))


def is_code(told: Told) -> bool:
    """Whether a shell is given code with `-c`, perhaps among other letters."""
    return told.row.language == "shell" and any(re.match(r"-[A-Za-z]*c", text) for text in told.texts)
