"""The forms in which a foreign text may be read: what a model that quotes it may leave away.

the text itself
without the marks before its lines: `> `, `12| `, `# `, `+`, one of them or all
without the indent of lists and blocks
with escapes, doubled quotes or entities undone: a call in a string of a program, in a table, or in a web page
without the colours of a terminal
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from text_agent.lazy_regex import late_pattern

_MARK = r"[ \t]*+(?:[>*|;+%-]|#{1,6}|//++|\d{1,7}[ \t]*+[|:.)]|\d{1,7}\t|\$ )"
_MARKS = late_pattern(rf"^(?:{_MARK})++[ \t]?", re.MULTILINE)
_ONE_MARK = late_pattern(rf"^{_MARK}[ \t]?", re.MULTILINE)
_BARE_MARK = late_pattern(rf"^{_MARK}", re.MULTILINE)
_BULLET = late_pattern(r"[ \t]*+(?:(?:[-*+]|\d{1,3}[.)])[ \t]++)?")
_INDENTED = late_pattern(r"^[ \t]+\S", re.MULTILINE)
_ESCAPE = late_pattern(r"\\(?:[\\\"'/]|[nrt])")
_ESCAPED = {"\\n": "\n", "\\r": "\r", "\\t": "\t"}
_DOUBLED = late_pattern(r'""\w+""')
_COLOUR = late_pattern(r"\x1b\[[\d;:]*[A-Za-z]")
_ENTITY = late_pattern(r"&(?:quot|lt|#0*(?:34|39|60)|#x0*(?:22|27|3c));", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Variant:
    """A form of a text, and where each of its lines comes from; no lines if it is the original."""

    text: str
    starts: tuple[int, ...] = ()
    original_starts: tuple[int, ...] = ()

    def original(self, span: tuple[int, int]) -> tuple[int, int]:
        """The span in the original text: whole lines, if this is not it."""
        if not self.starts:
            return span
        first = bisect_right(self.starts, span[0]) - 1
        last = bisect_right(self.starts, max(span[0], span[1] - 1))
        return self.original_starts[first], self.original_starts[last]


def variants(text: str) -> Iterator[Variant]:
    """The text and its other forms, each once."""
    yield Variant(text)
    seen = {text}
    lines = text.split("\n")
    for changed in _changed(text, lines):
        variant = _variant(lines, changed)
        if variant.text not in seen:
            seen.add(variant.text)
            yield variant


def _changed(text: str, lines: list[str]) -> Iterator[list[str]]:
    if _BARE_MARK.search(text):
        for mark in (_MARKS, _ONE_MARK, _BARE_MARK):
            yield [mark.sub("", line) for line in lines]
    if _INDENTED.search(text):
        yield _dedented(lines)
    if "\r\n" in text:
        yield [line.removesuffix("\r") for line in lines]
    if '\\"' in text or "\\n" in text:
        once = [_ESCAPE.sub(_unescape, line) for line in lines]
        yield once
        yield [_ESCAPE.sub(_unescape, line) for line in once]
    if _DOUBLED.search(text):
        yield [line.replace('""', '"') for line in lines]
    if "\x1b" in text:
        yield [_COLOUR.sub("", line) for line in lines]
    if _ENTITY.search(text):
        yield [html.unescape(line).replace("\n", " ") for line in lines]


def _dedented(lines: list[str]) -> list[str]:
    """The lines without their list's or block's indent: that of its first line, its bullet included."""
    dedented, indent = [], 0
    for line in lines:
        width = len(line) - len(line.lstrip())
        if line.strip() and (width < indent or not indent):
            match = _BULLET.match(line)
            indent = width = match.end() if match else 0
        dedented.append(line[min(indent, width) :])
    return dedented


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPED.get(match.group(), match.group()[1])


def _variant(lines: list[str], changed: list[str]) -> Variant:
    starts, original_starts, at, original_at = [], [], 0, 0
    for line, new in zip(lines, changed, strict=True):
        starts.append(at)
        original_starts.append(original_at)
        at += len(new) + 1
        original_at += len(line) + 1
    return Variant("\n".join(changed), tuple(starts), (*original_starts, original_at - 1))
