"""Recovers an object whose strings hold quotes that should have been escaped.

`{"command": "rg "class Dune" lib"}` has one reading only if it is known where each value ends: in front
of a `", "key":` boundary with one of the tool's own keys, or of the closing `})`. If any of these
occurs twice, or the end does, the text is ambiguous and nothing is recovered.
"""

from __future__ import annotations

import re
from typing import Any

from text_agent.protocol.source import ReadError, Source
from text_agent.protocol.values import ValueReader

_END = re.compile(r"\}[ \t]*+\)[)}\] \t`*;\r]*+(?:(?://|#)[^\n]*+)?$", re.MULTILINE)
_FIRST_KEY = re.compile(r"""\{\s*+(["'])([^\W\d]\w*+)\1\s*+:\s*+""")
# A whole string and then another: a sum, or a missing comma, as well as unescaped quotes.
_OTHER_READING = re.compile(r"""(["'])(?:(?!\1)[^\\])*+\1(?:\s*+(?:\+|%|\.\w++\()|\s++["'])""")
_BOUNDARY = re.compile(r""",\s*+(["'])([^\W\d]\w*+)\1\s*+:\s*+""")


def recover_object(
    source: Source, position: int, limit: int, keys: frozenset[str]
) -> tuple[dict[str, Any], int] | None:
    """The object that begins at `position`, and where it ends; None if there is not exactly one reading.

    Args:
        source: the reply.
        position: where the `{` stands.
        limit: where the next attempt begins; the object ends before.
        keys: the tool's own keys; empty for an unknown tool, of which any key is taken.
    """
    end = _only_end(source, position, limit)
    if end is None:
        return None
    values = recover_members(source, position, end, keys)
    return None if values is None else (values, end + 1)


def recover_members(source: Source, position: int, end: int, keys: frozenset[str]) -> dict[str, Any] | None:
    """The members of the object from its `{` at `position` to its `}` at `end`; None if ambiguous."""
    members = _members(source, position, end, keys)
    if members is None:
        return None
    try:
        return {key: _value(source, start, stop) for key, start, stop in members}
    except ReadError:
        return None


def _only_end(source: Source, position: int, limit: int) -> int | None:
    if limit == source.end:
        source.reached_end = True
    ends = _END.finditer(source.text, position, limit)
    first, second = next(ends, None), next(ends, None)
    source.reach(second.start() if second else limit)
    return first.start() if first and not second else None


def _members(
    source: Source, position: int, end: int, keys: frozenset[str]
) -> list[tuple[str, int, int]] | None:
    """Key, start and end of each value; None if a key occurs twice."""
    first = _FIRST_KEY.match(source.text, position, end)
    if not first or (keys and first.group(2) not in keys):
        return None
    starts = [first]
    starts += [m for m in _BOUNDARY.finditer(source.text, first.end(), end) if not keys or m.group(2) in keys]
    names = [match.group(2) for match in starts]
    if len(set(names)) < len(names):
        return None
    stops = [match.start() for match in starts[1:]] + [end]
    return [(match.group(2), match.end(), stop) for match, stop in zip(starts, stops, strict=True)]


def _value(source: Source, start: int, stop: int) -> Any:
    text = source.text[start:stop].rstrip()
    inner = Source(text)
    reader = ValueReader(inner, inner.end)
    if _OTHER_READING.match(text):
        raise ReadError("two strings follow each other", start)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and not _ends_escaped(text):
        return reader.unescape(text[1:-1], text[0])
    value, end = reader.value(0)
    if reader.skip(end) != inner.end:
        raise ReadError("something follows the value", start + end)
    return value


def _ends_escaped(text: str) -> bool:
    body = text[:-1]
    return (len(body) - len(body.rstrip("\\"))) % 2 == 1
