"""Line ranges as models give them, for a tool that takes a first and a last line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.binding.aliases import fold_name
from text_agent.protocol.tool import ToolDescription

_RANGE_NAMES = frozenset({"lines", "linerange", "range", "viewrange", "readrange"})
_COUNT_NAMES = frozenset({"limit", "count", "linecount", "numlines", "maxlines"})
_RANGE_TEXT = late_pattern(r"\s*(\d{1,9})\s*[-:,]\s*(\d{1,9})\s*")


def split_line_range(arguments: Mapping[str, Any], tool: ToolDescription) -> Mapping[str, Any]:
    """Replaces `lines: [10, 20]` by a start and an end, and `limit: 5` by the end it leads to.

    Whatever is not clearly a range, or contradicts a start or end beside it, stays as it is.
    """
    if tool.words.lines is None or tool.words.lines[1] in arguments:
        return arguments
    first, last = tool.words.lines
    for name, value in arguments.items():
        folded, others = fold_name(name), {key: arguments[key] for key in arguments if key != name}
        if name in tool.properties:
            continue
        if folded in _RANGE_NAMES and first not in arguments and (pair := _pair(value)):
            # -1 is how some trained tools say "to the last line".
            return {**others, first: pair[0]} | ({} if pair[1] == -1 else {last: pair[1]})
        if folded in _COUNT_NAMES and _is_count(value) and _is_count(start := arguments.get(first, 1)):
            return {**others, first: start, last: start + value - 1}
    return arguments


def _pair(value: Any) -> tuple[int, int] | None:
    if isinstance(value, str) and (match := _RANGE_TEXT.fullmatch(value)):
        return int(match[1]), int(match[2])
    if isinstance(value, list) and len(value) == 2 and all(type(item) is int for item in value):
        return value[0], value[1]
    return None


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0
