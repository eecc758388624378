"""Finds every call that a text holds anywhere, for the echo guard.

Nothing is inert here: a call counts in fences, quotes, comments, thinking, strings and sentences, since
a model that repeats it may leave all of that away. The text is read as it stands, then without the
marks that quote its lines, then with its escapes undone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from text_agent.messages import ToolCall
from text_agent.protocol.bare_calls import read_bare
from text_agent.protocol.description import ToolDescriptions
from text_agent.protocol.dialects import MARK, read_dialect
from text_agent.protocol.fences import FENCE, Fence, read_block
from text_agent.protocol.json_calls import BEGINS_CALL, read_objects
from text_agent.protocol.line_calls import read_line_call
from text_agent.protocol.reading import Found, Reading
from text_agent.protocol.source import Source

_LINE_MARKS = re.compile(
    r"^(?:[ \t]*+(?:[>#*|;+%-]++|//++|\d{1,7}[ \t]*+[|:.)]|\d{1,7}\t|\$ ))++[ \t]?", re.MULTILINE
)
_ESCAPE = re.compile(r"\\(?:[\\\"'/]|[nrt])")
_ESCAPED = {"\\n": "\n", "\\r": "\r", "\\t": "\t"}
_BLANK = re.compile(r"[ \t\r`*_]*+\n(?:[ \t\r]*+\n)*+")


def scan_calls(text: str, tools: ToolDescriptions) -> list[ToolCall]:
    """Every call that the reader would find in any part of `text`; never raises.

    Args:
        text: a foreign text, as it is.
        tools: the tools that exist, by name.
    """
    line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
    found: dict[tuple[str, str, int], ToolCall] = {}
    for variant in _variants(text):
        for call in _scan(variant.text, tools):
            placed = replace(call, span=variant.original(call.span))
            line = bisect_right(line_starts, placed.span[0])
            found.setdefault((call.name, repr(call.arguments), line), placed)
    return sorted(found.values(), key=lambda call: call.span)


@dataclass(frozen=True, slots=True)
class _Variant:
    """A text, and where each of its lines comes from; no lines if it is the original."""

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


def _variants(text: str) -> Iterator[_Variant]:
    yield _Variant(text)
    lines = text.split("\n")
    if _LINE_MARKS.search(text):
        yield _variant(lines, [_LINE_MARKS.sub("", line, count=1) for line in lines])
    if '\\"' in text or "\\n" in text:
        yield _variant(lines, [_ESCAPE.sub(_unescape, line) for line in lines])


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPED.get(match.group(), match.group()[1])


def _variant(lines: list[str], changed: list[str]) -> _Variant:
    starts, original_starts, at, original_at = [], [], 0, 0
    for line, new in zip(lines, changed, strict=True):
        starts.append(at)
        original_starts.append(original_at)
        at += len(new) + 1
        original_at += len(line) + 1
    return _Variant("\n".join(changed), tuple(starts), (*original_starts, original_at - 1))


def _scan(text: str, tools: ToolDescriptions) -> Iterator[ToolCall]:
    reading = Reading(Source(text), tools)
    names = "|".join(sorted(map(re.escape, tools), key=len, reverse=True)) or r"(?!)"
    candidate = re.compile(
        rf"\btool[*_`]{{0,3}}[ \t]{{0,9}}:|\b(?:{names})\b[ \t`]{{0,9}}\r?\n?[ \t]{{0,9}}[({{]"
        rf"|\[?\s{{0,9}}{BEGINS_CALL.pattern}|\bAction[*_]{{0,3}}[ \t]{{0,9}}:|{MARK.pattern}",
        re.IGNORECASE,
    )
    for match in candidate.finditer(text):
        for found in _read_at(reading, match.start()):
            for item in found.items:
                if isinstance(item, ToolCall):
                    yield item
                    yield from _with_block(reading, item, found.end)
        reading.source.charge(match.start())


def _read_at(reading: Reading, position: int) -> Iterator[Found]:
    if reading.text[position] in "{[":
        yield read_objects(reading, position, weak=True)
    found = (
        read_line_call(reading, position),
        read_dialect(reading, position),
        read_bare(reading, position, anywhere=True),
    )
    yield from (one for one in found if one)


def _with_block(reading: Reading, call: ToolCall, end: int) -> Iterator[ToolCall]:
    """The call again, with the fenced block that follows it."""
    parameter = reading.lacks_block(call)
    blank = _BLANK.match(reading.text, end)
    opener = FENCE.match(reading.text, blank.end() if blank else end)
    if parameter and opener:
        closer = reading.source.fence_closer(opener.end(), opener["fence"], opener["indent"])
        item, _ = read_block(reading, call, parameter, Fence(opener, closer))
        if isinstance(item, ToolCall):
            yield item
