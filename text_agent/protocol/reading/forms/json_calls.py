# ruff: noqa: RUF001 - the tokens of some models are made of such characters
"""Calls that are written as JSON objects: `{"name": ..., "arguments": {...}}` and its relatives.

The name stands under `name`, `tool`, `tool_name`, `function`, `action` or `recipient_name`; the arguments
under `arguments`, `parameters`, `args`, `action_input` and the like, as an object or as its JSON text.
Objects may be wrapped in `tool_calls`, `tool_call`, `function_call` or `function`, and stand in arrays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.binding.bind import binds
from text_agent.protocol.reading.arguments import decode_object, normalise, only_text
from text_agent.protocol.reading.reading import FENCE_BELOW, Found, Reading, begins_line
from text_agent.protocol.reading.siblings import (
    ARGUMENT_KEYS,
    NAME_KEYS,
    lost,
    next_sibling,
    recover_arguments,
)
from text_agent.protocol.reading.source import ReadError
from text_agent.protocol.reading.values import ValueReader
from text_agent.protocol.types import MalformedCall, ToolCall

WRAPPER_KEYS = ("tool_calls", "tool_call", "function_call", "function_calls", "tool_uses", "function")
FIRST_KEYS = frozenset({
    *NAME_KEYS, *ARGUMENT_KEYS, *WRAPPER_KEYS,
    "type", "id", "tool_call_id", "thought", "role", "content", "index", "call_id",
})  # fmt: skip

BEGINS_CALL = late_pattern(rf"""\{{\s*+["'“]?(?:{"|".join(sorted(FIRST_KEYS, key=len, reverse=True))})\b""")
NAME_MEMBER = late_pattern(
    rf"""["'](?:{"|".join(NAME_KEYS)})["']\s{{0,9}}:\s{{0,9}}["']([\w./:-]{{1,128}})["']"""
)
_LAST_CLOSERS = late_pattern(r"\}[\s\]};,)]*+\Z")
_ENDS = late_pattern(r"\}\s*+\}[\s\]};,]*+\Z")
_CLOSES_LINE = late_pattern(r"\}[ \t\]};,)]*+$", re.MULTILINE)
_ENDS_LINE = late_pattern(r"\}[ \t]*+\}[ \t\]};,]*+$", re.MULTILINE)
_BETWEEN = late_pattern(r"(?:[\s,;]++|\\n)*+")
TERMINATOR = late_pattern(
    r"</[^<>\s]{1,60}>|<[|｜][^<>\s|｜\"][^<>|｜\n]{0,60}[|｜]>|\[/?TOOL_\w+\]|<end_function_call>|<tool_call\|>|```"
)
# How much of a broken object is searched for the name that it was to have.
_NAME_REACH = 4000


class JsonCall(NamedTuple):
    """A call as it stands in a JSON value, with its arguments as written."""

    name: str
    arguments: Any


def read_objects(reading: Reading, position: int, *, limit: int | None = None, weak: bool = False) -> Found:
    """The calls of the objects, or the array of them, that begin with the bracket at `position`.

    One broken object does not lose its siblings. `limit`: how far to read, the end of the text by default.
    `weak`: nothing else says that these are calls: only known names with fitting arguments count.
    """
    start, text = position, reading.text
    stop = reading.source.limit(position) if limit is None else limit
    array = text.startswith("[", position)
    position += array
    items: list[ToolCall | MalformedCall] = []
    while True:
        following = past(_BETWEEN, text, position, stop)
        if not text.startswith("{", following) or following >= stop:
            break
        found = _read_object(reading, following, stop, weak=weak)
        # What names nothing is no call, but perhaps what the one before it gave.
        if not (array or found.items or NAME_MEMBER.search(text, following, found.end)):
            break
        items += found.items
        position = found.end
        if reading.anywhere and not array:
            break
    if array and text.startswith("]", following):
        position = following + 1
    return Found(tuple(items), start, position)


def _read_object(reading: Reading, position: int, limit: int, *, weak: bool) -> Found:
    keys = FIRST_KEYS.union(*(tool.properties for tool in reading.tools.values()))
    reader = ValueReader(reading.source, limit, keys=keys, terminator=TERMINATOR, read=reading.objects)
    try:
        value, end = reader.object_at(position)
    except ReadError as error:
        found = _recovered(reading, position, limit, error, reader, weak=weak)
        return found._replace(items=tuple(filter(reading.is_known, found.items))) if weak else found
    end = _before_space(reading.text, end)
    if weak and not _fits(reading, value, reader, end):
        return Found((), position, end)
    try:
        items: tuple[ToolCall | MalformedCall, ...] = tuple(_calls(reading, value, (position, end), reader))
    except ReadError as error:
        name = value.get("name")
        items = (reading.malformed(name if isinstance(name, str) else None, position, error),)
    return Found(tuple(filter(reading.is_known, items)) if weak else items, position, end)


def _before_space(text: str, position: int) -> int:
    while text[position - 1].isspace():
        position -= 1
    return position


def _fits(reading: Reading, value: Any, reader: ValueReader, end: int) -> bool:
    """Whether a call of a value gives arguments, and could be run, perhaps with the block behind it."""
    block = FENCE_BELOW.match(reading.text, end) is not None
    return any(_fits_one(reading, call, reader, block=block) for call in calls_in(value))


def _fits_one(reading: Reading, call: JsonCall, reader: ValueReader, *, block: bool) -> bool:
    name = reading.called(call.name)
    arguments = None if call.arguments is None else arguments_of(reading, name, call.arguments, reader)
    if arguments is None:
        return False
    parameter = reading.lacks_block(ToolCall(name, arguments)) if block else None
    return binds(name, {**arguments, parameter: ""} if parameter else arguments, reading.tools)


def _calls(
    reading: Reading, value: dict[str, Any], span: tuple[int, int], reader: ValueReader
) -> Iterator[ToolCall | MalformedCall]:
    calls = list(calls_in(value)) or list(_named_by_key(reading, value))
    if not calls:
        raise ReadError("the object names no tool", span[0])
    for name, written in calls:
        clean = reading.called(name)
        arguments = arguments_of(reading, clean, written, reader)
        if arguments is None:
            malformed = reading.malformed(clean, span[0], ReadError("the arguments are no object", span[0]))
            yield replace(malformed, span=span)
        else:
            yield ToolCall(clean, arguments, span, tuple(reader.repairs))


def _named_by_key(reading: Reading, value: Mapping[str, Any]) -> Iterator[JsonCall]:
    """`{"NAME": {...}}`, of a known tool."""
    for name, written in value.items() if len(value) == 1 else ():
        if isinstance(written, dict) and reading.tool(name):
            yield JsonCall(name, written)


def calls_in(value: Any) -> Iterator[JsonCall]:
    """The calls that a JSON value holds, whether or not such tools exist."""
    for element in value if isinstance(value, list) else ():
        yield from calls_in(element)
    if not isinstance(value, dict):
        return
    for key in WRAPPER_KEYS:
        if isinstance(value.get(key), dict | list):
            yield from calls_in(value[key])
            return
    if name := next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str)), None):
        yield JsonCall(name, _written_arguments(value))


