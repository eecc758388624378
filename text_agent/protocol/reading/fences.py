"""Fenced blocks: a text that a call lacks, calls that a model fenced, or shown text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.line_syntax import TAUGHT
from text_agent.protocol.reading.reading import Found, Reading
from text_agent.protocol.reading.source import END_TOKEN, FENCE_CLOSER, Source
from text_agent.protocol.types import MalformedCall, ToolCall

FENCE = late_pattern(
    r"(?:[ \t]*+(?:[-*+\u2022]|\d{1,3}[.)])[ \t]++)?"
    r"(?P<indent>[ \t]*+)(?P<fence>`{3,}+|~{3,}+)(?P<info>[^`\n]*+)(?:\n|\Z)"
)
_ONLY_SPACE = late_pattern(r"\s*+\Z")
_BLANK = late_pattern(r"(?:[ \t\r]*+\n)*+")
_REST = late_pattern(rf"[ \t]*+{END_TOKEN}?+[ \t]*+(?:(?://|#)[^\n]*+)?\r?(?:\n|\Z)")
_CLOSER = late_pattern(FENCE_CLOSER, re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fence:
    """A fence: its opening line, and its closing one if there is any."""

    opener: re.Match[str]
    closer: re.Match[str] | None

    @property
    def start(self) -> int:
        """Where the opening line begins."""
        return self.opener.start()

    def closes(self, position: int) -> re.Match[str] | None:
        """The line at `position` as the closing one."""
        match = _CLOSER.match(self.opener.string, position)
        mark = self.opener["fence"]
        return match if match and match[2][0] == mark[0] and len(match[2]) >= len(mark) else None


def is_last(source: Source, opener: re.Match[str]) -> bool:
    """Whether nothing stands behind an opening line: it is a stray mark, or the text goes on later."""
    if not _ONLY_SPACE.match(source.text, opener.end()):
        return False
    source.reached_end = True
    return True


def read_block(
    reading: Reading, call: ToolCall, parameter: str, fence: Fence
) -> tuple[ToolCall | MalformedCall, int]:
    """The call with the fence's text as `parameter`, and where the fence ends; cut if it does not."""
    start, end = call.span[0], reading.source.end
    if fence.closer is None:
        message = "the text ends inside the block of the call"
        return MalformedCall(message, call.name, cut=True, span=(start, end)), end
    text = reading.text[fence.opener.end() : fence.closer.start()]
    line_break = "\r\n" if fence.opener.group().endswith("\r\n") else "\n"
    text = _without_indent(text.removesuffix(line_break), fence.opener["indent"])
    end = fence.closer.end()
    return replace(call, arguments={**call.arguments, parameter: text}, span=(start, end)), end


def _without_indent(text: str, indent: str) -> str:
    """Takes the fence's own indent off all lines, if all have it."""
    lines = text.split("\n")
    if not indent or any(line.strip() and not line.startswith(indent) for line in lines):
        return text
    return "\n".join(line.removeprefix(indent) for line in lines)


def read_call_fence(
    reading: Reading, fence: Fence, read_element: Callable[[Fence, int], Found | None]
) -> Found | None:
    """The calls of a fence that holds nothing else; None if it holds other text, or no call.

    A fence that is never closed ends behind the calls that stand first in it.
    """
    items: list[ToolCall | MalformedCall] = []
    position = _body(fence)
    while True:
        blank = _BLANK.match(reading.text, position)
        position = blank.end() if blank else position
        closer = fence.closes(position)
        if closer or position >= reading.source.end:
            break
        found = _element(reading, fence, position, read_element)
        if found is None:
            if fence.closer is not None or not items:
                return None
            break
        items += found.items
        position = found.end
    if not items:
        return None
    return Found(tuple(items), fence.start, closer.end() if closer else position)


def _body(fence: Fence) -> int:
    """Where the fence's text begins: behind its line, unless the call stands on that line."""
    info = fence.opener.start("info")
    return info if TAUGHT.match(fence.opener.string, info) else fence.opener.end()


def _element(
    reading: Reading, fence: Fence, position: int, read_element: Callable[[Fence, int], Found | None]
) -> Found | None:
    found = read_element(fence, position)
    if found is None or not found.items:
        return None
    rest = _REST.match(reading.text, found.end)
    if rest is None:
        attempt = isinstance(found.items[-1], MalformedCall)
        return found._replace(end=reading.source.next_line(found.end)) if attempt else None
    return _with_block(reading, fence, found, rest.end()) or found._replace(end=rest.end())


def _with_block(reading: Reading, outer: Fence, found: Found, position: int) -> Found | None:
    """The last call with the block that follows it inside its own fence."""
    call = found.items[-1]
    parameter = reading.lacks_block(call) if isinstance(call, ToolCall) else None
    blank = _BLANK.match(reading.text, position)
    opener = FENCE.match(reading.text, blank.end() if blank else position)
    if parameter is None or not isinstance(call, ToolCall) or opener is None or outer.closes(opener.start()):
        return None
    closer = reading.source.fence_closer(opener.end(), opener["fence"], opener["indent"])
    item, end = read_block(reading, call, parameter, Fence(opener, closer))
    return found._replace(items=(*found.items[:-1], item), end=end)
