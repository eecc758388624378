"""Where a call that could not be read ends, and the next one of the same framing begins.

Several calls stand in an array, on lines, behind separators or behind openers of their own. If one of them is
broken, the next one is known by its head: the member that names it, its opener, its prefix, or its name and a
bracket. A head counts only if the text before it is closed, so that the head is not part of a string there:
its quotes come in pairs, or its brackets do and one of them ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import CALLED, COLON, MARKUP, SPACE, closers, openers
from text_agent.protocol.reading.inner_quotes import recover_members
from text_agent.protocol.reading.reading import Found, Reading
from text_agent.protocol.reading.source import ReadError

NAME_KEYS = ("name", "tool_name", "tool", "function_name", "function", "action", "recipient_name")
ARGUMENT_KEYS = (
    "arguments", "parameters", "args", "action_input", "input", "tool_input", "tool_args",
    "tool_arguments", "kwargs", "params",
)  # fmt: skip
_NAMES, _ARGUMENTS = "|".join(NAME_KEYS), "|".join(ARGUMENT_KEYS)
_MARKER = f"{openers('container', 'element')}|{closers('container', 'element')}"
_WORD_MARKER = f"(?:{openers('container', 'element')})"
# Heads that begin with a sign, with a word, and with a line: looked for apart, as that is faster.
_HEADS = (
    late_pattern(
        rf"""(?=[^\w\s])(?:(?P<object>\{{\s*+["'](?:{_NAMES})["']\s*+:\s*+["']?(?P<member>[\w./:-]{{1,128}})["']?"""
        rf"""(?P<whole>\s*+,\s*+["'](?:{_ARGUMENTS})["']\s*+:)?)"""
        rf"""|(?P<other>\{{\s*+["'](?:type|id|index|call_id|tool_call_id|function|tool_call|{_ARGUMENTS})["']\s*+:)"""
        rf"""|(?P<marker>{_MARKER}))"""
    ),
    late_pattern(
        rf"""\b(?:(?P<python>(?:print\(\s*+)?{CALLED}[ \t]*+\((?=\s*+(?:[^\W\d]\w*+\s*+=|["'){{])))"""
        rf"""|(?P<taught>(?i:tool){MARKUP}{SPACE}{COLON}{MARKUP}{SPACE}{CALLED}[ \t]*+[({{])"""
        rf"""|(?P<marker>(?=[\w]){_WORD_MARKER}))"""
    ),
    late_pattern(
        rf"^(?P<react>[ \t]*+{MARKUP}(?i:action)(?:[ \t]\d{{1,3}})?{MARKUP}[ \t]*+:{MARKUP}[ \t]*+{CALLED})",
        re.MULTILINE,
    ),
)
# The name behind the tokens of a call.
_NAME_BEHIND = late_pattern(
    r"\s*+(?:function\s*+<[^<>\n]{1,20}+>\s*+)?(?:functions?\.)?(?P<name>[^\W\d][\w./:-]*?)(?::\d{1,6})?"
    r"\s*+(?:<[^<>\n]{1,40}+>\s*+|\[ARGS\]|```(?:json)?\s*+){0,3}+\{"
)
_CALLED_NAME = late_pattern(rf"({CALLED})[ \t]*+[({{]?\Z")
_SEPARATORS = " \t\r\n\f\v,;&"
_SEPARATING_WORD = late_pattern(r"\b(?:and|then)\Z", re.IGNORECASE)
_CLOSED_BEFORE = frozenset(")}]>")
_MARKS = late_pattern(r"\\.|[\"(){}\n]", re.DOTALL)
# Further heads than these behind one broken call are not looked at.
_MAX_HEADS = 64


class Sibling(NamedTuple):
    """The head of a call."""

    position: int  # where it begins
    name: str | None  # of its tool, where the head tells it
    end: int  # of the text before it, without what separates the two


def next_sibling(reading: Reading, start: int, limit: int) -> Sibling | None:
    """The next call behind the one that begins at `start`, or the end of the framing; None without."""
    for sibling, closed in _heads(reading, start, limit):
        if closed:
            return sibling
    return None


def inner_call(reading: Reading, start: int, limit: int) -> int:
    """Where the first call begins inside the one at `start`, be it in a string; `limit` if none does.

    A string with such a text may have been cut before it: it has not exactly one end.
    """
    for match in reading.source.matches(_HEADS, start + 1, limit):
        name = _name(reading, match)
        is_member = match.lastgroup == "object" and name is not None and reading.tool(name) is not None
        end = _end_before(reading.text, start, match.start())
        if is_member or (match.lastgroup != "other" and _is_head(reading, match, end)):
            return match.start()
    return limit


def recover_arguments(reading: Reading, start: int, end: int, keys: frozenset[str]) -> dict[str, Any] | None:
    """The members of the object from its `{` to its `}`, in whose strings quotes are not escaped.

    None if they have not exactly one reading, as where another call begins among them.
    """
    if inner_call(reading, start, end) < end:
        return None
    return recover_members(reading.source, start, end, keys)


def lost(
    reading: Reading, name: str | None, start: int, error: ReadError, stop: int, sibling: Sibling | None
) -> Found:
    """The attempt that begins at `start` and cannot be read, up to its next sibling.

    Without one its end is not clear, so that the calls that may stand in its text are lost with it.
    """
    if sibling:
        at = min(error.position, sibling.end)
        message = "a string is not closed before the next call" if error.cut else error.message
        return Found((reading.malformed(name, start, ReadError(message, at)),), start, sibling.position)
    behind = list(_further(reading, name, start, stop))
    others = [
        reading.malformed(
            head.name, head.position, ReadError("the call before it has no clear end", head.position)
        )
        for head in behind
    ]
    malformed = reading.malformed(name, start, error)
    return Found((malformed, *others), start, max(malformed.span[1], stop))


def _further(reading: Reading, name: str | None, start: int, stop: int) -> Iterator[Sibling]:
    """The heads with a name behind a call that cannot be read, each once, though it has several tokens."""
    last, place = name, start
    for head, _ in _heads(reading, start, stop):
        if head.name and (head.name != last or "{" in reading.text[place : head.position]):
            yield head
        last, place = head.name or last, head.position


def _heads(reading: Reading, start: int, limit: int) -> Iterator[tuple[Sibling, bool]]:
    """The heads behind the beginning of a call, each with whether the text between the two is closed."""
    count = _Count()
    counted, found = start, 0
    for match in reading.source.matches(_HEADS, start + 1, limit):
        if found == _MAX_HEADS:
            return
        found += 1
        reading.source.reach(match.end())
        end = _end_before(reading.text, start, match.start())
        if not _is_head(reading, match, end):
            continue
        count.add(reading.text, counted, end)
        counted = max(counted, end)
        yield Sibling(match.start(), _name(reading, match), end), count.is_closed(reading.text[end - 1])
    reading.source.reach(limit)
    reading.source.reached_end |= limit == reading.source.end


def _end_before(text: str, start: int, position: int) -> int:
    """Where the text before a head ends, without separators."""
    before = text[max(start, position - 200) : position]
    left = before.rstrip(_SEPARATORS)
    while word := _SEPARATING_WORD.search(left, max(len(left) - 5, 0)):
        left = left[: word.start()].rstrip(_SEPARATORS)
    return position - len(before) + len(left)


def _is_head(reading: Reading, match: re.Match[str], end: int) -> bool:
    """Whether what looks like a head can begin a call: by its name, and by what stands before it."""
    kind = match.lastgroup
    if kind in ("marker", "react"):
        return True
    separated = reading.text[end : match.start()].strip(" \t") or reading.text[end - 1] in _CLOSED_BEFORE
    name = _name(reading, match)
    known = name is not None and reading.tool(name) is not None
    if kind == "object":
        return bool(separated) and (known or match["whole"] is not None)
    return bool(separated) and (known or kind in ("taught", "other"))


def _name(reading: Reading, match: re.Match[str]) -> str | None:
    if match.lastgroup == "object":
        return reading.called(match["member"])
    if match.lastgroup == "marker":
        behind = _NAME_BEHIND.match(match.string, match.end())
        return reading.called(behind["name"]) if behind else None
    called = _CALLED_NAME.search(match.group()) if match.lastgroup in ("python", "taught", "react") else None
    return reading.called(called[1]) if called else None


class _Count:
    """Counts the quotes and brackets of a growing text."""

    def __init__(self) -> None:
        self._quotes = self._open = self._lines = 0

    def add(self, text: str, start: int, end: int) -> None:
        """Goes on with the text from `start` to `end`."""
        for match in _MARKS.finditer(text, start, max(start, end)):
            mark = match.group()
            self._quotes += mark == '"'
            self._open += (mark in "({") - (mark in ")}")

    def is_closed(self, last: str) -> bool:
        """Whether no string is open behind the text, whose last character is `last`."""
        return self._quotes % 2 == 0 or (self._open <= 0 and last in _CLOSED_BEFORE)
