"""Fenced blocks: a text that a call lacks, calls that a model fenced, or shown text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.markers import END_TOKEN
from text_agent.protocol.reading.fence_lines import Closing, FenceLine, is_markdown
from text_agent.protocol.reading.forms.bare import PYTHON_NAME, read_bare, read_python_calls
from text_agent.protocol.reading.forms.dialects import read_dialect
from text_agent.protocol.reading.forms.line_calls import read_line_call
from text_agent.protocol.reading.line_syntax import NEXT_ATTEMPT, TAUGHT
from text_agent.protocol.reading.reading import Found, Reading, begins_line
from text_agent.protocol.reading.source import Source
from text_agent.protocol.types import MalformedCall, ToolCall

FENCE = late_pattern(
    r"(?:[ \t]*+(?:[-*+\u2022]|\d{1,3}[.)])[ \t]++)?"
    r"(?P<indent>[ \t]*+)(?P<fence>`{3,}+|~{3,}+)(?P<info>[^`\n]*+)(?:\n|\Z)"
)
_ONLY_SPACE = late_pattern(r"\s*+\Z")
_INDENT = late_pattern(r"[ \t]*+")
_BLANK = late_pattern(r"(?:[ \t\r]*+\n)*+")
# A text goes on below a fence that only seems to close it; an answer leaves a line free, or calls.
_TEXT_BELOW = late_pattern(
    rf"\n(?![ \t\r]*+(?:\n|\Z|`{{3}}|~{{3}})|{NEXT_ATTEMPT.pattern})", NEXT_ATTEMPT.flags
)
_REST = late_pattern(rf"[ \t]*+{END_TOKEN}?+[ \t]*+(?:(?://|#)[^\n]*+)?\r?(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fence of a reply: its opening line, and the lines that may close it."""

    source: Source
    opener: re.Match[str]
    column: int
    closing: Closing

    @property
    def start(self) -> int:
        """Where the opening line begins."""
        return self.opener.start()

    @property
    def text(self) -> str:
        """What stands inside; empty if it is not closed."""
        line = self.closing.line
        return self.source.text[self.opener.end() : line.start] if line else ""

    @property
    def end(self) -> int:
        """Where its closing line ends; the end of the reply without one."""
        line = self.closing.last or self.closing.line
        return line.end if line else self.source.end

    @property
    def is_last(self) -> bool:
        """Whether nothing stands behind it."""
        line = self.closing.line
        if line and self.source.text[line.end :].strip():
            return False
        self.source.reached_end = True
        return True

    def closes(self, position: int) -> FenceLine | None:
        """The line at `position` as the closing one."""
        line = self.source.fences.at(position)
        return line if line and line.bare and line.marks.startswith(self.opener["fence"]) else None


def find_fence(
    reading: Reading, opener: re.Match[str], *, call: ToolCall | None = None, outer: int = 0
) -> Fence:
    """The fence that begins with `opener`.

    `call`: the call whose text it is; without one, the fence shows a text. `outer`: how many fences around it
    are still open.
    """
    source = reading.source
    at = opener.start("fence")
    line_start = source.text.rfind("\n", 0, at) + 1
    column = len(source.text[line_start:at].expandtabs(4))
    line = FenceLine(line_start, opener.end(), column, opener["fence"], opener["info"], bare=False)
    names = [value for value in call.arguments.values() if isinstance(value, str)] if call else []
    markdown = is_markdown(opener["info"], names)

    def may_go_on(first: FenceLine) -> bool:
        goes_on = markdown or (call is not None and bool(_TEXT_BELOW.match(source.text, first.end)))
        source.reached_end |= goes_on or first.end == source.end
        return goes_on

    closing = source.fences.closing(
        line,
        may_go_on=may_go_on,
        begins_block=lambda other: _begins_block(reading, other),
        outer=outer,
        shown=call is None,
    )
    source.reached_end |= closing.line is None
    return Fence(source, opener, column, closing)


def _begins_block(reading: Reading, line: FenceLine) -> bool:
    """Whether the line stands directly below a call that lacks its text."""
    above = _line_above(reading.text, line.start)
    found = read_line_call(reading, above) or read_dialect(reading, above)
    call = found.items[-1] if found and found.items else None
    ends_above = found is not None and _BLANK.fullmatch(
        reading.text, reading.source.next_line(found.end), line.start
    )
    return bool(ends_above) and reading.lacks_block(call) is not None


def _line_above(text: str, position: int) -> int:
    """The start of the line above `position`, without blank lines; the text's if there is none."""
    start = position
    while start > 0 and not text[start:position].strip():
        start = text.rfind("\n", 0, start - 1) + 1
    return start


