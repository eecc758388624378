"""JSON Schemas without their detours: what a value may be, as a list of plain schemas.

A schema may refer to others, be composed of others and leave unsaid what is obvious. `alternatives` gives
the plain schemas of which a value must fit one; each has at most one type, and no reference.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args
from urllib.parse import unquote

Schema = Mapping[str, Any]
JsonType = Literal["string", "integer", "number", "boolean", "array", "object", "null"]

_COMPOSITIONS = frozenset({"$ref", "allOf", "anyOf", "oneOf", "const", "nullable", "$defs", "definitions"})
_IMPLIED_TYPES = {
    "object": ("properties", "patternProperties", "additionalProperties"),
    "array": ("items", "prefixItems"),
}
# Combinations of alternatives that are looked at: more than any tool has.
_MAX_ALTERNATIVES = 256


def alternatives(schema: Any, root: Schema, seen: frozenset[str] = frozenset()) -> list[dict[str, Any]]:
    """The plain schemas of which a value must fit one; none if no value fits.

    `schema`: a schema, or a truth value as JSON Schema allows. `root`: the schema that references lead into.
    `seen`: references that lead here.
    """
    if not isinstance(schema, Mapping):
        return [] if schema is False else [{}]
    parts = [_typed(_own(schema), schema.get("type"))]
    reference = schema.get("$ref")
    if isinstance(reference, str):
        parts.append(
            [] if reference in seen else alternatives(_at(reference, root), root, seen | {reference})
        )
    parts += [alternatives(each, root, seen) for each in _list(schema, "allOf")]
    for key in ("anyOf", "oneOf"):
        if options := _list(schema, key):
            parts.append([plain for each in options for plain in alternatives(each, root, seen)])
    merged = parts[0]
    for part in parts[1:]:
        pairs = itertools.islice(itertools.product(merged, part), _MAX_ALTERNATIVES)
        merged = [both for left, right in pairs if (both := _merged(left, right)) is not None]
    return [*merged, {"type": "null"}] if schema.get("nullable") is True else merged


def types_of(schema: Any, root: Schema) -> frozenset[str]:
    """The types of the values that a schema takes."""
    return frozenset(kind for plain in alternatives(schema, root) for kind in _types(plain))


def is_free_text(schema: Any, root: Schema) -> bool:
    """Whether a schema takes texts of any wording, and nothing else."""
    return types_of(schema, root) == {"string"} and not any("enum" in p for p in alternatives(schema, root))


def type_of(value: Any) -> JsonType:
    """The type of a JSON value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list() | tuple():
            return "array"
        case _:
            return "object"


def _types(plain: Schema) -> Iterable[str]:
    if "type" in plain:
        return ("integer", "number") if plain["type"] == "number" else (plain["type"],)
    return map(type_of, plain["enum"]) if "enum" in plain else get_args(JsonType)


def _own(schema: Schema) -> dict[str, Any]:
    """What a schema says itself, in one way of writing it."""
    own = {key: value for key, value in schema.items() if key not in _COMPOSITIONS}
    own = {key: value for key, value in own.items() if value is not None or key == "default"}
    if isinstance(own.get("items"), list):
        own["prefixItems"] = own.pop("items")
    if not isinstance(own.get("required"), list):
        own.pop("required", None)
    return {**own, "enum": [schema["const"]]} if "const" in schema else own


def _typed(own: dict[str, Any], kinds: Any) -> list[dict[str, Any]]:
    """A schema without compositions, once for each of its types."""
    if kinds:
        return [
            {**own, "type": str(kind).lower()} for kind in (kinds if isinstance(kinds, list) else [kinds])
        ]
    implied = next((kind for kind, keys in _IMPLIED_TYPES.items() if any(key in own for key in keys)), None)
    return [{**own, "type": implied}] if implied and "enum" not in own else [own]


def _list(schema: Schema, key: str) -> list[Any]:
    value = schema.get(key)
    return value if isinstance(value, list) else []


def _at(reference: str, root: Schema) -> Any:
    """The schema that a reference leads to; one that takes anything if it leads out of the document."""
    if not reference.startswith("#"):
        return True
    target: Any = root
    for step in reference[1:].split("/")[1:]:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(target, list) and key.isdecimal() and int(key) < len(target):
            target = target[int(key)]
        elif isinstance(target, Mapping) and key in target:
            target = target[key]
        else:
            return True
    return target


def _merged(left: Schema, right: Schema) -> dict[str, Any] | None:
    """The schema of what fits both; None if nothing does."""
    both = {**right, **left}
    kinds = {each["type"] for each in (left, right) if "type" in each}
    if len(kinds) > 1:
        if kinds != {"integer", "number"}:
            return None
        both["type"] = "integer"
    if "properties" in left and "properties" in right:
        shared = {
            key: {"allOf": [schema, right["properties"][key]]}
            for key, schema in left["properties"].items()
            if right["properties"].get(key, schema) != schema
        }
        both["properties"] = {**left["properties"], **right["properties"], **shared}
    if "required" in left and "required" in right:
        both["required"] = list(dict.fromkeys([*left["required"], *right["required"]]))
    if "enum" in left and "enum" in right:
        both["enum"] = [value for value in left["enum"] if value in right["enum"]]
    return both
