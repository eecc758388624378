"""A reply that is nothing but a call of a tool that does not exist, in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.forms.json_calls import FIRST_KEYS, calls_in
from text_agent.protocol.reading.reading import Found, Reading, clean_name
from text_agent.protocol.reading.siblings import ARGUMENT_KEYS, NAME_KEYS
from text_agent.protocol.reading.source import ReadError
from text_agent.protocol.reading.values import ValueReader


def unknown_call(reading: Reading, *, fenced: bool) -> Found | None:
    """The call of an unknown tool in JSON that is the whole reply, or perhaps its only fence."""
    whole = _WHOLE_OBJECT.fullmatch(reading.text) or (_ONLY_FENCE.fullmatch(reading.text) if fenced else None)
    if whole is None:
        return None
    reader = ValueReader(reading.source, whole.end("object"))
    start = whole.start("object")
    try:
        value, end = reader.object_at(start)
    except ReadError:
        return None
    if reader.skip(end) != whole.end("object") or not _is_nothing_but_call(value):
        return None
    name = next((call.name for call in calls_in(value)), "")
    if reading.tool(clean_name(name)) is not None:
        return None
    error = ReadError(f"there is no tool {name!r}", start)
    return Found((reading.malformed(name, start, error),), start, end)


_WHOLE_OBJECT = late_pattern(r"\s*(?P<object>\{[\s\S]*\})\s*")
_ONLY_FENCE = late_pattern(
    r"(?:(?!```)[\s\S])*?```\w*[ \t]*\n\s*(?P<object>\{(?:(?!```)[\s\S])*\})\s*\n```(?:(?!```)[\s\S])*"
)


def _is_nothing_but_call(value: Mapping[str, Any]) -> bool:
    """Whether an object holds a name and arguments, and nothing else: a description of a tool holds more."""
    arguments = [value[key] for key in ARGUMENT_KEYS if key in value]
    named = any(isinstance(value.get(key), str) for key in NAME_KEYS)
    given = len(arguments) == 1 and isinstance(arguments[0], dict) and "properties" not in arguments[0]
    return named and given and value.keys() <= FIRST_KEYS
