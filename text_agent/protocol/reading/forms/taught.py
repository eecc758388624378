"""Calls in the taught form, `tool: NAME({...})`, and attempts at one."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.binding.bind import binds
from text_agent.protocol.reading.arguments import Arguments, only_text
from text_agent.protocol.reading.forms.json_calls import read_objects
from text_agent.protocol.reading.line_syntax import LINE_REST, NEXT_ATTEMPT, ONE_LINE, PREFIX, read_arguments
from text_agent.protocol.reading.reading import Found, Reading, begins_line, taught_form
from text_agent.protocol.reading.siblings import lost, next_sibling
from text_agent.protocol.reading.source import ReadError
from text_agent.protocol.reading.values import ValueReader
from text_agent.protocol.types import ToolCall

NAMELESS = late_pattern(rf"{PREFIX}(?=[({{])", re.IGNORECASE)
_QUOTE = late_pattern(r"(?<!\\)\"")
_PLAIN = late_pattern(r"[ \t]*tool: [\w.-]+")
_BEGINS_ARGUMENTS = late_pattern(r"[({]\s*+(?:[{\"'\[\u201c)]|\w++\s*+=|\Z)")
_CLOSE_MARKUP = late_pattern(r"[ \t]*+[*_`]{1,3}")
_BELONGS_TO_CALL = late_pattern(r"""["'`{}()\[\]=]""")
_SENTENCE_REST = late_pattern(r"(?:[ \t]++|[ \t]*+[-:=>\u2013\u2014\u2192]++[ \t]*+)[^\W\d_]")


def read_taught(reading: Reading, match: re.Match[str]) -> Found | None:
    """A call in the taught form; None if it is part of a sentence, or about something else."""
    name = reading.called(match.group("name"))
    tool = reading.tool(name)
    if tool is None and match.group("label"):
        return None
    name = tool.name if tool and " " in name else name
    try:
        arguments = read_arguments(reading, name, match.end())
    except ReadError as error:
        return _failed_taught(reading, match, name, error)
    end = arguments.end
    if "`" in match.group("open"):
        closing = _CLOSE_MARKUP.match(reading.text, end)
        if closing and _SENTENCE_REST.match(reading.text, closing.end()):
            return None
    end = past(LINE_REST, reading.text, end)
    call = ToolCall(name, arguments.values, (match.start(), end), _repairs(match, arguments))
    return Found((call,), match.start(), end)


def _repairs(match: re.Match[str], arguments: Arguments) -> tuple[str, ...]:
    plain = _PLAIN.fullmatch(match.group())
    return arguments.repairs if plain else ("markup around the call", *arguments.repairs)


def _failed_taught(reading: Reading, match: re.Match[str], name: str, error: ReadError) -> Found | None:
    opens_like_call = _BEGINS_ARGUMENTS.match(reading.text, match.end())
    if reading.tool(name) is None and not opens_like_call:
        return None
    if reading.anywhere:  # nobody is told of it, and what stands in it is read by itself
        found = reading.failed(name, match.start(), error)
        return found._replace(end=max(found.end, match.end()))
    following = reading.source.search(NEXT_ATTEMPT, match.end())
    line = ONE_LINE.match(reading.text, match.end())
    if beside := next_sibling(reading, match.end(), line.end() if line else match.end()):
        return lost(reading, name, match.start(), error, beside.position, beside)
    runs_on = following is not None and _runs_on(reading.text, match.end(), following.start())
    if following and not (error.cut and runs_on) and (runs_on or following.start() < error.position):
        error = ReadError("a string is not closed before the next call", following.start())
        if runs_on:
            return reading.failed(name, match.start(), error, reading.source.end)
    goes_on = _goes_on(reading, error.position, following)
    suggestion = None if goes_on else _suggestion(reading, name, line.group() if line else "", error)
    found = reading.failed(name, match.start(), error, suggestion=suggestion)
    return found._replace(end=max(found.end, match.end()))


def _runs_on(text: str, start: int, end: int) -> bool:
    """Whether a string of a broken call is still open at `end`, so that what follows may belong to it.

    A call that closes its bracket on its own line has only forgotten the quote.
    """
    region = text[start:end].rstrip()
    one_line = "\n" not in region and region.endswith((")", "}", "]", ";"))
    return len(_QUOTE.findall(region)) % 2 == 1 and not one_line


def _goes_on(reading: Reading, position: int, following: re.Match[str] | None) -> bool:
    """Whether the text behind an error, up to the next attempt, may belong to an argument.

    A model writes what is suggested, and would write a text without its end.
    """
    if not begins_line(reading.text, position):
        return False
    end = following.start() if following else reading.source.end
    found = _BELONGS_TO_CALL.search(reading.text, position, end)
    reading.source.reached_end |= found is None and following is None
    return found is not None


def _suggestion(reading: Reading, name: str, rest: str, error: ReadError) -> str | None:
    """The call in the taught form, if only quotes or brackets are missing."""
    tool = reading.tool(name)
    if tool is None or error.cut:
        return None
    if error.partial and begins_line(reading.text, error.position):
        complete = not reading.missing(ToolCall(name, error.partial))
        return taught_form(name, error.partial) if complete else None
    text = rest.rstrip().removeprefix("(").removesuffix(")").strip()
    if not text or any(mark in text for mark in "\"'{}=`"):
        return None
    values = only_text(tool, text, ValueReader(reading.source, 0))
    return taught_form(name, values) if values else None


def read_nameless(reading: Reading, match: re.Match[str]) -> Found | None:
    """`tool:` and arguments: a call if the object names its tool, an attempt if any tool takes them."""
    position = match.end()
    if reading.text.startswith("{", position):
        found = read_objects(reading, position, weak=True)
        if found.items:
            return found._replace(start=match.start())
    try:
        values, end, _ = read_arguments(reading, "", position)
    except ReadError:
        return None
    if not values:
        return None
    fitting = [name for name in reading.tools if binds(name, values, reading.tools)]
    if not fitting and reading.text.startswith("{", position):
        return None
    suggestion = taught_form(fitting[0], values) if len(fitting) == 1 else None
    error = ReadError("the name of the tool is missing", match.start())
    return reading.failed(None, match.start(), error, end, suggestion)
