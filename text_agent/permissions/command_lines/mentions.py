"""What paths a command mentions: in its words, behind `=` and the like, and in code for interpreters."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.programs import Told
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import Word

# What may stand before a path in one word: `--file=.env`, `if=.env`, `HEAD:.env`, `@.env`.
_SEPARATORS = late_pattern(r"[=:@,]")
# A flag with one letter, and its value in the same word: `-d.git`.
_SHORT_FLAG = late_pattern(r"-\w.")
_PATH_IN_CODE = late_pattern(r"[\w.~/-]+")
_LEAVING_OUT = ("--exclude", "--ignore")


def arguments_of(told: Told) -> list[Word]:
    """The words behind a command's program, without what it is told to leave out."""
    return [
        word
        for before, word in itertools.pairwise(told.command.words)
        if not word.text.startswith(_LEAVING_OUT) and before.text not in _LEAVING_OUT
    ]


def paths_of(words: Iterable[Word], around: Surroundings) -> Iterator[str]:
    """The words' texts, and what in them may be a path of its own."""
    for text in (text for word in words for text in around.expand(word)):
        yield text
        if _SHORT_FLAG.match(text):
            yield text[2:]
        yield from (part for part in _SEPARATORS.split(text) if part and part != text)


def paths_in_code(told: Told) -> Iterator[str]:
    """The paths that a program in a small or a large language, given in the arguments, may hold."""
    if told.row.language in ("code", "editor"):
        for text in told.texts:
            yield from _PATH_IN_CODE.findall(text)
