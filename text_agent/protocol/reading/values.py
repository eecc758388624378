"""Reads one value of an argument text: JSON, and what models write for it.

    value    = object | array | string | number | word
    object   = "{" [ member { "," member } [","] ] "}"
    member   = (string | bare key) (":" | "=") value
    array    = "[" [ value { "," value } [","] ] "]"
    string   = see `strings`
    word     = true | false | null | True | False | None

White space, comments (`//`, `#`, `/* */`) and a literal backslash-n may stand between all of these.
Whatever is not plain JSON is named in `ValueReader.repairs`. A string's text is exact: an escape that
JSON does not know keeps its backslash. A closing bracket is supplied only where another one shows
that the value is over; the end of the text is never taken for one.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.markers import KEY
from text_agent.protocol.reading.source import ReadError, Source
from text_agent.protocol.reading.strings import StringReader

MAX_DEPTH = 64
"""Levels of nesting; more are refused, so that no later reader of the value can run out of stack."""

_SPACE = late_pattern(r"(?:\s++|\\[nrt](?![A-Za-z_]))*+")
_NUMBER = late_pattern(r"[+-]?(?:0|[1-9]\d*+(?:_\d+)*+)(?:\.\d++)?+(?:[eE][+-]?\d++)?+(?![\w.])")
_BARE_KEY = late_pattern(KEY)
_WORD = late_pattern(r"[A-Za-z]++(?![\w.(/-])")
_KEY_AHEAD = late_pattern(r"""(?:"[^"\n\\]{1,80}+"|'[^'\n\\]{1,80}+'|[^\W\d][\w-]{0,80}+)\s{0,20}+[:=]""")
WORDS: dict[str, Any] = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
}  # fmt: skip
_COMMENT_LIMIT = 2000
_ESCAPED_OBJECT = late_pattern(r"\{(?:\s|\\[nrt])*+\\[\"']")
_ESCAPE_PAIR = late_pattern(r"\\([\"'\\/nrt])")
_CONTROL_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


_NO_BRACKETS = r"[^{}\[\]]"
# An object that holds objects of objects, at most: of an unfinished one it is soon seen that it is none.
_SHALLOW_OBJECT = late_pattern(
    rf"\{{(?:{_NO_BRACKETS}++|\{{(?:{_NO_BRACKETS}++|\{{{_NO_BRACKETS}*+\}})*+\}})*+\}}"
)
_MAX_DIGITS = 400


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key is given twice")
    return members


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


def _integer(digits: str) -> int:
    return int(digits) if len(digits) <= _MAX_DIGITS else int(_refuse(digits))


def _fraction(digits: str) -> float:
    number = float(digits)
    return number if len(digits) <= _MAX_DIGITS and math.isfinite(number) else _refuse(digits)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_int=_integer, parse_float=_fraction, parse_constant=_refuse
)


