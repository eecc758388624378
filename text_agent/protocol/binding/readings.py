"""The ways to read a value as one of another type, where nothing is lost.

What counts as the same value: "3" and 3.0 for an integer, "true" for a boolean, an integer for a text, a
text that holds JSON for a list or an object, a single value for a list of one. What does not: a boolean for a
number, 3.5 or "007" for an integer, a float for a text (1.10 would become "1.1"), several lines for a list.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.schemas import Schema, type_of

NO_READING = object()
"""What `read_as` gives for a value that cannot be read as one of the type."""

# Beyond it a float does not tell one integer from the next.
_EXACT = 2**53
_NUMBER = late_pattern(r"-?(?:0|[1-9]\d{0,399})(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?")


def read_as(value: Any, plain: Schema, reach: int) -> Any:
    """The value as one of a plain schema's type, its members and limits aside.

    `plain`: the schema. `reach`: 0 for values of the type itself, 1 for those in another spelling, 2 for a
    single one of a list.
    """
    if "enum" in plain:
        return _choice(value, plain["enum"], reach)
    kind, own = plain.get("type"), type_of(value)
    if kind in (None, own) or (kind == "number" and own == "integer"):
        return value
    for near in _READINGS.get(str(kind), ())[:reach]:
        if (reading := near(value)) is not NO_READING:
            return reading
    return NO_READING


def _choice(value: Any, choices: Sequence[Any], reach: int) -> Any:
    same = [choice for choice in choices if choice == value and _is_alike(choice, value)]
    if not same and reach and not isinstance(value, list | dict | float):
        same = [choice for choice in choices if _as_text(choice) == _as_text(value)]
    return same[0] if len(same) == 1 else NO_READING


def _is_alike(first: Any, second: Any) -> bool:
    kinds = {type_of(first), type_of(second)}
    return len(kinds) == 1 or kinds == {"integer", "number"}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _text(value: Any) -> Any:
    return str(value) if type(value) is int else NO_READING


def _integer(value: Any) -> Any:
    number = _number(value) if isinstance(value, str) else value
    if type(number) is float and number.is_integer() and abs(number) < _EXACT:
        return int(number)
    return number if type(number) is int else NO_READING


def _number(value: Any) -> Any:
    if not isinstance(value, str) or not _NUMBER.fullmatch(text := value.strip()):
        return NO_READING
    number = json.loads(text)
    return number if math.isfinite(number) else NO_READING


def _boolean(value: Any) -> Any:
    text = value.strip().casefold() if isinstance(value, str) else ""
    return text == "true" if text in ("true", "false") else NO_READING


def _null(value: Any) -> Any:
    return None if isinstance(value, str) and value.strip() in ("null", "None") else NO_READING


def _decoded(kind: type, value: Any) -> Any:
    """What a text holds as JSON, if that is of this kind."""
    try:
        decoded = json.loads(value, parse_constant=_refuse) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return NO_READING
    return decoded if isinstance(decoded, kind) else NO_READING


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _list_of_one(value: Any) -> Any:
    """A single value as a list; several lines may be several values, and a bracket a list with a mistake."""
    text = value.strip() if isinstance(value, str) else ""
    is_unclear = "\n" in text or text.startswith(("[", "{")) or text in ("null", "None") or value is None
    return NO_READING if is_unclear else [value]


_READINGS: Mapping[str, tuple[Callable[[Any], Any], ...]] = {
    "string": (_text,),
    "integer": (_integer,),
    "number": (_number,),
    "boolean": (_boolean,),
    "null": (_null,),
    "object": (partial(_decoded, dict),),
    "array": (partial(_decoded, list), _list_of_one),
}