def is_last(source: Source, opener: re.Match[str]) -> bool:
    """Whether nothing stands behind an opening line: it is a stray mark, or the text goes on later."""
    if not _ONLY_SPACE.match(source.text, opener.end()):
        return False
    source.reached_end = True
    return True


def read_block(
    reading: Reading, call: ToolCall, parameter: str, opener: re.Match[str], *, outer: int = 0
) -> tuple[ToolCall | MalformedCall, int]:
    """The call with the text of the fence at `opener` as `parameter`, and where the fence ends.

    A fence that is never closed makes the call a cut one; one that may end at several lines, a malformed one.
    """
    fence = find_fence(reading, opener, call=call, outer=outer)
    start, (line, last) = call.span[0], fence.closing
    if line is None:
        end = reading.source.end
        message = "the text ends inside the block of the call"
        return MalformedCall(message, call.name, cut=True, span=(start, end)), end
    if last is not None:
        message = _ambiguity(fence, line, last)
        return MalformedCall(message, call.name, span=(start, last.end)), last.end
    text = reading.text[opener.end() : line.start]
    line_break = "\r\n" if opener.group().endswith("\r\n") else "\n"
    text = _without_indent(text.removesuffix(line_break), opener["indent"])
    return replace(call, arguments={**call.arguments, parameter: text}, span=(start, line.end)), line.end


def _ambiguity(fence: Fence, line: FenceLine, last: FenceLine) -> str:
    text, begin = fence.opener.string, fence.opener.end()
    first, other = (text.count("\n", begin, each.start) for each in (line, last))
    longer = fence.opener["fence"] + fence.opener["fence"][0]
    return (
        f"the text of the call holds fences itself, so that it may end behind its line {first} or {other}: "
        f"put a longer fence, {longer}, above and below the whole text"
    )


def _without_indent(text: str, indent: str) -> str:
    """Takes the fence's own indent off all lines, if all have it."""
    lines = text.split("\n")
    if not indent or any(line.strip() and not line.startswith(indent) for line in lines):
        return text
    return "\n".join(line.removeprefix(indent) for line in lines)


def read_call_fence(reading: Reading, fence: Fence) -> Found | None:
    """The calls of a fence that holds nothing else; None if it holds other text, or no call.

    A fence that is never closed ends behind the calls that stand first in it.
    """
    items: list[ToolCall | MalformedCall] = []
    position = _body(fence)
    while True:
        position = past(_BLANK, reading.text, position)
        closer = fence.closes(position)
        if closer or position >= reading.source.end:
            break
        found = _element(reading, fence, position)
        if found is None:
            if fence.closing.line is not None or not items:
                return None
            break
        items += found.items
        position = found.end
    if not items:
        return None
    return Found(tuple(items), fence.start, closer.end if closer else position)


def _body(fence: Fence) -> int:
    """Where the fence's text begins: behind its line, unless the call stands on that line."""
    info = fence.opener.start("info")
    return info if TAUGHT.match(fence.opener.string, info) else fence.opener.end()


def _element(reading: Reading, fence: Fence, position: int) -> Found | None:
    """A call, or an attempt, that is a line of the fence."""
    found = _call_at(reading, fence, position)
    if found is None or not found.items:
        return None
    source, rest = reading.source, _REST.match(reading.text, found.end)
    if rest is None:
        if not isinstance(found.items[-1], MalformedCall):
            return None
        return (
            found if begins_line(reading.text, found.end) else found._replace(end=source.next_line(found.end))
        )
    return _with_block(reading, fence, found, rest.end()) or found._replace(end=rest.end())


def _call_at(reading: Reading, fence: Fence, position: int) -> Found | None:
    """A call, or an attempt, at the start of a line in a fence."""
    is_python = fence.opener["info"].strip() == "tool_code"
    python = PYTHON_NAME.match(reading.text, position) if is_python else None
    if python and python["name"] != "print":
        return read_python_calls(reading, python)
    return (
        read_line_call(reading, position)
        or read_bare(reading, position)
        or read_dialect(reading, past(_INDENT, reading.text, position))
    )


def _with_block(reading: Reading, outer: Fence, found: Found, position: int) -> Found | None:
    """The last call with the block that follows it inside its own fence."""
    call = found.items[-1]
    parameter = reading.lacks_block(call)
    opener = FENCE.match(reading.text, past(_BLANK, reading.text, position))
    if parameter is None or not isinstance(call, ToolCall) or opener is None or outer.closes(opener.start()):
        return None
    item, end = read_block(reading, call, parameter, opener, outer=1)
    return found._replace(items=(*found.items[:-1], item), end=end)
