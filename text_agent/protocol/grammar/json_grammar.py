"""JSON values as rules of a grammar, without white space that a model could go on with for ever."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from inspect import Parameter
from typing import Any, Literal, Union, get_args, get_origin

JSON_RULES: Mapping[str, str] = types.MappingProxyType(
    {
        "comma": '"," " "?',
        "colon": '":" " "?',
        "string": r'"\"" character* "\""',
        "character": r'[^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" hex hex hex hex)',
        "hex": "[0-9a-fA-F]",
        # No longer than what any reader takes for exact.
        "integer": '"-"? ("0" | [1-9] digits)',
        "number": 'integer ("." [0-9] digits)? ([eE] [-+]? [0-9] [0-9]?)?',
        "digits": "([0-9] " * 14 + "[0-9]?" + ")?" * 14,
        "boolean": '"true" | "false"',
        "value": 'string | number | boolean | "null" | "[" (value (comma value)*)? "]" | object',
        "object": '"{" (string colon value (comma string colon value)*)? "}"',
    }
)
_SIMPLE: Mapping[Any, str] = types.MappingProxyType(
    {str: "string", int: "integer", float: "number", bool: "boolean", None: '"null"', type(None): '"null"'}
)


def value_rule(annotation: Any) -> str:
    """What accepts a value of an annotation; any value where it is not one of JSON's."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation in (Parameter.empty, Any):
        return "value"
    if origin in (Union, types.UnionType):
        return f"({' | '.join(value_rule(part) for part in parts)})"
    if origin is Literal:
        return f"({' | '.join(quoted(json.dumps(part)) for part in parts)})"
    if annotation is list or origin is list:
        item = value_rule(parts[0] if parts else Any)
        return f'"[" ({item} (comma {item})*)? "]"'
    if annotation is dict or origin is dict:
        return "object"
    return _SIMPLE.get(annotation, "value")


def quoted(text: str) -> str:
    """A text as a grammar has it."""
    return json.dumps(text)