def _written_arguments(value: Mapping[str, Any]) -> Any:
    for key in ARGUMENT_KEYS:
        if key in value:
            return value[key]
    other = {key: member for key, member in value.items() if key not in FIRST_KEYS or key in ("content",)}
    return other or None


def arguments_of(reading: Reading, name: str, written: Any, reader: ValueReader) -> dict[str, Any] | None:
    """The arguments object that `written` stands for; None if it stands for none."""
    tool = reading.tool(name)
    if written is None or written == "":
        return {}
    if isinstance(written, dict):
        return normalise(name, written, tool, reader)
    decoded = decode_object(written)
    if decoded is not None:
        reader.repair("arguments as a JSON string")
        return normalise(name, decoded, tool, reader)
    if isinstance(written, str) and tool:
        return only_text(tool, written, reader)
    return None


def read_object_call(
    reading: Reading,
    name: str,
    start: int,
    position: int,
    reader: ValueReader,
    closer: re.Pattern[str] | None = None,
) -> Found:
    """The call of `name` from `start` on whose arguments are the object that `reader` reads at `position`.

    What `closer` matches behind the object belongs to the call. Quotes that are not escaped are told by the
    tool's keys, if the reader knows them.
    """
    try:
        written, end = reader.object_at(position)
    except ReadError as error:
        return _recovered_arguments(reading, name, start, position, error, reader.keys)
    end = past(closer, reading.text, end) if closer else end
    arguments = arguments_of(reading, name, written, reader) or {}
    return Found((ToolCall(name, arguments, (start, end), tuple(reader.repairs)),), start, end)


def _recovered_arguments(
    reading: Reading, name: str, start: int, position: int, error: ReadError, keys: frozenset[str]
) -> Found:
    limit = reading.source.limit(start)
    sibling = next_sibling(reading, position, limit)
    end = _line_end(reading, _CLOSES_LINE, position, sibling.end if sibling else limit)
    closer = _LAST_CLOSERS.search(reading.text, max(position, end - 200), end) if keys else None
    if closer and (values := recover_arguments(reading, position, closer.start(), keys)):
        call = ToolCall(name, values, (start, end), ("unescaped quotes",))
        return Found((call,), start, sibling.position if sibling else end)
    stop = reading.source.end if error.cut else max(error.position, position + 1)
    return lost(reading, name, start, error, stop, sibling)


