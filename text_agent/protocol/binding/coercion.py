"""Fits values to schemas, at every depth, where nothing is lost.

`readings` has what counts as the same value; a key in another spelling counts as the same key. Not checked
are `format`, `not`, `if`, and what depends on other keys.
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from text_agent.protocol.binding.aliases import nearest_name, parameter_name, renamed
from text_agent.protocol.binding.readings import NO_READING, read_as
from text_agent.protocol.schemas import Schema, alternatives, type_of, types_of
from text_agent.protocol.signatures import render_type

_SHOWN_MAX_CHARS = 60
# How far a value may be from what is asked for: not at all, another spelling of it, or without its list.
_LEVELS = 3
# Schemas that are tried for each value of a call: a schema may ask for endlessly many.
_MAX_TRIALS = 50
_Limit = tuple[frozenset[str], Callable[[Any, Any], bool], str]
_NUMBERS = frozenset({"integer", "number"})
_TEXT, _LIST, _KEYS = frozenset({"string"}), frozenset({"array"}), frozenset({"object"})
_LIMITS: Mapping[str, _Limit] = {
    "minimum": (_NUMBERS, operator.ge, "at least {}"),
    "maximum": (_NUMBERS, operator.le, "at most {}"),
    "exclusiveMinimum": (_NUMBERS, operator.gt, "more than {}"),
    "exclusiveMaximum": (_NUMBERS, operator.lt, "less than {}"),
    "multipleOf": (
        _NUMBERS,
        lambda value, unit: not unit or not math.remainder(value, unit),
        "a multiple of {}",
    ),
    "pattern": (_TEXT, lambda text, pattern: _matches(pattern, text), "a text that matches {}"),
    "minLength": (_TEXT, lambda text, least: len(text) >= least, "at least {} characters long"),
    "maxLength": (_TEXT, lambda text, most: len(text) <= most, "at most {} characters long"),
    "minItems": (_LIST, lambda items, least: len(items) >= least, "a list of at least {} items"),
    "maxItems": (_LIST, lambda items, most: len(items) <= most, "a list of at most {} items"),
    "minProperties": (_KEYS, lambda members, least: len(members) >= least, "an object with at least {} keys"),
    "maxProperties": (_KEYS, lambda members, most: len(members) <= most, "an object with at most {} keys"),
}


_SCALARS = MappingProxyType({str: "string", int: "integer", float: "number", bool: "boolean"})
# What says nothing of a value beside its type.
_SAID = frozenset({"type", "default", "title", "description", "examples"})


class MisfitError(Exception):
    """Arguments and a schema do not fit; the text says where.

    Attributes:
        problems: what is wrong, each as a part of a sentence; none if the value is of another type.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def fit_arguments(arguments: Mapping[str, Any], schema: Schema, words: Mapping[str, str]) -> dict[str, Any]:
    """The arguments as the schema has them.

    A null for an optional parameter counts as absent, unless it means something else there. `arguments`:
    under any of their names. `schema`: of the object of all arguments. `words`: other names of the
    parameters. Raises `MisfitError`: a name is unknown, a required argument is missing, or a value does not
    fit.
    """
    fitted: dict[str, Any] = _Fitting(schema, words, _size(arguments)).value(
        arguments, schema, "", _LEVELS - 1
    )
    return fitted


