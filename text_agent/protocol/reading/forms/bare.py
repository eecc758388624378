"""Calls without any prefix, and calls in Python's syntax.

bare     = NAME arguments                  a known tool that fits, and nothing else on the line
python   = NAME "(" items ")" | "[" python { "," python } "]" | "print(" python ")"
"""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.binding.bind import binds
from text_agent.protocol.markers import CALLED, MARKUP
from text_agent.protocol.reading.arguments import WITHOUT_NAMES
from text_agent.protocol.reading.forms.json_calls import BEGINS_CALL, read_objects
from text_agent.protocol.reading.line_syntax import BULLET, LINE_REST, read_arguments
from text_agent.protocol.reading.reading import FENCE_BELOW, Found, Reading
from text_agent.protocol.reading.siblings import lost, next_sibling
from text_agent.protocol.reading.source import ReadError
from text_agent.protocol.types import MalformedCall, ToolCall

_BARE = late_pattern(
    rf"{BULLET}{MARKUP}(?:tool_code\s{{0,9}}(?=print\())?(?:print\([ \t]*+)?(?:default_api\.|functions\.)?"
    rf"(?P<name>{CALLED})(?::\d{{1,6}})?[*`]{{0,3}}[ \t]*+(?=[({{])"
)
_BARE_BELOW = late_pattern(rf"[ \t]*+(?P<name>{CALLED})[ \t]*+\r?\n[ \t]*+(?=\{{)")
_BARE_OBJECT = late_pattern(rf"[ \t]*+(?=(?:\[\s*+)?{BEGINS_CALL.pattern})")
_BARE_LIST = late_pattern(rf"[ \t]*+(?=\[\s*+(?:print\()?{CALLED}[ \t]*+\()")
PYTHON_NAME = late_pattern(rf"\s*+(?P<print>print\([ \t]*+)?(?P<name>{CALLED})[ \t]*+(?=\()")
_PYTHON_NEXT = late_pattern(rf"[ \t]*+[\n,;][\s,;]*+(?!tool_results?\b)(?=(?:print\()?{CALLED}[ \t]*+\()")
_BEGINS_OBJECT = late_pattern(r"\(?\s*+\{\s*+[\"']\w")
# A name that sentences hold, too.
_WORD = late_pattern(r"[^\W\d_][^\W\d_A-Z]*")
_LIST_END = late_pattern(r"[\s,]*+\]")
_PRINT_END = late_pattern(r"[ \t]*+\)")
_EXTRA_CLOSERS = late_pattern(r"[)}\]]{1,3}")


def read_bare(reading: Reading, position: int) -> Found | None:
    """A call without any prefix: a known tool with fitting arguments, and nothing else on the line."""
    text = reading.text
    if match := _BARE.match(text, position) or _BARE_BELOW.match(text, position):
        known = match["name"] in reading.tools or (reading.anywhere and _is_alias(reading, match))
        return _read_bare_call(reading, match) if known else None
    begin = _BARE_OBJECT.match(text, position)
    if begin:
        found = read_objects(reading, begin.end(), weak=True)
        end = past(_EXTRA_CLOSERS, text, found.end)
        return found._replace(end=end) if found.items and LINE_REST.match(text, end) else None
    begin = _BARE_LIST.match(text, position)
    return _known_only(reading, read_python_calls(reading, begin)) if begin else None


def _is_alias(reading: Reading, match: re.Match[str]) -> bool:
    return reading.tool(match["name"]) is not None and bool(_BEGINS_OBJECT.match(reading.text, match.end()))


def _known_only(reading: Reading, found: Found) -> Found | None:
    items = tuple(item for item in found.items if reading.is_known(item) and not _is_prose(item))
    return found._replace(items=items) if items else None


def _is_prose(item: ToolCall | MalformedCall, *, apart: bool = False) -> bool:
    """Whether it may be a word of a sentence, as in `read (2)`: it is given neither a name nor a text.

    `item`: what was read. `apart`: a blank stands before its bracket.
    """
    if not isinstance(item, ToolCall) or not _WORD.fullmatch(item.name):
        return False
    has_names = item.arguments and WITHOUT_NAMES not in item.repairs
    has_texts = item.arguments and all(isinstance(value, str) for value in item.arguments.values())
    return not has_names and (apart or not has_texts)


def _read_bare_call(reading: Reading, match: re.Match[str]) -> Found | None:
    name = match.group("name")
    try:
        arguments = read_arguments(reading, name, match.end(), words=False)
    except ReadError as error:
        return _failed_bare(reading, match, error)
    if not reading.anywhere and not LINE_REST.match(reading.text, arguments.end):
        return None
    call = ToolCall(name, arguments.values, (match.start(), arguments.end), ("no prefix", *arguments.repairs))
    if _is_prose(call, apart=match.group().endswith((" ", "\t"))):
        return None
    parameter = reading.lacks_block(call)
    complete = {**arguments.values, parameter: ""} if parameter else arguments.values
    fence = FENCE_BELOW.match(reading.text, arguments.end)
    if not binds(name, complete, reading.tools) or (parameter and not fence):
        return None
    return Found((call,), match.start(), arguments.end)


def _failed_bare(reading: Reading, match: re.Match[str], error: ReadError) -> Found | None:
    """An attempt only if it begins with the arguments' object: anything else may be a sentence."""
    if not _BEGINS_OBJECT.match(reading.text, match.end()):
        return None
    found = reading.failed(match["name"], match.start(), error)
    return found._replace(end=max(found.end, match.end()))


def read_python_calls(reading: Reading, match: re.Match[str]) -> Found:
    """Calls in Python's syntax from the start of `match`: in a list, or one after another."""
    start = position = match.end() if match.re.pattern == _BARE_LIST.pattern else match.start()
    bracket = reading.text.startswith("[", position)
    position += bracket
    items: list[ToolCall | MalformedCall] = []
    head = PYTHON_NAME.match(reading.text, position)
    while head:
        found = _read_python_call(reading, head)
        if items and not bracket and not reading.is_plausible(found.items):
            break
        items += found.items
        position = found.end
        following = past(_PYTHON_NEXT, reading.text, position)
        goes_on = following > position or isinstance(items[-1], MalformedCall)
        head = PYTHON_NAME.match(reading.text, following) if goes_on else None
    return Found(tuple(items), start, past(_LIST_END, reading.text, position) if bracket else position)


def _read_python_call(reading: Reading, head: re.Match[str]) -> Found:
    name, start = reading.called(head.group("name")), head.start("name")
    try:
        arguments = read_arguments(reading, name, head.end(), words=False)
    except ReadError as error:
        sibling = next_sibling(reading, start, reading.source.limit(start))
        return lost(reading, name, start, error, max(error.position, head.end()), sibling)
    end = past(_PRINT_END, reading.text, arguments.end) if head["print"] else arguments.end
    call = ToolCall(name, arguments.values, (start, end), ("Python call", *arguments.repairs))
    return Found((call,), start, end)
