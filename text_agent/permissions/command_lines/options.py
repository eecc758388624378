"""Takes a command's arguments apart by a short description of the flags that it may have.

    "-a -n= -e: -U? -# --all --lines= --format: --color?"

A flag alone takes no value; with `=` its value may be a path and is checked like an operand, with `:` it is
mere text; with `?` a value only counts when it is attached. `-#` is a number, as in `head -20`. A flag that
is not described is unknown, and so is every shortened form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.words import Word

_NUMBER = late_pattern(r"-\d+")


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a command was given.

    Attributes:
        flags: as described, such as `-n` and `--lines`.
        values: the values of flags that may be paths.
        operands: what belongs to no flag.
    """

    flags: frozenset[str]
    values: tuple[str, ...]
    operands: tuple[Word, ...]


class UnknownFlagError(Exception):
    """A flag that is not described, or that lacks its value."""


def parse_arguments(words: Sequence[Word], description: str) -> Arguments:
    """Takes the words behind a program's name apart.

    Raises:
        UnknownFlagError: not all of them are described.
    """
    return _Reader(words, _described(description)).read()


def _described(description: str) -> Mapping[str, str]:
    """What each flag takes: nothing, `=`, `:` or `?`."""
    flags = {}
    for word in description.split():
        kind = word[-1] if word[-1] in "=:?" and len(word) > 2 else ""
        flags[word.removesuffix(kind) if kind else word] = kind
    return flags


class _Reader:
    def __init__(self, words: Sequence[Word], kinds: Mapping[str, str]) -> None:
        self._words = list(words)
        self._kinds = kinds
        self._flags: set[str] = set()
        self._values: list[str] = []

    def read(self) -> Arguments:
        operands: list[Word] = []
        while self._words:
            word = self._words.pop(0)
            if word.text == "--":
                operands += self._words
                break
            if word.text.startswith("--"):
                self._long(word.text)
            elif word.text.startswith("-") and len(word.text) > 1:
                self._short(word.text)
            else:
                operands.append(word)
        return Arguments(frozenset(self._flags), tuple(self._values), tuple(operands))

    def _long(self, text: str) -> None:
        name, has_value, value = text.partition("=")
        kind = self._kind(name)
        if has_value and not kind:
            raise UnknownFlagError(f"{name} takes no value")
        if kind in ("=", ":") and not has_value:
            value = self._next(name)
        self._note(name, kind, value)

    def _short(self, text: str) -> None:
        if "-#" in self._kinds and _NUMBER.fullmatch(text):
            return
        for at, char in enumerate(text[1:], 2):
            flag = f"-{char}"
            kind = self._kind(flag)
            if kind:
                attached = text[at:]
                self._note(flag, kind, attached if attached or kind == "?" else self._next(flag))
                return
            self._note(flag, "", "")

    def _kind(self, flag: str) -> str:
        kind = self._kinds.get(flag)
        if kind is None or flag == "-#":
            raise UnknownFlagError(f"the flag {flag} is not known to be harmless")
        return kind

    def _next(self, flag: str) -> str:
        """The word behind a flag that needs a value; one with a dash may be meant as a flag."""
        if not self._words or (self._words[0].text.startswith("-") and self._words[0].text != "-"):
            raise UnknownFlagError(f"the flag {flag} lacks its value")
        return self._words.pop(0).text

    def _note(self, flag: str, kind: str, value: str) -> None:
        self._flags.add(flag)
        if kind in ("=", "?") and value:
            self._values.append(value)
