"""Converting values to the types that a signature annotates, where nothing is lost.

What counts as the same value: "3" and 3.0 for an integer, "true" for a boolean, an integer for a text,
a text that holds JSON for a list, a single value for a list of one. What does not: a boolean for a
number, 3.5 for an integer, a float for a text (1.10 would become "1.1"), several lines for a list.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from text_agent.protocol.signatures import payload_parameter
from text_agent.protocol.tool import ToolDescription

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_SHOWN_MAX_CHARS = 60


def coerce(value: Any, annotation: Any) -> Any:
    """Converts `value` to the annotated type.

    Raises:
        ValueError: it cannot be done without loss; the text goes on after the argument's name.
    """
    if annotation is inspect.Parameter.empty:
        return value
    # Imported here: a start of the program that runs no tool need not wait for pydantic.
    from pydantic import ValidationError

    adapter = _adapter(annotation)
    for reading, strict in _readings(value):
        try:
            return adapter.validate_python(reading, strict=strict)
        except ValidationError:
            continue
    raise ValueError(f"must be {inspect.formatannotation(annotation)}, but is {_shown(value)}")


def write_out_json(arguments: Mapping[str, Any], tool: ToolDescription) -> Mapping[str, Any]:
    """Turns a payload that was given as JSON for a .json file into its text.

    Models often write `{"path": "package.json", "content": {"name": ...}}`. The data is exact; only the
    layout is ours: indented by two blanks.
    """
    payload = payload_parameter(tool)
    value = arguments.get(payload or "")
    names_json = any(isinstance(each, str) and each.endswith(".json") for each in arguments.values())
    takes_text = payload is not None and tool.signature.parameters[payload].annotation is str
    if payload is None or not takes_text or not isinstance(value, dict | list) or not names_json:
        return arguments
    return {**arguments, payload: json.dumps(value, indent=2, ensure_ascii=False) + "\n"}


@functools.cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(annotation)


def _readings(value: Any) -> Iterator[tuple[Any, bool]]:
    """The ways to read `value`, the nearest first, each with whether its type must fit strictly."""
    yield value, True
    if _holds_boolean(value):
        return
    yield value, False
    if isinstance(value, str):
        yield from _readings_of_text(value)
    elif isinstance(value, int):
        yield str(value), True
        yield [value], False
        yield [str(value)], True
    elif isinstance(value, list):
        yield [str(item) if isinstance(item, int) else item for item in value], True


def _readings_of_text(text: str) -> Iterator[tuple[Any, bool]]:
    stripped = text.strip()
    if stripped in ("None", "null"):
        yield None, True
    elif stripped.startswith(("[", "{")):
        try:
            decoded = json.loads(stripped)
        except (ValueError, RecursionError):
            return
        yield decoded, _holds_boolean(decoded)
    elif "\n" not in stripped:
        yield [text], False


def _holds_boolean(value: Any) -> bool:
    return isinstance(value, bool) or (
        isinstance(value, list) and any(isinstance(item, bool) for item in value)
    )


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_MAX_CHARS else f"{text[:_SHOWN_MAX_CHARS]}..."
