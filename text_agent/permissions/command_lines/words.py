"""Reads the words of a command line as POSIX shells and bash do, and expands nothing in them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from text_agent.lazy_regex import late_pattern

BLANKS = " \t"
_ENDS = " \t\n;&|()<>"
_GLOB = "*?["
_VARIABLE = late_pattern(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])")
_ANSI_STRING = late_pattern(r"\$'(?:[^'\\]|\\.)*'", re.DOTALL)
# Levels of substitutions; a line with more is no work but a trick.
_MAX_DEPTH = 20


class UnreadableLineError(Exception):
    """Nobody can say from the text which commands a line has; the error's text says why."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word."""

    text: str  # what the program gets, quotes removed; where it is computed, the source
    end: int = 0  # where the word ends in its text
    computed: bool = False  # the shell still changes it by an expansion other than that of file names
    # Where in `text` the first `*`, `?` or `[` stands that the shell takes for file names, or -1.
    glob: int = -1
    bare: bool = True  # nothing of it is quoted


@dataclass(slots=True)
class _Draft:
    parts: list[str] = field(default_factory=list)
    computed: bool = False
    bare: bool = True
    glob: int = -1
    braces: bool = False

    def quote(self, text: str, *, computed: bool = False) -> None:
        self.parts.append(text)
        self.computed |= computed
        self.bare = False

    def add(self, char: str) -> None:
        if char in _GLOB and self.glob < 0:
            self.glob = sum(map(len, self.parts))
        self.braces |= char in "{}"
        self.parts.append(char)

    def finish(self, end: int) -> Word:
        text = "".join(self.parts)
        expands = (self.braces and text not in ("{", "}", "{}")) or (self.bare and text.startswith("~"))
        return Word(text, end, self.computed or expands, self.glob, self.bare)


class WordReader(ABC):
    """Reads words from one text, from `at` on. Whoever reads commands says how a substitution is read."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self.go_deeper(0)

    def peek(self, ahead: int = 0) -> str:
        """The next character, or the one `ahead` of it; empty at the end."""
        return self.text[self.at + ahead : self.at + ahead + 1]

    def go_deeper(self, levels: int) -> None:
        """Counts levels of substitutions. Raises `UnreadableLineError`: there are too many."""
        self.depth += levels
        if self.depth > _MAX_DEPTH:
            raise UnreadableLineError("it is nested too deeply")

    @abstractmethod
    def read_commands(self, until: str) -> None:
        """Reads the commands of a substitution, to the bracket `until` that closes it."""

    @abstractmethod
    def read_backquoted(self, text: str) -> None:
        """Reads the commands between backquotes."""

    def word(self) -> Word:
        """Reads a word; the next character belongs to one."""
        draft = _Draft()
        while (char := self.peek()) and (char not in _ENDS or self._begins_process()):
            self._word_part(char, draft)
        return draft.finish(self.at)

    def quoted(self, until: str) -> tuple[str, bool]:
        """Reads to the `"` that closes a quotation, or to the end: the text, and whether it expands."""
        draft = _Draft()
        while (char := self.peek()) != until:
            if not char:
                raise UnreadableLineError("a quotation is not closed")
            if char == "\\" and self.peek(1) in ("$", "`", '"', "\\", "\n"):
                draft.quote(self.peek(1).strip("\n"))
                self.at += 2
            elif not self._expansion(draft, quoted=True):
                draft.quote(char)
                self.at += 1
        self.at += len(until)
        return "".join(draft.parts), draft.computed

    def _word_part(self, char: str, draft: _Draft) -> None:
        if char == "'":
            draft.quote(self._single())
        elif char == '"' or self.text.startswith('$"', self.at):
            self.at += 1 if char == '"' else 2
            text, computed = self.quoted('"')
            # After a dollar sign, shells may translate it, or not.
            draft.quote(text, computed=computed or char == "$")
        elif char == "\\":
            if not self.peek(1):
                raise UnreadableLineError("it ends with a backslash")
            draft.quote(self.peek(1).strip("\n"))
            self.at += 2
        elif not self._expansion(draft, quoted=False):
            draft.add(char)
            self.at += 1

    def _single(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise UnreadableLineError("a quotation is not closed")
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        return text

    def _begins_process(self) -> bool:
        return self.peek() in ("<", ">") and self.peek(1) == "("

    def _expansion(self, draft: _Draft, *, quoted: bool) -> bool:
        start = self.at
        if self.peek() == "`":
            self._backquoted('`\\$"' if quoted else "`\\$")
        elif self.text.startswith("$(", self.at) or (not quoted and self._begins_process()):
            self.at += 2
            self.read_commands(")")
        elif self.text.startswith("${", self.at):
            self._parameter(quoted=quoted)
        elif not quoted and (string := _ANSI_STRING.match(self.text, self.at)):
            self.at = string.end()
        elif self.text.startswith("$[", self.at):
            raise UnreadableLineError("it has arithmetic of an old form")
        elif variable := _VARIABLE.match(self.text, self.at):
            self.at = variable.end()
        else:
            return False
        draft.parts.append(self.text[start : self.at])
        draft.computed = True
        return True

    def _parameter(self, *, quoted: bool) -> None:
        """Reads `${...}`, in which words and further expansions may stand."""
        self.at += 2
        draft = _Draft()
        while (char := self.peek()) != "}":
            if not char:
                raise UnreadableLineError("a bracket is not closed")
            if char == "'" and quoted:
                # Whether it quotes there depends on the operator, and on the shell.
                raise UnreadableLineError("it has a single quote in an expansion")
            self._word_part(char, draft)
        self.at += 1

    def _backquoted(self, escapable: str) -> None:
        parts: list[str] = []
        self.at += 1
        while (char := self.peek()) != "`":
            if not char:
                raise UnreadableLineError("a quotation is not closed")
            escaped = char == "\\" and self.peek(1) != "" and self.peek(1) in escapable
            parts.append(self.peek(1) if escaped else char)
            self.at += 2 if escaped else 1
        self.at += 1
        self.read_backquoted("".join(parts))
