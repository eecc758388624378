"""Finds every call that a text holds anywhere, for the echo guard.

Nothing is inert here: a call counts in fences, quotes, comments, thinking, strings and sentences, since
a model that repeats it may leave all of that away, and what stands behind it too. The text is read as it
stands, and in the other forms that `unquoting` makes of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import COLON, SPACE
from text_agent.protocol.reading.fences import FENCE, read_block
from text_agent.protocol.reading.forms.bare import read_bare
from text_agent.protocol.reading.forms.dialects import MARK, read_dialect
from text_agent.protocol.reading.forms.json_calls import BEGINS_CALL, NAME_MEMBER, read_objects
from text_agent.protocol.reading.forms.line_calls import read_line_call
from text_agent.protocol.reading.parser import parse_source
from text_agent.protocol.reading.reading import Found, Reading
from text_agent.protocol.reading.source import Source
from text_agent.protocol.reading.unquoting import variants
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ToolCall

_LINE_END = late_pattern(r"[ \t\r`~*_]*+\n")
_EMPTY_LINES = late_pattern(r"(?:[ \t\r]*+\n)*+")


# Characters that failed attempts may read together: more than honest text needs, see `Source.limit`.
_FREE_CHARACTERS = 1 << 18
_NAME_REACH = 300


@dataclass(frozen=True, slots=True)
class Scan:
    """What a foreign text holds.

    Attributes:
        calls: in the order of the text.
        unread: tools of which further calls may stand in it, unread: it was made to keep us busy.
    """

    calls: list[ToolCall]
    unread: frozenset[str] = frozenset()


def scan_calls(text: str, tools: ToolDescriptions) -> list[ToolCall]:
    """Every call that the reader would find in any part of `text`; never raises."""
    return scan(text, tools).calls


def scan(text: str, tools: ToolDescriptions) -> Scan:
    """As `scan_calls`, with the tools of which calls may have been missed.

    Args:
        text: a foreign text, as it is.
        tools: the tools that exist, by name.
    """
    line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
    found: dict[tuple[str, str, int], ToolCall] = {}
    unread: set[str] = set()
    for variant in variants(text):
        for item in _scan(variant.text, tools):
            if isinstance(item, str):
                unread.add(item)
                continue
            placed = replace(item, span=variant.original(item.span))
            line = bisect_right(line_starts, placed.span[0])
            found.setdefault((item.name, repr(item.arguments), line), placed)
    return Scan(sorted(found.values(), key=lambda call: call.span), frozenset(unread))


def _scan(text: str, tools: ToolDescriptions) -> Iterator[ToolCall | str]:
    """The calls of a text; the names of tools that stand where the reader may read no further."""
    yield from (item for item in parse_source(Source(text), tools).calls if isinstance(item, ToolCall))
    source = Source(text, free=_FREE_CHARACTERS)
    reading = Reading(source, tools, objects={})
    for match in _candidates(tools).finditer(text):
        position, starved = match.start(), source.limit(match.start()) < source.end
        for found in _read_at(reading, position):
            for item in found.items:
                if isinstance(item, ToolCall):
                    yield item
                    yield from _with_block(reading, item, found.end)
                elif starved and item.name and (tool := reading.tool(item.name)):
                    yield tool.name
        if starved and (named := _named_member(reading, position)):
            yield named
        source.charge(position)


def _candidates(tools: ToolDescriptions) -> re.Pattern[str]:
    """Where a call of any form may begin."""
    names = "|".join(sorted(map(re.escape, tools), key=len, reverse=True)) or r"(?!)"
    return re.compile(
        rf"\btool(?:[ _]?calls?)?[*_`]{{0,3}}{SPACE}{COLON}"
        r"|\bAction(?:[ \t]\d{1,3})?[*_]{0,3}[ \t]{0,9}:"
        rf"|\b(?:{names})\b(?=(?::\d{{1,6}})?[*`]{{0,3}}[ \t`]{{0,9}}\r?\n?[ \t]{{0,9}}[({{])"
        r"|\b[^\W\d]\w*+(?=[ \t*`]{0,9}\(?\s{0,9}\{\s{0,9}[\"'\w])"
        rf"|(?:\[\s{{0,9}})?{BEGINS_CALL.pattern}|{MARK.pattern}",
        re.IGNORECASE,
    )


def _named_member(reading: Reading, position: int) -> str | None:
    """The known tool that an object names which begins at `position`."""
    if reading.text[position] not in "{[":
        return None
    name = NAME_MEMBER.search(reading.text, position, position + _NAME_REACH)
    tool = reading.tool(name[1]) if name else None
    return tool.name if tool else None


def _read_at(reading: Reading, position: int) -> Iterator[Found]:
    first = reading.text[position]
    if first in "{[":
        yield read_objects(reading, position, weak=True)
    readers = _READERS.get(first, (read_line_call, read_dialect, read_bare))
    yield from (found for reader in readers if (found := reader(reading, position)))


# Which forms begin with a mark; the others begin with a name.
_READERS: Mapping[str, tuple[Callable[[Reading, int], Found | None], ...]] = MappingProxyType(
    {"{": (), "[": (read_dialect, read_bare), "<": (read_dialect,)}
)


def _with_block(reading: Reading, call: ToolCall, end: int) -> Iterator[ToolCall]:
    """The call again, with the fenced block that follows it, or that follows the end of its own fence."""
    parameter = reading.lacks_block(call)
    blank = _LINE_END.match(reading.text, end)
    opener = _fence_below(reading.text, blank.end() if blank else end)
    for _ in range(2):
        if parameter is None or opener is None:
            return
        item, _ = read_block(reading, call, parameter, opener)
        if isinstance(item, ToolCall):
            yield item
        opener = None if opener["info"].strip() else _fence_below(reading.text, opener.end())


def _fence_below(text: str, position: int) -> re.Match[str] | None:
    blank = _EMPTY_LINES.match(text, position)
    return FENCE.match(text, blank.end() if blank else position)
