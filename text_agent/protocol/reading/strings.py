# ruff: noqa: RUF001 - the quotes that models write are meant as they stand here
"""Reads one string of an argument text.

    string   = JSON string, also over several lines
             | 'Python', \"\"\"triple\"\"\", r"raw" or “typographic” string
             | <|"|>text<|"|> | <escape>text<escape>

A string's text is exact: an escape that JSON does not know keeps its backslash.
"""

from __future__ import annotations

import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.source import ReadError, Source

_STRING_PREFIX = late_pattern(r"[rRuUfF](?=[\"'])")
_ESCAPE = late_pattern(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_SIMPLE_ESCAPES = {
    "\\\\": "\\", '\\"': '"', "\\'": "'", "\\n": "\n", "\\t": "\t", "\\r": "\r", "\\b": "\b", "\\f": "\f",
}  # fmt: skip
_SECTION_BEGIN, _SECTION_END = late_pattern(r"\s*+<!\[CDATA\["), "]]>"
_RAW_DELIMITERS = ('<|"|>', "<escape>")
_OPENERS = {
    "“": late_pattern("[“”]"),
    "”": late_pattern("[“”]"),
    "‘": late_pattern("[‘’]"),
    "’": late_pattern("[‘’]"),
}


def _json_text(text: str) -> str | None:
    """What the inside of a string stands for if it is plain JSON; None if it is not."""
    try:
        decoded, end = scanstring(text + '"', 0, False)
    except ValueError:
        return None
    return decoded if end == len(text) + 1 else None


class StringReader:
    r"""Reads strings of `source` up to `limit`; `repairs` collects what was not plain JSON.

    `source`: the text. `limit`: where the text ends for this reader. `python`: strings are Python's, in which
    `\/` is no escape.
    """

    def __init__(self, source: Source, limit: int, *, python: bool = False) -> None:
        self.repairs: list[str] = []
        self._source = source
        self._text = source.text
        self._limit = limit
        self._python = python

    def repair(self, what: str) -> None:
        """Notes a leniency once."""
        if what not in self.repairs:
            self.repairs.append(what)

    def peek(self, position: int) -> str:
        """The character at `position`, or an empty string behind the limit."""
        return self._text[position] if position < self._limit else ""

    def fail(self, message: str, position: int, partial: dict[str, Any] | None = None) -> ReadError:
        """The error for what stands at `position`; a cut one if that is the end."""
        if position < self._limit:
            return ReadError(message, position, partial=partial)
        self._source.reached_end = True
        return ReadError("the text ends inside the call", self._limit, cut=True, partial=partial)

    def string(self, position: int) -> tuple[str, int] | None:
        """The string that begins at `position` and where it ends; None if none begins there."""
        first = self.peek(position)
        if first == '"' or first == "'":
            return self._quoted(position, first, raw=False)
        if first in _OPENERS:
            return self._typographic(position, first)
        if first == "<":
            return self._delimited(position)
        prefix = _STRING_PREFIX.match(self._text, position, self._limit)
        if not prefix:
            return None
        self.repair("Python string prefix")
        text, end = self._quoted(prefix.end(), self._text[prefix.end()], raw=prefix.group() in "rR")
        if prefix.group() in "fF" and "{" in text:
            raise ReadError("a string with placeholders has no value here", position)
        return text, end

    def _quoted(self, position: int, quote: str, *, raw: bool) -> tuple[str, int]:
        if quote == "'":
            self.repair("single quotes")
        triple = self._text.startswith(quote * 3, position) and position + 3 <= self._limit
        if triple:
            self.repair("triple quotes")
        delimiter = quote * 3 if triple else quote
        start = position + len(delimiter)
        end = self._closing(start, delimiter)
        text = self._text[start:end]
        if not triple and "\n" in text:
            self.repair("raw line break in a string")
        return text if raw else self.unescape(text, quote), end + len(delimiter)

    def _closing(self, start: int, delimiter: str) -> int:
        end = start
        while True:
            end = self._source.find(delimiter, end)
            if end < 0 or end + len(delimiter) > self._limit:
                raise self.fail("", self._limit)
            backslashes = end
            while backslashes > start and self._text[backslashes - 1] == "\\":
                backslashes -= 1
            if (end - backslashes) % 2 == 0:
                return end
            end += 1

    def _typographic(self, position: int, opener: str) -> tuple[str, int]:
        self.repair("typographic quotes")
        match = _OPENERS[opener].search(self._text, position + 1, self._limit)
        if not match:
            raise self.fail("", self._limit)
        return self.unescape(self._text[position + 1 : match.start()], opener), match.end()

    def _delimited(self, position: int) -> tuple[str, int] | None:
        for delimiter in _RAW_DELIMITERS:
            if self._text.startswith(delimiter, position):
                start = position + len(delimiter)
                end = self._source.find(delimiter, start)
                if end < 0 or end > self._limit:
                    raise self.fail("", self._limit)
                return self._text[start:end], end + len(delimiter)
        return None

    def unescape(self, text: str, quote: str) -> str:
        """What the inside of a string in `quote` stands for."""
        if "\\" not in text:
            return text
        if quote == '"' and not self._python and (fast := _json_text(text)) is not None:
            return fast
        return _ESCAPE.sub(self._unescaped_python if self._python or quote == "'" else self._unescaped, text)

    def _unescaped(self, match: re.Match[str]) -> str:
        return "/" if match.group() == "\\/" else self._unescaped_python(match)

    def _unescaped_python(self, match: re.Match[str]) -> str:
        found = match.group()
        if found in _SIMPLE_ESCAPES:
            return _SIMPLE_ESCAPES[found]
        if len(found) == 6:
            return chr(int(found[2:], 16))
        if len(found) == 12:
            high, low = int(found[2:6], 16), int(found[8:], 16)
            return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        self.repair("unknown escape")
        return found


def behind_section(source: Source, position: int) -> int:
    """Where the CDATA section at the beginning of an element ends; `position` if there is none."""
    if not _SECTION_BEGIN.match(source.text, position):
        return position
    end = source.find(_SECTION_END, position)
    return position if end < 0 else end + len(_SECTION_END)


def element_text(text: str) -> str:
    """The text of an element without its marks: those of a CDATA section, or its line breaks.

    One line break is taken off at the beginning, and then one at the end.
    """
    section = _SECTION_BEGIN.match(text)
    inside, end, rest = text[section.end() :].partition(_SECTION_END) if section else ("", "", "")
    if end and not rest.strip():
        return inside
    line_break = "\r\n" if text.startswith("\r\n") else "\n"
    return text.removeprefix(line_break).removesuffix(line_break) if text.startswith(line_break) else text
