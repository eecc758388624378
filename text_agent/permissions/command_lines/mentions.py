"""What paths a command mentions: in its words, behind `=` and the like, and in code for interpreters."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.danger_table import INTERPRETERS
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.programs import program_of
from text_agent.permissions.command_lines.words import Word

# What may stand before a path in one word: `--file=.env`, `if=.env`, `HEAD:.env`, `@.env`.
_SEPARATORS = late_pattern(r"[=:@,]")
# A flag with one letter, and its value in the same word: `-d.git`.
_SHORT_FLAG = late_pattern(r"-\w.")
# Programs with small languages of their own, in which files are named.
_CODE_TAKERS = INTERPRETERS | {"ed", "ex", "nvim", "sed", "vi", "vim"}
_PATH_IN_CODE = late_pattern(r"[\w.~/-]+")
_LEAVING_OUT = ("--exclude", "--ignore")


def arguments_of(command: Command) -> list[Word]:
    """The words behind a command's program, without what it is told to leave out."""
    words = command.words
    return [
        word
        for before, word in itertools.pairwise(words)
        if not word.text.startswith(_LEAVING_OUT) and before.text not in _LEAVING_OUT
    ]


def paths_in(text: str) -> list[str]:
    """A word's text, and what in it may be a path of its own."""
    attached = [text[2:]] if _SHORT_FLAG.match(text) else []
    return [text, *attached, *(part for part in _SEPARATORS.split(text) if part and part != text)]


def paths_in_code(command: Command) -> Iterator[str]:
    """The paths that a program for an interpreter, given in its arguments, may hold."""
    if program_of(command) in _CODE_TAKERS:
        for word in command.words[1:]:
            yield from _PATH_IN_CODE.findall(word.text)
