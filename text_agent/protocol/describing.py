"""Describes Python functions: their signatures as JSON Schemas, their docstrings for the model."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from text_agent.protocol.tool import ToolDescription, ToolWords

_TYPES: Mapping[Any, dict[str, Any]] = {
    **{inspect.Parameter.empty: {}, Any: {}, str: {"type": "string"}, int: {"type": "integer"}},
    **{float: {"type": "number"}, bool: {"type": "boolean"}, None: {"type": "null"}},
    **{type(None): {"type": "null"}, list: {"type": "array"}, dict: {"type": "object"}},
}


def describe(
    function: Callable[..., Any],
    words: ToolWords | None = None,
    *,
    bound: int = 0,
    given: Collection[str] = (),
) -> ToolDescription:
    """Describes a Python function that a model may call: its name, docstring and annotated parameters.

    Args:
        function: what its parameters take is told by their annotations.
        words: what models write instead of its names.
        bound: how many of its first parameters are none of the model's.
        given: the names of others that are not.

    Returns:
        What the rest of the protocol needs to know of it.

    Raises:
        ValueError: an annotation is no type of JSON.

    >>> describe(read_note).required
    ['name']
    """
    parameters = _parameters_of(function)[bound:]
    unnamed = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = [each for each in parameters if each.kind not in unnamed and each.name not in given]
    schema = {
        "type": "object",
        "properties": {each.name: _parameter(each) for each in named},
        "required": [each.name for each in named if each.default is each.empty],
        "additionalProperties": any(each.kind is each.VAR_KEYWORD for each in parameters),
    }
    return ToolDescription(function.__name__, inspect.getdoc(function) or "", schema, words or ToolWords())


@lru_cache(maxsize=64)
def _parameters_of(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """The parameters with their types, which take long to find and stay the same."""
    return tuple(inspect.signature(function, eval_str=True).parameters.values())


def _parameter(parameter: inspect.Parameter) -> dict[str, Any]:
    default = {} if parameter.default is parameter.empty else {"default": parameter.default}
    return {**_schema(parameter.annotation), **default}


def _schema(annotation: Any) -> dict[str, Any]:
    """What a parameter of an annotation takes."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(part) for part in parts]}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin is list:
        return {"type": "array", "items": _schema(parts[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(parts[1])}
    if is_typeddict(annotation):
        hints = get_type_hints(annotation)
        required = [key for key in hints if key in annotation.__required_keys__]
        properties = {key: _schema(hint) for key, hint in hints.items()}
        return {"type": "object", "properties": properties, "required": required}
    if annotation not in _TYPES:
        raise ValueError(f"{annotation!r} is no type of JSON")
    return dict(_TYPES[annotation])
