"""What a tool takes, as the model reads it: `read_file(path: str, start: int = 1)`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.schemas import Schema, alternatives
from text_agent.protocol.tool import ToolDescription

_TYPES = {
    **{"string": "str", "integer": "int", "number": "float", "boolean": "bool"},
    **{"array": "list", "object": "dict", "null": "None"},
}
_ABSENT = object()
# Levels that are written out, of schemas that hold themselves without a reference to tell it.
_MAX_DEPTH = 8
_PLAIN_NAME = late_pattern(r"[\w$.@/-]+")


def render_signature(description: ToolDescription) -> str:
    """The tool's name and parameters; a `?` behind a name says that it may be left out."""
    return f"{description.name}({', '.join(_members(description.parameters, description.parameters))})"


def render_type(schema: Any, root: Schema, within: tuple[str, ...] = (), depth: int = 0) -> str:
    """What a schema takes, in the notation of signatures.

    `root`: the schema that references lead into. `within`: the references that are being written out: inside,
    they stand as names. `depth`: of the value in the arguments.
    """
    if not isinstance(schema, Mapping):
        return "nothing" if schema is False else "Any"
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        if reference in within:
            return name
        within = (*within, reference)
        shown = _alternatives(alternatives(schema, root), root, within, depth)
        return f"{name} {shown}" if name in _PLAIN_NAME.findall(shown) else shown
    options = schema.get("anyOf") or schema.get("oneOf")
    if options and "properties" not in schema:
        return " | ".join(dict.fromkeys(render_type(each, root, within, depth) for each in options))
    return _alternatives(alternatives(schema, root), root, within, depth)


def _alternatives(plain: list[dict[str, Any]], root: Schema, within: tuple[str, ...], depth: int) -> str:
    return " | ".join(dict.fromkeys(_plain(each, root, within, depth + 1) for each in plain)) or "nothing"


def _plain(plain: Schema, root: Schema, within: tuple[str, ...], depth: int) -> str:
    if "enum" in plain:
        return " | ".join(map(repr, plain["enum"]))
    kind = plain.get("type", "")
    if depth <= _MAX_DEPTH:
        if kind == "array" and "items" in plain:
            return f"list[{render_type(plain['items'], root, within, depth)}]"
        if kind == "object" and plain.get("properties"):
            return f"{{{', '.join(_members(plain, root, within, depth))}}}"
        if kind == "object" and isinstance(plain.get("additionalProperties"), Mapping):
            return f"dict[str, {render_type(plain['additionalProperties'], root, within, depth)}]"
    return _TYPES.get(kind, "Any")


def _members(plain: Schema, root: Schema, within: tuple[str, ...] = (), depth: int = 0) -> Iterator[str]:
    for name, schema in plain["properties"].items():
        shown = render_type(schema, root, within, depth)
        default = schema.get("default", _ABSENT) if isinstance(schema, Mapping) else _ABSENT
        optional = "" if default is not _ABSENT or name in plain.get("required", ()) else "?"
        written = name if _PLAIN_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)
        value = "" if default is _ABSENT else f" = {default!r}"
        yield f"{written}{optional}{f': {shown}' if shown != 'Any' else ''}{value}"


def render_remarks(description: ToolDescription) -> str:
    """What the schema says of the parameters and their members, a line each; empty if it says nothing."""
    remarks = _remarks(description.parameters, description.parameters, "", set())
    return "".join(f"\n- {path}: {text}" for path, text in remarks)


def _remarks(schema: Schema, root: Schema, path: str, seen: set[int]) -> Iterator[tuple[str, str]]:
    for plain in alternatives(schema, root):
        members = {f"{path}.{name}".lstrip("."): each for name, each in plain.get("properties", {}).items()}
        for at, member in {**members, f"{path}[]": plain.get("items")}.items():
            if isinstance(member, Mapping) and id(member) not in seen:
                seen.add(id(member))
                if text := member.get("description"):
                    yield at, " ".join(text.split())
                yield from _remarks(member, root, at, seen)
