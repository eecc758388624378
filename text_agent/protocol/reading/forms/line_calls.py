"""Calls that begin a line: which of the forms it is; and a line `tool: NAME` without parentheses.

The arguments of that stand below it, or there are none.
"""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.binding.bind import binds
from text_agent.protocol.markers import MARKUP
from text_agent.protocol.reading.forms.json_calls import arguments_of
from text_agent.protocol.reading.forms.react import ACTION, ACTION_CALL, read_action, read_action_call
from text_agent.protocol.reading.forms.taught import NAMELESS, read_nameless, read_taught
from text_agent.protocol.reading.line_syntax import (
    BULLET,
    FENCE_END,
    NAME,
    ONE_LINE,
    PREFIX,
    SPACED,
    TAUGHT,
    read_arguments,
)
from text_agent.protocol.reading.reading import Found, Reading, taught_form
from text_agent.protocol.reading.source import ReadError, Source
from text_agent.protocol.reading.values import ValueReader
from text_agent.protocol.types import ToolCall

_LINE_FIRST = late_pattern(rf"{BULLET}{MARKUP}(?:tool|action)", re.IGNORECASE)
_NAME_ONLY = late_pattern(rf"{PREFIX}{NAME}[ \t*_`]*+\r?(?:\n|\Z)", re.IGNORECASE)
_NO_BRACKET = late_pattern(
    rf"{PREFIX}{NAME}[ \t]++(?=[\"']|[^\W\d]\w*+[ \t]*+=[ \t]*+[\"'\d\[{{])", re.IGNORECASE
)
_LABEL = r"(?:[*_`]{0,3}(?:arguments|args|parameters|params|input)[*_`]{0,3}[ \t]*+:[*_`]{0,3}[ \t]*+)?"
_OBJECT_BELOW = late_pattern(
    rf"(?:[ \t\r]*+\n){{0,2}}+[ \t]*+{_LABEL}\s*+(?:```(?:json)?[ \t\r]*+\n\s*+)?(?=\{{)", re.IGNORECASE
)
_FENCE_BELOW = late_pattern(r"\s*+(?:`{3}|~{3})")
_NO_BULLET = late_pattern(rf"[ \t]*+{MARKUP}tool", re.IGNORECASE)
_YAML_BELOW = late_pattern(r"[ \t]++[\w-]++:[ \t\n]|[ \t]*+[\w-]++:[ \t]")


def read_line_call(reading: Reading, position: int) -> Found | None:
    """The call that begins at `position`, at the start of a line or behind another call."""
    if not _LINE_FIRST.match(reading.text, position):
        return None
    if match := TAUGHT.match(reading.text, position):
        return read_taught(reading, match)
    if (match := SPACED.match(reading.text, position)) and reading.tool(match["name"]):
        return read_taught(reading, match)
    if match := NAMELESS.match(reading.text, position):
        return read_nameless(reading, match)
    if (match := _NAME_ONLY.match(reading.text, position)) or (
        match := _NO_BRACKET.match(reading.text, position)
    ):
        return _read_name_only(reading, match)
    if match := ACTION.match(reading.text, position):
        return read_action(reading, match)
    match = ACTION_CALL.match(reading.text, position)
    return read_action_call(reading, match) if match and reading.tool(reading.called(match["name"])) else None


def _read_name_only(reading: Reading, match: re.Match[str]) -> Found | None:
    """A name without arguments on its line: they may stand below, or be none."""
    name = reading.called(match.group("name"))
    tool = reading.tool(name)
    if tool is None:
        return None
    name_only = match.re.pattern == _NAME_ONLY.pattern
    below = match.end() - match.group().endswith("\n")
    if name_only and (found := _read_object_below(reading, match, name, below)):
        return found
    if name_only and _listed(reading, match):
        return None
    start, end = match.start(), match.end() if match.re.pattern == _NO_BRACKET.pattern else below
    call = ToolCall(name, {}, (start, end), ("no arguments",))
    fence_below = _FENCE_BELOW.match(reading.text, below)
    only_block = bool(fence_below) and len(tool.required) == 1 and reading.lacks_block(call) is not None
    # A name at the very end may be the beginning of a longer one, or of a call.
    ended = name in reading.tools and below < reading.source.end
    if name_only and ended and (not tool.required or only_block):
        return Found((call,), start, end)
    what = "arguments" if name_only else "parentheses"
    error = ReadError(f"the {what} are missing", end)
    line = ONE_LINE.match(reading.text, end)
    suggestion = _bracketless(reading, name, line.group() if line else "")
    if name_only and not tool.required:
        suggestion = taught_form(name, {})
    return reading.failed(name, start, error, max(end, reading.source.line_end(end - 1)), suggestion)


def _bracketless(reading: Reading, name: str, rest: str) -> str | None:
    """The corrected call for arguments that stand behind the name without parentheses."""
    inner = Reading(Source(f"({rest.strip()})"), reading.tools)
    try:
        values = read_arguments(inner, name, 0).values
    except ReadError:
        return None
    return taught_form(name, values) if rest.strip() and values else None


def _listed(reading: Reading, match: re.Match[str]) -> bool:
    """Whether the line is one of a list or of a mapping, such as YAML."""
    bulleted = not _NO_BULLET.match(match.group())
    return bulleted or bool(_YAML_BELOW.match(reading.text, match.end()))


def _read_object_below(reading: Reading, match: re.Match[str], name: str, below: int) -> Found | None:
    opener = _OBJECT_BELOW.match(reading.text, below)
    if opener is None:
        return None
    reader = ValueReader(reading.source, reading.source.limit(below))
    try:
        written, end = reader.object_at(opener.end())
    except ReadError:
        return None
    arguments = arguments_of(reading, name, written, reader)
    if arguments is None or not binds(name, arguments, reading.tools):
        return None
    if "```" in opener.group():
        end = past(FENCE_END, reading.text, end)
    call = ToolCall(name, arguments, (match.start(), end), ("arguments below the name", *reader.repairs))
    return Found((call,), match.start(), end)
