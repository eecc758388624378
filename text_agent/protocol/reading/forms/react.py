"""Calls in the form of ReAct: `Action: NAME`, then `Action Input:` with an object or a text."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import MARKUP
from text_agent.protocol.reading.arguments import only_text
from text_agent.protocol.reading.forms.json_calls import read_object_call
from text_agent.protocol.reading.line_syntax import FENCE_END, NAME, NEXT_ATTEMPT, read_arguments
from text_agent.protocol.reading.reading import Found, Reading
from text_agent.protocol.reading.source import ReadError
from text_agent.protocol.reading.values import ValueReader
from text_agent.protocol.tool import ToolDescription
from text_agent.protocol.types import ToolCall

_NUMBER = r"(?:[ \t]\d{1,3})?"
_ACTION = rf"[ \t]*+{MARKUP}action{_NUMBER}{MARKUP}[ \t]*+:{MARKUP}[ \t]*+"
_INPUT = rf"{MARKUP}action[ _]input{_NUMBER}{MARKUP}[ \t]*+:{MARKUP}[ \t]*+"
ACTION = late_pattern(
    rf"{_ACTION}(?:tool:[ \t]*+)?{NAME}(?:\(\))?{MARKUP}[ \t\r]*+\n\s*+"
    rf"(?P<input>{_INPUT})(?P<gap>\s*+(?:```\w*+[ \t\r]*+\n\s*+|`(?=\{{))?)",
    re.IGNORECASE,
)
ACTION_CALL = late_pattern(rf"{_ACTION}{NAME}(?=[({{])", re.IGNORECASE)

_NEXT_ROUND = late_pattern(
    rf"^(?:[ \t]*+{MARKUP}(?:observation|thought|action|final answer){_NUMBER}{MARKUP}[ \t]*+:"
    rf"|obs(?:e(?:r(?:v(?:a(?:t(?:i(?:on?)?)?)?)?)?)?)?\s*\Z|{NEXT_ATTEMPT.pattern})",
    re.IGNORECASE | re.MULTILINE,
)
# Lines of a foreign text that may be its only ones.
_PARTS_MAX = 32
_NOTHING = frozenset({"", "None", "null", "{}"})
_FENCED = late_pattern(r"(?P<marks>`{3,})[^`\n]*\n(?P<inside>(?:(?!```)[\s\S])*?)\n?[ \t]*(?P=marks)")
_QUOTED = late_pattern(r"(?P<quote>[\"'`])(?P<inside>(?:\\.|(?!(?P=quote))[^\\])+)(?P=quote)", re.DOTALL)


def read_action_call(reading: Reading, match: re.Match[str]) -> Found | None:
    """`Action: NAME(...)`, of a known tool."""
    name = reading.called(match.group("name"))
    try:
        arguments = read_arguments(reading, name, match.end())
    except ReadError as error:
        return reading.failed(name, match.start(), error)
    call = ToolCall(name, arguments.values, (match.start(), arguments.end), ("Action", *arguments.repairs))
    return Found((call,), match.start(), arguments.end)


def read_action(reading: Reading, match: re.Match[str]) -> Found | None:
    """`Action:` with an `Action Input:` that is an object, or the text of the only argument."""
    name, position = reading.called(match["name"]), match.end()
    reader = ValueReader(reading.source, reading.source.limit(position))
    if reader.peek(position) != "{":
        return _read_action_text(reading, match, name)
    reader.repair("Action")
    closer = FENCE_END if "```" in match["gap"] else None
    return read_object_call(reading, name, match.start(), position, reader, closer)


def _read_action_text(reading: Reading, match: re.Match[str], name: str) -> Found | None:
    """An input that is a text: all up to the next round, or to the end of the reply."""
    tool, start, begin = reading.tool(name), match.start(), match.end("input")
    if tool is None:
        return None
    following = reading.source.search(_NEXT_ROUND, begin)
    end = following.start() if following else reading.source.end
    reading.source.reached_end |= following is None
    written = reading.text[begin:end].strip()
    reader = ValueReader(reading.source, reading.source.end)
    end = begin + len(reading.text[begin:end].rstrip())
    ending = () if following else ("missing end",)
    calls = [
        ToolCall(name, values, (start, end), ("Action", *reader.repairs, *ending))
        for text in _texts(reading, written)
        if (values := _values(tool, text, reader)) is not None
    ]
    if not calls:
        error = ReadError("the action's input is no object", begin)
        return reading.failed(name, start, error, max(begin, end))
    return Found(tuple(calls), start, end)


def _texts(reading: Reading, written: str) -> list[str]:
    """What may be the input: any beginning of a foreign text, as whoever repeats it may cut it short."""
    lines = written.split("\n") if reading.anywhere else []
    counts = range(min(len(lines), _PARTS_MAX + 1))
    return [written, *("\n".join(lines[:count]).strip() for count in counts)]


def _values(tool: ToolDescription, written: str, reader: ValueReader) -> dict[str, str] | None:
    """The arguments that an input stands for; None if it stands for none."""
    text = _unwrapped(written, reader)
    if text in _NOTHING:
        return None if tool.required else {}
    return None if text is None else only_text(tool, text, reader)


def _unwrapped(text: str, reader: ValueReader) -> str | None:
    """A text without the fence or the quotes around the whole of it; None if its fence is not closed."""
    if fence := _FENCED.fullmatch(text):
        return fence["inside"].removesuffix("\n")
    if text.startswith("```"):
        return None
    quoted = _QUOTED.fullmatch(text)
    return reader.unescape(quoted["inside"], quoted["quote"]) if quoted else text
