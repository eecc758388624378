"""The forms in which a foreign text may be read: what a model that quotes it may leave away.

without the marks before its lines: `> `, `12| `, `# `, `+`, `a.py:12:`, one of them or all
without the indent of lists and blocks
with escapes, doubled quotes or entities undone: a call in a string of a program, in a table, or in a web page
without the colours of a terminal
with other line breaks
"""

from __future__ import annotations

import html
import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from text_agent.lazy_regex import late_pattern, past

_MARK = (
    r"[ \t]*+(?:[>*|;+%-]|#{1,6}|//++|\d{1,7}[ \t]*+[|:.)-]|\d{1,7}\t|\$ "
    r"|[\w./@+-]{1,200}?[:-]\d{1,7}[:-])"
)
_MARKS = late_pattern(rf"^(?:{_MARK})++[ \t]?", re.MULTILINE)
_ONE_MARK = late_pattern(rf"^{_MARK}[ \t]?", re.MULTILINE)
_BARE_MARK = late_pattern(rf"^{_MARK}", re.MULTILINE)
_BULLET = late_pattern(r"[ \t]*+(?:(?:[-*+]|\d{1,3}[.)])[ \t]++)?")
_INDENTED = late_pattern(r"^[ \t]+\S", re.MULTILINE)
_ESCAPE = late_pattern(r"\\(?:[\\\"'/]|[nrt])")
_ESCAPED = {"\\n": "\n", "\\r": "\r", "\\t": "\t"}
_ESCAPED_TEXT = late_pattern(r"\\[\"n]")
_DOUBLED = late_pattern(r'""\w+""')
_COLOUR = late_pattern(r"\x1b\[[\d;:]*[A-Za-z]")
_ENTITY = late_pattern(r"&(?:quot|lt|#0*(?:34|39|60)|#x0*(?:22|27|3c));", re.IGNORECASE)


VariantKind = Literal["marks", "indent", "inside", "ends"]


@dataclass(frozen=True, slots=True)
class Variant:
    """A form of a text, line by line."""

    text: str  # the form
    starts: list[int]  # where each line of the original begins in it
    original_starts: list[int]  # where each line begins in the original, and where that ends
    # The numbers of the lines that differ, from 0; inside, of those that no form before had so.
    changes: list[int]
    kind: VariantKind  # the lines differ in the marks or the indent before them, inside, or in how they end

    def line(self, position: int) -> int:
        """The line of the original that a position in this form comes from."""
        return bisect_right(self.starts, position) - 1

    def line_end(self, line: int) -> int:
        """Where a line of the original ends in this form, a carriage return aside."""
        end = self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)
        return end - self.text.endswith("\r", self.starts[line], end)

    def differs(self, first: int, end: int) -> bool:
        """Whether one of the lines from `first` to before `end` differs."""
        at = bisect_left(self.changes, first)
        return at < len(self.changes) and self.changes[at] < end

    def runs(self) -> list[tuple[int, int]]:
        """The spans in this form of the changed lines, each with the line behind it."""
        spans: list[tuple[int, int]] = []
        for line in self.changes:
            start, end = self.starts[line], self.line_end(min(line + 1, len(self.starts) - 1))
            if spans and start <= spans[-1][1]:
                start = spans.pop()[0]
            spans.append((start, end))
        return spans

    def original(self, span: tuple[int, int]) -> tuple[int, int]:
        """The whole lines of the original that a span in this form comes from."""
        first, last = self.line(span[0]), self.line(max(span[0], span[1] - 1))
        return self.original_starts[first], self.original_starts[last + 1] - 1


def variants(text: str, *, margins: bool) -> Iterator[Variant]:
    """The forms that differ from the text, each once; without `margins` only those that differ inside."""
    lines, plain = text.split("\n"), text.replace("\r\n", "\n")
    starts, plain_lines = _starts(lines), plain.split("\n")
    seen = set(enumerate(lines))
    # A reply is read with plain line breaks.
    for kind, changed in _changed(plain, plain_lines, margins=margins):
        new = [(n, line) for n, line in enumerate(changed) if (n, line) not in seen]
        seen.update(new)
        if new and (margins or kind == "inside"):
            # A margin makes a difference to all lines of a call; what is undone inside stands in one line.
            changes = [n for n, line in enumerate(changed) if line != lines[n]]
            known = [n for n, _ in new] if kind == "inside" else changes
            yield Variant("\n".join(changed), _starts(changed)[:-1], starts, known, kind)


def _changed(text: str, lines: list[str], *, margins: bool) -> Iterator[tuple[VariantKind, list[str]]]:
    yield "ends", lines
    undone = [undo for sign, undo in _UNDONE if sign.search(text)]
    is_marked = (margins or bool(undone)) and bool(_BARE_MARK.search(text))
    unmarked = _ONE_MARK.sub("", text).split("\n") if is_marked else lines
    if margins and is_marked:
        yield "marks", unmarked
        yield "marks", _MARKS.sub("", text).split("\n")
        yield "marks", _BARE_MARK.sub("", text).split("\n")
    if margins and _INDENTED.search(text):
        yield "indent", _dedented(lines)
        yield "indent", _dedented(unmarked)
    for undo in undone:
        yield "inside", [undo(line) for line in unmarked]


def _starts(lines: list[str]) -> list[int]:
    """Where each line begins, and where the next one would."""
    return list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))


def _dedented(lines: list[str]) -> list[str]:
    """The lines without their list's or block's indent: that of its first line, its bullet included."""
    dedented, indent = [], 0
    for line in lines:
        width = len(line) - len(line.lstrip())
        if line.strip() and (width < indent or not indent):
            indent = width = past(_BULLET, line, 0)
        dedented.append(line[min(indent, width) :])
    return dedented


def _unescaped(line: str) -> str:
    if "\\" not in line:
        return line
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match.group(), match.group()[1]), line)


# What stands for other characters in a text, and what undoes it.
_UNDONE: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (_ESCAPED_TEXT, _unescaped),
    (_ESCAPED_TEXT, lambda line: _unescaped(_unescaped(line))),
    (_DOUBLED, lambda line: line.replace('""', '"')),
    (_COLOUR, lambda line: _COLOUR.sub("", line)),
    (_ENTITY, lambda line: html.unescape(line).replace("\n", " ") if "&" in line else line),
)
