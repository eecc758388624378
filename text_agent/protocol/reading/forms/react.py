"""Calls in the form of ReAct: `Action: NAME`, then `Action Input:` with an object or a text."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import MARKUP
from text_agent.protocol.reading.forms.json_calls import arguments_of, only_text
from text_agent.protocol.reading.line_syntax import FENCE_END, NAME, read_arguments
from text_agent.protocol.reading.reading import Found, Reading, clean_name
from text_agent.protocol.reading.source import ReadError
from text_agent.protocol.reading.values import ValueReader
from text_agent.protocol.signatures import is_required
from text_agent.protocol.types import ToolCall

_NUMBER = r"(?:[ \t]\d{1,3})?"
_ACTION = rf"[ \t]*+{MARKUP}action{_NUMBER}{MARKUP}[ \t]*+:{MARKUP}[ \t]*+"
_INPUT = rf"{MARKUP}action[ _]input{_NUMBER}{MARKUP}[ \t]*+:{MARKUP}[ \t]*+"
ACTION = late_pattern(
    rf"{_ACTION}(?:tool:[ \t]*+)?{NAME}(?:\(\))?{MARKUP}[ \t\r]*+\n\s*+"
    rf"{_INPUT}(?P<gap>\s*+(?:```\w*+[ \t\r]*+\n\s*+|`(?=\{{))?)",
    re.IGNORECASE,
)
ACTION_CALL = late_pattern(rf"{_ACTION}{NAME}(?=[({{])", re.IGNORECASE)


def read_action_call(reading: Reading, match: re.Match[str]) -> Found | None:
    """`Action: NAME(...)`, of a known tool."""
    name = clean_name(match.group("name"))
    try:
        arguments = read_arguments(reading, name, match.end())
    except ReadError as error:
        malformed = reading.malformed(name, match.start(), error)
        return Found((malformed,), match.start(), malformed.span[1])
    call = ToolCall(name, arguments.values, (match.start(), arguments.end), ("Action", *arguments.repairs))
    return Found((call,), match.start(), arguments.end)


def read_action(reading: Reading, match: re.Match[str]) -> Found | None:
    """`Action:` with an `Action Input:` that is an object, or the text of the only argument."""
    name, start, position = clean_name(match.group("name")), match.start(), match.end()
    reader = ValueReader(reading.source, reading.source.limit(position))
    fenced = "```" in match.group("gap")
    if reader.peek(position) != "{":
        return _read_action_text(reading, match, name)
    try:
        written, end = reader.object_at(position)
    except ReadError as error:
        malformed = reading.malformed(name, start, error)
        return Found((malformed,), start, malformed.span[1])
    if fenced and (closer := FENCE_END.match(reading.text, end)):
        end = closer.end()
    arguments = arguments_of(reading, name, written, reader) or {}
    return Found((ToolCall(name, arguments, (start, end), ("Action", *reader.repairs)),), start, end)


def _read_action_text(reading: Reading, match: re.Match[str], name: str) -> Found | None:
    tool, start = reading.tool(name), match.start()
    if tool is None:
        return None
    end = match.start("gap")
    if "\n" not in match.group("gap"):
        end = reading.source.line_end(match.end())
    text = reading.text[match.end() : end].strip()
    cut = end == reading.source.end
    reader = ValueReader(reading.source, reading.source.end)
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        text = reader.unescape(text[1:-1], text[0])
    parameters = tool.signature.parameters
    nothing = text in ("", "None", "null", "{}") and not any(map(is_required, parameters.values()))
    values = {} if nothing else only_text(parameters, text, reader) if text else None
    if values is not None and not cut:
        return Found((ToolCall(name, values, (start, end), ("Action", *reader.repairs)),), start, end)
    error = ReadError("the action's input is no object", match.end(), cut=cut)
    return Found((reading.malformed(name, start, error),), start, end)
