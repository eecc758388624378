"""Finds every call that a text holds anywhere, for the guards.

Nothing is inert here: a call counts in fences, quotes, comments, thinking, strings and sentences, since
a model that repeats it may leave all of that away, and what stands behind it too. The text is read as it
stands, and in the other forms that `unquoting` makes of it, there only where a form may make a difference.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.reading.candidates import (
    Candidate,
    Kind,
    KnownNames,
    find_candidates,
    may_call_unknown,
    read_candidate,
)
from text_agent.protocol.reading.fences import FENCE, read_block
from text_agent.protocol.reading.forms.json_calls import NAME_MEMBER
from text_agent.protocol.reading.reading import Reading
from text_agent.protocol.reading.source import Source
from text_agent.protocol.reading.unquoting import Variant, variants
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import EDIT_NOTATION, ToolCall

_LINE_END = late_pattern(r"[ \t\r`~*_]*+\n")
_EMPTY_LINES = late_pattern(r"(?:[ \t\r]*+\n)*+")
# A label and the name behind it, up to its bracket.
_LABELLED = late_pattern(r"[\w ]{1,20}[*_`]{0,3}[ \t]{0,9}:[ \t*_`]{0,9}[\w.-]{1,100}+[ \t*`]{0,9}(?=[({])")
# Characters that failed attempts may read together: more than honest text needs, see `Source.limit`.
_FREE_CHARACTERS = 1 << 18
_NAME_REACH = 300
_MAX_CLOSERS = 3
# Characters of a line by which a call in it is known again.
_MAX_REST = 1000
# Characters before a call, and of the next line behind it, that its readers look at.
_BEFORE, _BEHIND = 200, 80
# The first lines of a call, of which one differs where a form may make a difference. A mark stands before all
# of them, an indent need not stand before empty ones.
_FIRST_LINES = {"marks": 2, "indent": 4, "inside": 4, "ends": 4}

# A candidate's kind, and what stands before it and behind it.
_Around = tuple[Kind, str, str]


@dataclass(frozen=True, slots=True)
class Scan:
    """What a foreign text holds."""

    calls: list[ToolCall]  # in the order of the text
    # Tools of which further calls may stand in it, unread: it was made to keep us busy.
    unread: frozenset[str] = frozenset()
    # Where calls begin that stand in it as they are, but for those that begin with a token.
    places: tuple[int, ...] = ()
    is_plain: bool = False  # nothing in it begins like a call


def scan(text: str, tools: ToolDescriptions) -> Scan:
    """Finds every call that the reader would find in any part of a text; never raises."""
    # A copy may go on behind the text, so that nothing is cut by its end.
    text += "\n\n"
    scanner = _Scanner(text, tools)
    scanner.read_text()
    for variant in variants(text, margins=scanner.has_unsettled):
        scanner.read_variant(variant)
    return scanner.result()


@dataclass(slots=True)
class _Unsettled:
    """A candidate whose calls, if there are any, may go on in the next lines."""

    line: int  # its line
    from_end: int  # how far it stands from the line's end: marks before the line do not change that
    kind: Kind  # what it begins with
    is_call: bool  # a call was found there


class _Scanner:
    """Reads one text, and then its other forms.

    A candidate is settled if its calls end in its line: no other margin of the lines changes them.
    """

    def __init__(self, text: str, tools: ToolDescriptions) -> None:
        self._text = text
        self._tools = tools
        self._known = KnownNames(tools)
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._calls: dict[tuple[int, str, str], ToolCall] = {}
        self._unread: set[str] = set()
        self._places: list[int] = []
        self._settled: set[tuple[int, str]] = set()
        self._unsettled: list[_Unsettled] = []
        self._is_plain = True
        self._known_lines: dict[_Around, tuple[int, list[ToolCall], int]] = {}

    @property
    def has_unsettled(self) -> bool:
        """Whether another margin of the lines may make a difference."""
        return bool(self._unsettled)

    def result(self) -> Scan:
        """What was found so far."""
        calls = sorted(self._calls.values(), key=lambda call: call.span)
        return Scan(calls, frozenset(self._unread), tuple(self._places), self._is_plain)

    def read_text(self) -> None:
        """Reads the text as it stands."""
        reading = self._reading(self._text)
        candidates = find_candidates(reading, self._known)
        self._is_plain = not candidates and not may_call_unknown(self._text)
        for candidate in _without_repeated(reading, candidates):
            position = candidate.position
            line, line_end = bisect_right(self._starts, position) - 1, _line_end(reading, position)
            before = self._text[max(0, position - _BEFORE) : position]
            around = candidate.kind, before, self._text[position : line_end + _BEHIND]
            calls, end = self._again(around, position) or self._read(reading, candidate)
            self._add(line, calls)
            if calls and candidate.kind not in ("mark", "hunk"):
                self._places.append(position)
            if calls and end <= line_end <= position + _MAX_REST:
                self._settled.add((line, self._text[position:line_end]))
                self._known_lines.setdefault(around, (position, calls, end))
            else:
                self._unsettled.append(_Unsettled(line, line_end - position, candidate.kind, bool(calls)))

    def _again(self, around: _Around, position: int) -> tuple[list[ToolCall], int] | None:
        """The calls of a candidate among the same characters as one before, whose calls were settled."""
        if around not in self._known_lines:
            return None
        first, calls, end = self._known_lines[around]
        moved = position - first
        return [replace(c, span=(c.span[0] + moved, c.span[1] + moved)) for c in calls], end + moved

    def read_variant(self, variant: Variant) -> None:
        """Reads another form of the text where it may differ."""
        reading = self._reading(variant.text)
        for unsettled, candidate in self._moved(variant):
            calls, _ = self._read(reading, candidate)
            unsettled.is_call = unsettled.is_call or bool(calls)
            self._add_from(variant, calls)
        if variant.kind == "inside":
            for candidate in self._changed(reading, variant):
                self._add_from(variant, self._read(reading, candidate)[0])

    def _add_from(self, variant: Variant, calls: list[ToolCall]) -> None:
        for call in calls:
            self._add(variant.line(call.span[0]), [replace(call, span=variant.original(call.span))])

    def _reading(self, text: str) -> Reading:
        return Reading(Source(text, free=_FREE_CHARACTERS), self._tools, objects={})

    def _moved(self, variant: Variant) -> Iterator[tuple[_Unsettled, Candidate]]:
        """The unsettled candidates of the text in lines that begin differently or stay as they are."""
        for each in self._unsettled:
            position = variant.line_end(each.line) - each.from_end
            # An indent changes the text of a call, but only an edit becomes a call without it.
            is_edit = each.kind in ("edit", "hunk")
            may_differ = not each.is_call if is_edit else each.is_call or variant.kind != "indent"
            # A line that is changed inside is searched anew.
            first = each.line + (variant.kind == "inside")
            if (
                may_differ
                and position >= variant.starts[each.line]
                and variant.differs(first, each.line + _FIRST_LINES[variant.kind])
            ):
                yield each, Candidate(position, each.kind)

    def _changed(self, reading: Reading, variant: Variant) -> Iterator[Candidate]:
        """The candidates in the lines that a form changes inside."""
        for candidate in _without_repeated(reading, find_candidates(reading, self._known, variant.runs())):
            position = candidate.position
            line_end = min(_line_end(reading, position), position + _MAX_REST + 1)
            if (variant.line(position), reading.text[position:line_end]) not in self._settled:
                yield candidate

    def _read(self, reading: Reading, candidate: Candidate) -> tuple[list[ToolCall], int]:
        """The calls that begin at a candidate, alone and with the block behind them, and where they end."""
        source, position = reading.source, candidate.position
        starved = source.limit(position) < source.end
        found = read_candidate(reading, candidate)
        calls: list[ToolCall] = []
        end = position
        for item in found.items if found else ():
            if isinstance(item, ToolCall) and found:
                calls.append(item)
                end = max(end, item.span[1])
                if EDIT_NOTATION not in item.repairs and (parameter := reading.lacks_block(item)):
                    calls += _with_block(reading, item, parameter, found.end)
                    end = source.end
            elif starved and item.name and (tool := reading.tool(item.name)):
                self._unread.add(tool.name)
        if starved and (named := _named_member(reading, position)):
            self._unread.add(named)
        source.charge(position)
        return calls, end

    def _add(self, line: int, calls: Iterable[ToolCall]) -> None:
        for call in calls:
            self._calls.setdefault((line, call.name, repr(call.arguments)), call)


def _line_end(reading: Reading, position: int) -> int:
    """Where the line of a position ends, a carriage return aside."""
    end = reading.source.line_end(position)
    return end - reading.text.endswith("\r", position, end)


def _without_repeated(reading: Reading, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """The candidates without the names that directly follow a label: they belong to it."""
    passed = 0
    for candidate in candidates:
        if candidate.kind == "label" and (name := _LABELLED.match(reading.text, candidate.position)):
            passed = name.end()
        elif candidate.position < passed:
            continue
        yield candidate


def _named_member(reading: Reading, position: int) -> str | None:
    """The known tool that an object names which begins at `position`."""
    if reading.text[position] not in "{[":
        return None
    name = NAME_MEMBER.search(reading.text, position, position + _NAME_REACH)
    tool = reading.tool(name[1]) if name else None
    return tool.name if tool else None


def _with_block(reading: Reading, call: ToolCall, parameter: str, end: int) -> Iterator[ToolCall]:
    """The call again, with the fenced block that follows it, or that follows the end of its own fence."""
    opener = _fence_below(reading.text, past(_LINE_END, reading.text, end))
    for _ in range(2):
        if opener is None:
            return
        item, _ = read_block(reading, call, parameter, opener)
        if isinstance(item, ToolCall):
            yield item
        yield from _with_parts(reading, call, parameter, opener)
        opener = None if opener["info"].strip() else _fence_below(reading.text, opener.end())


def _with_parts(
    reading: Reading, call: ToolCall, parameter: str, opener: re.Match[str]
) -> Iterator[ToolCall]:
    """The call with the blocks that end at the first lines that may close one.

    Which of them does depends on what follows, and that may be left away.
    """
    start, limit = call.span[0], reading.source.limit(call.span[0])
    lines = reading.source.fences.lines
    behind = range(bisect_right(lines, opener.end(), key=lambda line: line.start), len(lines))
    closers = (lines[index] for index in behind if lines[index].bare)
    within = itertools.takewhile(lambda line: line.end <= limit, closers)
    for line in itertools.islice(within, _MAX_CLOSERS):
        reading.source.reach(line.end)
        part = Reading(Source(reading.text[start : line.end]), reading.tools)
        begin = FENCE.match(part.text, opener.start() - start)
        item = read_block(part, call, parameter, begin)[0] if begin else None
        if isinstance(item, ToolCall):
            yield replace(item, span=(start, line.end))


def _fence_below(text: str, position: int) -> re.Match[str] | None:
    return FENCE.match(text, past(_EMPTY_LINES, text, position))
