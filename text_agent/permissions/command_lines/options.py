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
from text_agent.permissions.command_lines.program import Style
from text_agent.permissions.command_lines.words import Word

_NUMBER = late_pattern(r"-\d+")


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a command was given."""

    flags: frozenset[str]  # as described, such as `-n` and `--lines`
    values: tuple[str, ...]  # the values of flags that may be paths
    # Values in words of their own that are mere text, if this program reads them as others do.
    texts: tuple[str, ...]
    operands: tuple[Word, ...]  # what belongs to no flag
    said: tuple[str, ...]  # all values, each behind its flag, and all operands
    is_ordered: bool  # no flag stands behind an operand, where some programs take it for another one


class UnknownFlagError(Exception):
    """A flag that is not described, or that lacks its value."""


def parse_arguments(words: Sequence[Word], description: str, style: Style = "cluster") -> Arguments:
    """Takes the words behind a program's name apart. Raises `UnknownFlagError`: one is not described."""
    return _Reader(words, kinds_of(description), style).read()


def kinds_of(description: str) -> Mapping[str, str]:
    """What each described flag takes: nothing, `=`, `:` or `?`."""
    flags = {}
    for word in description.split():
        kind = word[-1] if word[-1] in "=:?" and len(word) > 2 else ""
        flags[word.removesuffix(kind) if kind else word] = kind
    return flags


class _Reader:
    def __init__(self, words: Sequence[Word], kinds: Mapping[str, str], style: Style) -> None:
        self._words = list(words)
        self._kinds = kinds
        self._style = style
        self._flags: set[str] = set()
        self._values: list[str] = []
        self._texts: list[str] = []
        self._said: list[str] = []

    def read(self) -> Arguments:
        operands: list[Word] = []
        is_ordered = True
        while self._words:
            word = self._words.pop(0)
            if word.text == "--" and self._style != "alone":
                operands += self._words
                break
            if not word.text.startswith("-") or word.text == "-":
                operands.append(word)
                continue
            is_ordered &= not operands
            if self._style == "alone":
                self._alone(word.text)
            elif word.text.startswith("--"):
                self._long(word.text)
            else:
                self._short(word.text)
        said = (*self._said, *(word.text for word in operands))
        values, texts = tuple(self._values), tuple(self._texts)
        return Arguments(frozenset(self._flags), values, texts, tuple(operands), said, is_ordered)

    def _alone(self, text: str) -> None:
        """Reads a flag that is a word; only a number may be attached to it."""
        flag = text[:2] if text not in self._kinds and text[2:].isdecimal() else text
        kind = self._kind(flag)
        if flag != text and not kind:
            raise UnknownFlagError(f"{flag} takes no value")
        self._note(flag, kind, text[2:] if flag != text else "", follows=kind != "" and flag == text)

    def _long(self, text: str) -> None:
        name, has_value, value = text.partition("=")
        kind = self._kind(name)
        if has_value and not kind:
            raise UnknownFlagError(f"{name} takes no value")
        self._note(name, kind, value, follows=kind in ("=", ":") and not has_value)

    def _short(self, text: str) -> None:
        if "-#" in self._kinds and _NUMBER.fullmatch(text):
            return
        for at, char in enumerate(text[1:], 2):
            flag, rest = f"-{char}", text[at:]
            kind = self._kind(flag)
            if not kind:
                self._note(flag, "", "")
                continue
            if self._style == "next" and rest and not rest.isdecimal():
                raise UnknownFlagError("its flags may be read in two ways")
            self._note(flag, kind, rest, follows=not rest and kind != "?")
            return

    def _kind(self, flag: str) -> str:
        kind = self._kinds.get(flag)
        if kind is None or flag == "-#":
            raise UnknownFlagError(f"the flag {flag} is not known to be harmless")
        return kind

    def _note(self, flag: str, kind: str, value: str, *, follows: bool = False) -> None:
        self._flags.add(flag)
        if follows:
            value = self._next(flag)
        if value:
            self._said.append(f"{flag} {value}")
        if kind in ("=", "?") and value:
            self._values.append(value)
        elif follows:
            self._texts.append(value)

    def _next(self, flag: str) -> str:
        """The word behind a flag that needs a value; one with a dash may be meant as a flag."""
        dash = bool(self._words) and self._words[0].text.startswith("-") and self._words[0].text != "-"
        if not self._words or (dash and self._style != "alone"):
            raise UnknownFlagError(f"the flag {flag} lacks its value")
        word = self._words.pop(0)
        if word.glob >= 0:
            raise UnknownFlagError(f"a pattern stands for the value of {flag}")
        return word.text
