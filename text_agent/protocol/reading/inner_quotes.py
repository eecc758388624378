"""Recovers arguments whose strings hold quotes that should have been escaped.

`{"command": "rg "class Dune" lib"}` has one reading only if it is known where each value ends: in front
of a `", "key":` boundary with one of the tool's own keys, or of the closing `})`. If any of these
occurs twice, or the end does, the text is ambiguous and nothing is recovered. Keyword arguments,
`(command="rg "class Dune" lib")`, are read in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import KEY
from text_agent.protocol.reading.source import ReadError, Source
from text_agent.protocol.reading.values import ValueReader

# A whole string and then another: a sum, a missing comma or name, as well as unescaped quotes.
_OTHER_READING = late_pattern(
    r"""(["'])(?:(?!\1)[^\\])*+\1(?:\s*+(?:\+|%(?=[\s(\[{])|\.\w++\()|\s*+,\s*+["']|\s++["'])"""
)

# Within these the first key is complete.
_FIRST_CHARACTERS = 200
_TRIPLES = ('"""', "'''")


class _Form(NamedTuple):
    """How members are written: the first key, each further one, the end of them all, and its bracket."""

    first: re.Pattern[str]
    further: re.Pattern[str]
    end: re.Pattern[str]
    closer: str


_KEY = rf"""(?P<quote>["'])(?P<key>{KEY})(?P=quote)\s*+:\s*+"""
_KEYWORD = rf"(?P<key>{KEY})[ \t]*+=[ \t]*+"
_LINE_END = r"[)}\] \t`*;\r]*+(?:(?://|#)[^\n]*+)?$"
OBJECT = _Form(
    late_pattern(rf"\{{\s*+{_KEY}"),
    late_pattern(rf",\s*+{_KEY}"),
    late_pattern(rf"\}}[ \t]*+\){_LINE_END}", re.MULTILINE),
    "}",
)
KEYWORDS = _Form(
    late_pattern(rf"\(\s*+{_KEYWORD}(?=[\"'])"),
    late_pattern(rf",\s*+{_KEYWORD}"),
    late_pattern(rf"(?<=[\"'\w\]\s]),?\s?\){_LINE_END}", re.MULTILINE),
    ")",
)


def recover(
    source: Source, position: int, limit: Callable[[], int], keys: frozenset[str], form: _Form
) -> tuple[dict[str, Any], int] | None:
    """The members behind the bracket at `position`, and where they end; None without exactly one reading.

    Args:
        source: the reply.
        position: where the bracket stands.
        limit: finds where the next attempt begins; they end before.
        keys: the tool's own keys; empty for an unknown tool, of whose object any key is taken.
        form: `OBJECT`, or `KEYWORDS`.
    """
    if (form is KEYWORDS and not keys) or not _begins(source, position, keys, form):
        return None
    end = _only_end(source, position, limit(), form)
    if end is None:
        return None
    after = source.text.index(form.closer, end) + 1
    # A bracket inside a string that was cut looks like the end.
    whole = source.text[position:after] if form is KEYWORDS else ""
    if whole.count("(") != whole.count(")"):
        return None
    values = recover_members(source, position, end, keys, form)
    return None if values is None else (values, after)


def _begins(source: Source, position: int, keys: frozenset[str], form: _Form) -> bool:
    """Whether the first member is one of the tool's: only then its end is looked for."""
    if source.end - position < _FIRST_CHARACTERS:
        source.reached_end = True
    first = form.first.match(source.text, position)
    return first is not None and (not keys or first["key"] in keys)


def _only_end(source: Source, position: int, limit: int, form: _Form) -> int | None:
    if limit == source.end:
        source.reached_end = True
    ends = form.end.finditer(source.text, position, limit)
    first, second = next(ends, None), next(ends, None)
    source.reach(second.start() if second else limit)
    return first.start() if first and not second else None


def recover_members(
    source: Source, position: int, end: int, keys: frozenset[str], form: _Form = OBJECT
) -> dict[str, Any] | None:
    """The members from the bracket at `position` to `end`, of an object by default; None if ambiguous."""
    first = form.first.match(source.text, position, end)
    if not first or (keys and first["key"] not in keys):
        return None
    further = form.further.finditer(source.text, first.end(), end)
    starts = [first, *(match for match in further if not keys or match["key"] in keys)]
    if len({match["key"] for match in starts}) < len(starts):
        return None
    stops = [match.start() for match in starts[1:]] + [end]
    try:
        return {
            match["key"]: _value(source, match.end(), stop) for match, stop in zip(starts, stops, strict=True)
        }
    except ReadError:
        return None


def _value(source: Source, start: int, stop: int) -> Any:
    text = source.text[start:stop].rstrip()
    inner = Source(text)
    reader = ValueReader(inner, inner.end)
    if _OTHER_READING.match(text):
        raise ReadError("two strings follow each other", start)
    if text.startswith(_TRIPLES):
        # Only the outermost ones delimit: a text with a docstring holds such quotes itself.
        if len(text) < 6 or not text.endswith(text[:3]) or _ends_escaped(text):
            raise ReadError("triple quotes are not closed", start)
        return reader.unescape(text[3:-3], text[0])
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and not _ends_escaped(text):
        return reader.unescape(text[1:-1], text[0])
    value, end = reader.value(0)
    if reader.skip(end) != inner.end:
        raise ReadError("something follows the value", start + end)
    return value


def _ends_escaped(text: str) -> bool:
    body = text[:-1]
    return (len(body) - len(body.rstrip("\\"))) % 2 == 1