class ValueReader(StringReader):
    r"""Reads values of `source` up to `limit`; `repairs` collects what was not plain JSON.

    Args:
        source: the text.
        limit: where the text ends for this reader.
        keys: names that may follow a value without a comma: the tool's own.
        terminator: what closes all open brackets, such as a closing tag.
        python: strings are Python's, in which `\/` is no escape.
        read: where objects that were read are kept, for readers that begin anywhere in each other's.
    """

    def __init__(
        self,
        source: Source,
        limit: int,
        *,
        keys: frozenset[str] = frozenset(),
        terminator: re.Pattern[str] | None = None,
        python: bool = False,
        read: dict[int, tuple[dict[str, Any], int]] | None = None,
    ) -> None:
        super().__init__(source, limit, python=python)
        self.keys = keys
        self._terminator = terminator
        self._read = read

    def skip(self, position: int) -> int:
        """The position behind white space and comments."""
        while True:
            position = self._space(position)
            self._source.reach(position)
            if self.peek(position) not in ("/", "#"):
                return position
            after = self._comment(position)
            if after == position:
                return position
            self.repair("comment")
            position = after

    def _space(self, position: int) -> int:
        end = past(_SPACE, self._text, position, self._limit)
        if end > position and self._text.find("\\", position, end) >= 0:
            self.repair("escaped line break between values")
        return end

    def _comment(self, position: int) -> int:
        text = self._text
        if text.startswith("/*", position):
            end = text.find("*/", position, min(position + _COMMENT_LIMIT, self._limit))
            return position if end < 0 else end + 2
        if text[position] == "#" or text.startswith("//", position):
            return min(self._source.line_end(position), self._limit)
        return position

    def value(self, position: int, depth: int = 0) -> tuple[Any, int]:
        """The value that begins at `position`, and where it ends.

        Raises `ReadError`: there is none, or it has not exactly one reading.
        """
        first = self.peek(position)
        if first == "{":
            return self.object_at(position, depth)
        if first == "[":
            return self._array(position, depth)
        if (string := self.string(position)) is not None:
            return string
        if match := _NUMBER.match(self._text, position, self._limit):
            return self._number(match), match.end()
        match = _WORD.match(self._text, position, self._limit)
        if match and match.group() in WORDS:
            if match.group()[0].isupper():
                self.repair("Python literal")
            return WORDS[match.group()], match.end()
        raise self.fail("a value is missing" if first in ",}])" else "this is not a value", position)

    def _number(self, match: re.Match[str]) -> int | float:
        digits = match.group()
        if len(digits) > _MAX_DIGITS:
            raise ReadError("the number is too long", match.start())
        if match.end() == self._limit:
            self._source.reached_end = True
        if not any(mark in digits for mark in ".eE"):
            return int(digits)
        number = float(digits)
        if math.isinf(number):
            raise ReadError("the number is too large", match.start())
        return number

    def object_at(self, position: int, depth: int = 0) -> tuple[dict[str, Any], int]:
        """The object whose `{` stands at `position`, and where it ends."""
        if self._read is None:
            return self._object(position, depth)
        if position not in self._read:
            self._read[position] = self._object(position, depth)
        return self._read[position]

    def _object(self, position: int, depth: int) -> tuple[dict[str, Any], int]:
        self._check_depth(position, depth)
        if plain := self._plain_object(position):
            return plain
        if _ESCAPED_OBJECT.match(self._text, position, self._limit):
            return self._escaped_object(position)
        members: dict[str, Any] = {}
        position = self.skip(position + 1)
        while not self._closes(position, "}", members):
            key, position = self._key(position)
            value, position = self.value(self.skip(position), depth + 1)
            if key in members and members[key] != value:
                raise ReadError(f'the key "{key}" is given twice', position)
            members[key] = value
            position = self._separator(position, "}", members if depth == 0 else None)
        return members, position + (self.peek(position) == "}")

    def _plain_object(self, position: int) -> tuple[dict[str, Any], int] | None:
        """An object that is JSON, as most are: the decoder is fast."""
        shallow = None if self._python else _SHALLOW_OBJECT.match(self._text, position, self._limit)
        if shallow is None:
            return None
        self._source.reach(shallow.end())
        try:
            return _DECODER.decode(shallow.group()), shallow.end()
        except ValueError:
            return None

    def _escaped_object(self, position: int) -> tuple[dict[str, Any], int]:
        r"""An object that is escaped as a whole, `{\"path\": \"a\"}`, on one line."""
        self.repair("escaped object")
        stop = min(self._source.line_end(position), self._limit)
        self._source.reach(stop)
        plain = Source(
            _ESCAPE_PAIR.sub(lambda pair: _CONTROL_ESCAPES.get(pair[1], pair[1]), self._text[position:stop])
        )
        reader = ValueReader(plain, plain.end, keys=self.keys, terminator=self._terminator)
        try:
            members, length = reader.object_at(0)
        except ReadError as error:
            raise self.fail(error.message, stop) from error
        end = position + length
        for escape in _ESCAPE_PAIR.finditer(self._text, position, stop):
            if escape.start() >= end:
                break
            end += 1
        return members, end

    def _array(self, position: int, depth: int) -> tuple[list[Any], int]:
        self._check_depth(position, depth)
        items: list[Any] = []
        position = self.skip(position + 1)
        while not self._closes(position, "]", items):
            value, position = self.value(position, depth + 1)
            items.append(value)
            position = self._separator(position, "]", None)
        return items, position + (self.peek(position) == "]")

    def _check_depth(self, position: int, depth: int) -> None:
        if depth >= MAX_DEPTH:
            raise ReadError("the brackets are nested too deeply", position)

    def _closes(self, position: int, closer: str, content: object) -> bool:
        """Whether the bracket is closed here, by its own closer or by another that implies it."""
        found = self.peek(position)
        if found == closer:
            return True
        if content and found and (found in ")]}" or self._terminated(position)):
            self.repair(f"missing {closer}")
            return True
        return False

    def _terminated(self, position: int) -> bool:
        return bool(self._terminator and self._terminator.match(self._text, position, self._limit))

    def _key(self, position: int) -> tuple[str, int]:
        string = self.string(position)
        if string is None:
            match = _BARE_KEY.match(self._text, position, self._limit)
            if not match:
                raise self.fail("a key is missing", position)
            self.repair("bare key")
            string = match.group(), match.end()
        position = self.skip(string[1])
        if self.peek(position) not in (":", "="):
            raise self.fail("a colon is missing behind the key", position)
        if self.peek(position) == "=":
            self.repair("= for a colon")
        return string[0], position + 1

    def _separator(self, position: int, closer: str, partial: dict[str, Any] | None) -> int:
        """Passes the comma behind a value; where the next member or the closer begins."""
        position = self.skip(position)
        found = self.peek(position)
        if found == ",":
            after = self.skip(position + 1)
            if self.peek(after) and self.peek(after) in "}])":
                self.repair("trailing comma")
            elif self._terminated(after):
                raise self.fail("a value is missing", after)
            return after
        if (found and found in "}])") or self._terminated(position) or self._missing_comma(position, closer):
            return position
        raise self.fail("a comma or a closing bracket is missing", position, partial)

    def _missing_comma(self, position: int, closer: str) -> bool:
        match = _KEY_AHEAD.match(self._text, position, self._limit) if closer == "}" else None
        if match and match.group()[:-1].strip().strip("\"'") in self.keys:
            self.repair("missing comma")
            return True
        return False