class _Fitting:
    """Fits the arguments of one call; `reach` is how far a value may be from what is asked for."""

    def __init__(self, root: Schema, words: Mapping[str, str], size: int) -> None:
        self._root = root
        self._words = words
        self._left = _MAX_TRIALS * size

    def value(self, value: Any, schema: Any, path: str, reach: int) -> Any:
        """The value as the schema has it: of all ways to read it, the nearest."""
        if _is_plain(value, schema):
            return value
        plain = alternatives(schema, self._root)
        misfits: list[MisfitError] = []
        for near in range(reach + 1):
            misfits.clear()
            for each in plain:
                try:
                    return self._plain(value, each, path, near)
                except MisfitError as misfit:
                    misfits.append(misfit)
        telling = [misfit for misfit in misfits if misfit.problems]
        if telling:
            raise min(telling, key=lambda misfit: len(misfit.problems))
        raise _wrong(path, self._asked(schema, plain), value)

    def _asked(self, schema: Any, plain: Sequence[Schema]) -> str:
        values = [json.dumps(value, ensure_ascii=False) for each in plain for value in each.get("enum", ())]
        if len(values) > 1 and all("enum" in each for each in plain):
            return f"one of {', '.join(values)}"
        return render_type(schema, self._root)

    def _plain(self, value: Any, plain: Schema, path: str, reach: int) -> Any:
        self._left -= 1
        reading: Any = read_as(value, plain, reach) if self._left >= 0 else NO_READING
        if reading is NO_READING:
            raise MisfitError
        try:
            return self._inside(reading, plain, path, reach)
        except MisfitError as misfit:
            # Who gave a single value knows of no list.
            raise MisfitError(*([] if reading == [value] else misfit.problems)) from misfit

    def _inside(self, reading: Any, plain: Schema, path: str, reach: int) -> Any:
        """The value with its members as the schema has them, within its limits."""
        kind = type_of(reading)
        if kind == "array" and ("items" in plain or "prefixItems" in plain):
            reading = self._array(reading, plain, path, reach)
        elif kind == "object":
            reading = self._object(reading, plain, path, reach)
        for key, (kinds, holds, text) in _LIMITS.items():
            if key in plain and kind in kinds and not holds(reading, plain[key]):
                raise _wrong(path, text.format(plain[key]), reading)
        return reading

    def _array(self, items: Sequence[Any], plain: Schema, path: str, reach: int) -> list[Any]:
        first: Sequence[Any] = plain.get("prefixItems", ())
        schemas = [*first[: len(items)], *[plain.get("items", True)] * (len(items) - len(first))]
        paths = [f"{path}[{index}]" for index in range(len(items))]
        return self._members(list(zip(items, schemas, paths, strict=True)), reach)

    def _object(self, given: Mapping[str, Any], plain: Schema, path: str, reach: int) -> dict[str, Any]:
        properties: Mapping[str, Any] = plain.get("properties", {})
        # What is said of some keys is meant to be said of all.
        others = plain.get("additionalProperties", bool(path) and not properties)
        words = self._words
        named = renamed(given, properties, words) if reach and others is False else given
        schemas = {key: self._schema_of(key, plain, others) for key in named}
        at = f"{path}." if path else ""
        required = plain.get("required", ())
        unknown = [key for key, schema in schemas.items() if schema is False]
        problems = [_unknown(at, key, [*properties], words, named) for key in unknown]
        problems += [f"the argument {at + key!r} is missing" for key in required if key not in named]
        absent = [key for key in named if reach and named[key] is None and key not in required]
        kept = [
            key
            for key, schema in schemas.items()
            if schema is not False and not (key in absent and self._stands_for_nothing(schema))
        ]
        members = self._members([(named[key], schemas[key], at + key) for key in kept], reach, problems)
        return dict(zip(kept, members, strict=True))

    def _schema_of(self, key: str, plain: Schema, others: Any) -> Any:
        if key in plain.get("properties", {}):
            return plain["properties"][key]
        patterns: Mapping[str, Any] = plain.get("patternProperties", {})
        fitting = [schema for pattern, schema in patterns.items() if _matches(pattern, key)]
        if fitting:
            return {"allOf": fitting}
        return others if others is not False else key in plain.get("required", ())

    def _stands_for_nothing(self, schema: Any) -> bool:
        """Whether a null for an optional value of this schema says only that there is none."""
        has_default = isinstance(schema, Mapping) and schema.get("default", 0) is None
        return has_default or "null" not in types_of(schema, self._root)

    def _members(
        self, members: Sequence[tuple[Any, Any, str]], reach: int, problems: Sequence[str] = ()
    ) -> list[Any]:
        """The members, each with its schema and path; `problems` are those that there are besides theirs."""
        values, problems = [], [*problems]
        for value, schema, path in members:
            try:
                values.append(self.value(value, schema, path, reach))
            except MisfitError as misfit:
                problems += misfit.problems
        if problems:
            raise MisfitError(*problems)
        return values


def _size(value: Any) -> int:
    """How many values a value holds, its texts counted by their length: they may be JSON."""
    if isinstance(value, str):
        return 1 + len(value)
    members = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return 1 + sum(map(_size, members))


def _is_plain(value: Any, schema: Any) -> bool:
    """Whether a schema says no more than the type of a value that holds no others."""
    kind = _SCALARS.get(type(value))
    return (
        kind is not None
        and isinstance(schema, dict)
        and schema.get("type") == kind
        and schema.keys() <= _SAID
    )


def _wrong(path: str, asked: str, value: Any) -> MisfitError:
    what = f"the argument {path!r}" if path else "the object of all arguments"
    return MisfitError(f"{what} must be {asked}, but is {_shown(value)}")


def _unknown(
    at: str, name: str, names: Sequence[str], words: Mapping[str, str], given: Mapping[str, Any]
) -> str:
    meant = parameter_name(name, names, words)
    if meant != name:
        return f"{at + name!r} and another argument both mean {at + meant!r}"
    nearest = nearest_name(name, [known for known in names if known not in given])
    return f"there is no argument {at + name!r}" + (f" (did you mean {nearest!r}?)" if nearest else "")


def _matches(pattern: str, text: str) -> bool:
    """Whether a pattern occurs in a text; one that Python cannot read is not held against anybody."""
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_MAX_CHARS else f"{text[:_SHOWN_MAX_CHARS]}..."