def _recovered(
    reading: Reading, position: int, limit: int, error: ReadError, reader: ValueReader, *, weak: bool
) -> Found:
    """What can be read of an object that is no JSON, without guessing, up to its next sibling."""
    partial = error.partial or {}
    complete = any(isinstance(partial.get(key), dict) for key in ARGUMENT_KEYS) and any(calls_in(partial))
    ends = error.cut or reading.anywhere or begins_line(reading.text, error.position)
    if complete and ends and (not weak or _fits(reading, partial, reader, error.position)):
        reader.repair("missing }")
        end = _before_space(reading.text, error.position)
        return Found(tuple(_calls(reading, partial, (position, end), reader)), position, end)
    if array := _WRAPPED_ARRAY.match(reading.text, position, limit):
        found = read_objects(reading, array.end(), limit=limit, weak=weak)
        return Found(found.items, position, past(_WRAPPER_END, reading.text, found.end, limit))
    stop = _stop(reading, position, error, limit)
    sibling = next_sibling(reading, position, stop)
    end = sibling.end if sibling else _before_space(reading.text, stop)
    name = _named(reading.text, position, end)
    arguments = _quoted_arguments(reading, name, position, end) if name else None
    if name and arguments is not None:
        call = ToolCall(reading.called(name["name"]), arguments, (position, end), ("unescaped quotes",))
        return Found((call,), position, sibling.position if sibling else end)
    return lost(reading, reading.called(name["name"]) if name else None, position, error, stop, sibling)


def _stop(reading: Reading, position: int, error: ReadError, limit: int) -> int:
    """Where the text of a broken object ends at the latest: at an empty line, or before a taught call."""
    match = reading.source.search(_STOP, position if error.cut else max(position, error.position))
    reading.source.reached_end |= match is None
    stop = min(match.start(), limit) if match else limit
    stop = _line_end(reading, _ENDS_LINE, position, stop)
    reading.source.reach(stop)
    return stop


def _line_end(reading: Reading, closers: re.Pattern[str], start: int, stop: int) -> int:
    """Where an object ends in a foreign text, behind whose lines all may be left away; `stop` elsewhere."""
    line = closers.search(reading.text, start, stop) if reading.anywhere else None
    return line.end() if line else stop


_STOP = late_pattern(r"\n[ \t\r]*+\n|\n[ \t]*+tool[ \t]*+:|```")
_WRAPS = rf"""\{{\s*+["'](?:{"|".join(WRAPPER_KEYS)})["']\s*+:\s*+"""
# Not one in another one: how deep that goes would be the text's choice.
_WRAPPED_ARRAY = late_pattern(rf"{_WRAPS}(?=\[\s*+(?!{_WRAPS}\[))")
_WRAPPER_END = late_pattern(r"\s*+\}")
_STRAY_MEMBERS = (
    r"""(?:["'](?:type|id|index|call_id|tool_call_id)["']\s*+:\s*+"""
    r"""(?:"[^"\n]*+"|'[^'\n]*+'|\d++)\s*+,\s*+)*+"""
)
_NAMED = late_pattern(
    rf"""\{{\s*+{_STRAY_MEMBERS}(?:["'](?:function|tool_call|function_call)["']\s*+:\s*+\{{\s*+)?+"""
    rf"""["'](?:{"|".join(NAME_KEYS)})["']\s*+:\s*+["']?(?P<name>[\w./:-]{{1,128}}+)["']?(?P<arguments>\s*+,\s*+"""
    rf"""["'](?:{"|".join(ARGUMENT_KEYS)})["']\s*+:\s*+(?=\{{))?"""
)
_NAMED_LAST = late_pattern(
    rf""",\s*+["'](?:{"|".join(NAME_KEYS)})["']\s*+:\s*+["']?(?P<name>[\w./:-]{{1,128}}+)["']?[\s}}\]]*+\Z"""
)


def _named(text: str, position: int, end: int) -> re.Match[str] | None:
    """The member that names the tool, at the beginning of a broken object or at its end."""
    return _NAMED.match(text, position, end) or _NAMED_LAST.search(
        text, max(position, end - _NAME_REACH), end
    )


def _quoted_arguments(
    reading: Reading, name: re.Match[str], position: int, stop: int
) -> dict[str, Any] | None:
    """The arguments of an object in whose strings quotes are not escaped."""
    tool = reading.tool(reading.called(name["name"]))
    closer = _ENDS.search(reading.text, max(position, stop - 200), stop)
    if tool is None or closer is None or not name.groupdict().get("arguments"):
        return None
    return recover_arguments(reading, name.end(), closer.start(), frozenset(tool.properties))
