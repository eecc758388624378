"""Reads command lines: the commands in them, at whatever depth, and what joins them.

The commands come as a flat list, those inside of substitutions, groups and loops included: who looks for
danger wants all of them, and who looks for harmless lines takes only plain ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.words import BLANKS, UnreadableLineError, Word, WordReader

_OPERATOR = late_pattern(r"&&|\|\||\|&|&(?!>)|[;|]")
_REDIRECTION = late_pattern(r"(?:\d+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||<(?!\()|>(?!\())")
_ASSIGNMENT = late_pattern(r"[A-Za-z_]\w*(?:\[[^]]*\])?\+?=")
# Words before a command that are none themselves.
_RESERVED = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "{", "}", "time"})


@dataclass(frozen=True, slots=True)
class Redirection:
    """A redirection; the target of a here-document is its text."""

    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command."""

    words: tuple[Word, ...]  # the program and its arguments, without reserved words before it; may be empty
    redirections: tuple[Redirection, ...] = ()  # in their order
    assignments: tuple[Word, ...] = ()  # variables set for it
    piped: bool = False  # its standard input may come from another command


@dataclass(frozen=True, slots=True)
class Line:
    """What a line is made of."""

    commands: tuple[Command, ...]  # all simple commands in it, at whatever depth
    plain: bool  # it is one command, without operator, redirection, substitution, assignment or comment


def parse_line(text: str, *, piped: bool = False) -> Line:
    """Reads a line, or several; `piped` says that their standard input may come from another command.

    Raises `UnreadableLineError`: they are incomplete, or too deep.
    """
    parser = _Parser(text, 0, piped=piped)
    parser.read()
    commands = tuple(draft.finish() for draft in parser.drafts)
    plain = not parser.marked and len(commands) == 1 and len(commands[0].words) == len(parser.drafts[0].words)
    return Line(commands, plain and not any(word.computed for word in commands[0].words))


@dataclass(slots=True)
class _Draft:
    piped: bool
    words: list[Word] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)

    def finish(self) -> Command:
        words = _without_reserved(self.words)
        count = next((at for at, word in enumerate(words) if not _ASSIGNMENT.match(word.text)), len(words))
        return Command(tuple(words[count:]), tuple(self.redirections), tuple(words[:count]), self.piped)


@dataclass(frozen=True, slots=True)
class _Document:
    """A here-document that was announced; its text follows in the next lines."""

    draft: _Draft
    index: int
    delimiter: Word
    indented: bool


class _Parser(WordReader):
    """Reads the commands of one text."""

    def __init__(self, text: str, depth: int, *, piped: bool) -> None:
        super().__init__(text, depth)
        self.drafts: list[_Draft] = []  # the commands
        self.marked = False  # there is more in the text than words
        self._piped = piped
        self._draft = _Draft(piped)
        self._shifts = False
        self._documents: list[_Document] = []

    def read(self) -> None:
        """Reads the whole text."""
        while self.at < len(self.text):
            self._part()
        self._finish()
        self._read_documents()

    def read_commands(self, until: str) -> None:
        """Reads a substitution or a group in place, to its end."""
        self.marked = True
        self.go_deeper(1)
        # `((` begins arithmetic, or a group in a group: there, `<<` may or may not be a shift.
        outer_shifts, self._shifts = (
            self._shifts,
            self._shifts or self.text[self.at - 1 : self.at + 1] == "((",
        )
        outer, self._draft = self._draft, _Draft(self._piped)
        while self.peek() != until:
            if not self.peek():
                raise UnreadableLineError("a bracket is not closed")
            self._part()
            if [word.text for word in _without_reserved(self._draft.words)[:1]] == ["case"]:
                # The brackets of its patterns look like the one that ends the substitution.
                raise UnreadableLineError("it has a case inside of brackets")
        self.at += 1
        self._finish()
        self._draft, self._shifts = outer, outer_shifts
        self.go_deeper(-1)

    def read_backquoted(self, text: str) -> None:
        """Reads the commands between backquotes."""
        self.marked = True
        inner = _Parser(text, self.depth + 1, piped=self._piped)
        inner.read()
        self.drafts += inner.drafts

    def _part(self) -> None:
        """Reads the next blank, operator, redirection, bracket, comment or word."""
        char = self.peek()
        if char in BLANKS:
            self.at += 1
        elif self.text.startswith("\\\n", self.at):
            self.marked = True
            self.at += 2
        elif char == "\n":
            self._end_command(1)
            self._read_documents()
        elif char == "(":
            self._end_command(1)
            self.read_commands(")")
        elif char == ")":
            self._end_command(1)
        elif redirection := _REDIRECTION.match(self.text, self.at):
            self._redirection(redirection)
        elif operator := _OPERATOR.match(self.text, self.at):
            self._piped |= operator[0] in ("|", "|&")
            self._end_command(len(operator[0]))
        elif char == "#":
            self.marked = True
            self._skip_line()
        else:
            self._draft.words.append(self.word())

    def _end_command(self, length: int) -> None:
        self.marked = True
        self.at += length
        self._finish()

    def _finish(self) -> None:
        if self._draft.words or self._draft.redirections:
            self.drafts.append(self._draft)
        # A pipe counts for all commands behind it: which of them reads it is hard to say.
        self._draft = _Draft(self._piped)

    def _redirection(self, found: re.Match[str]) -> None:
        self.marked = True
        self.at = found.end()
        while self.peek() and self.peek() in BLANKS:
            self.at += 1
        target = self.word()
        if not target.text and target.bare:
            raise UnreadableLineError("a redirection has no target")
        if found[1] in ("<<", "<<-"):
            self._refuse_shift(found.start())
            index = len(self._draft.redirections)
            self._documents.append(_Document(self._draft, index, target, found[1] == "<<-"))
        self._draft.redirections.append(Redirection(found[1], target))

    def _refuse_shift(self, at: int) -> None:
        """Raises where `<<` may be a shift in arithmetic, and what follows no text but commands."""
        subscript = (
            bool(self._draft.words) and self._draft.words[-1].end == at and "[" in self._draft.words[-1].text
        )
        if self._shifts or subscript:
            raise UnreadableLineError("it has a shift, or a here-document, in brackets")

    def _read_documents(self) -> None:
        for document in self._documents:
            body = self._document_lines(document)
            if document.delimiter.bare:
                inner = _Parser(body, self.depth + 1, piped=self._piped)
                body, computed = inner.quoted("")
                self.drafts += inner.drafts
                word = Word(body, computed=computed, bare=False)
            else:
                word = Word(body, bare=False)
            document.draft.redirections[document.index] = Redirection("<<", word)
        self._documents.clear()

    def _document_lines(self, document: _Document) -> str:
        lines: list[str] = []
        while self.at < len(self.text):
            start = self.at
            self._skip_line()
            line = self.text[start : self.at]
            self.at += 1
            line = line.lstrip("\t") if document.indented else line
            if line == document.delimiter.text:
                break
            lines.append(line + "\n")
        self.at = min(self.at, len(self.text))
        return "".join(lines)

    def _skip_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end


def _without_reserved(words: list[Word]) -> list[Word]:
    """The words of a command, without what only says when or how often it runs."""
    at = 0
    while at < len(words) and words[at].bare and words[at].text in (*_RESERVED, "function"):
        is_flagged = words[at].text == "time" and at + 1 < len(words) and words[at + 1].text == "-p"
        at += 2 if words[at].text == "function" or is_flagged else 1
    return words[at:]
