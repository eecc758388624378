"""JSON values as rules of a grammar, without white space that a model could go on with for ever."""

from __future__ import annotations

import json
import types
from collections.abc import Container, Mapping, Sequence
from typing import Any

from text_agent.protocol.schemas import Schema, alternatives

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
_SIMPLE = frozenset({"string", "integer", "number", "boolean", "object"})
# Objects and lists with a rule of their own, and how deep they are; beyond it, any value is taken.
_MAX_RULES = 500
_MAX_DEPTH = 40


class SchemaRules:
    """Makes rules of schemas; those of objects and lists have names, so that a schema may hold itself."""

    def __init__(self) -> None:
        self.rules: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._depth = 0

    def members(self, properties: Mapping[str, Any], required: Container[str], root: Schema) -> str:
        """The members of an object: in their order, and the optional ones only perhaps."""
        return _in_order(
            [
                (f"{_literal(name)} colon {self.value(schema, root)}", name in required)
                for name, schema in properties.items()
            ]
        )

    def value(self, schema: Any, root: Schema) -> str:
        """What accepts a value of a schema, its limits aside."""
        parts = dict.fromkeys(self._plain(plain, root) for plain in alternatives(schema, root))
        return f"({' | '.join(parts)})" if len(parts) > 1 else next(iter(parts), "value")

    def _plain(self, plain: Schema, root: Schema) -> str:
        if "enum" in plain:
            return f"({' | '.join(map(_literal, plain['enum']))})"
        kind = plain.get("type")
        has_members = plain.get("properties") or isinstance(plain.get("additionalProperties"), Mapping)
        if kind == "array" or (kind == "object" and has_members):
            return self._named(plain, root)
        if kind == "null":
            return '"null"'
        return kind if kind in _SIMPLE else "value"

    def _named(self, plain: Schema, root: Schema) -> str:
        key = json.dumps(plain, sort_keys=True, default=str)
        if key not in self._names:
            if len(self._names) == _MAX_RULES or self._depth == _MAX_DEPTH:
                return "value"
            name = self._names[key] = f"value-{len(self._names) + 1}"
            self._depth += 1
            self.rules[name] = self._body(plain, root)
            self._depth -= 1
        return self._names[key]

    def _body(self, plain: Schema, root: Schema) -> str:
        if plain["type"] == "array":
            item = self.value(plain.get("items", True), root)
            return f'"[" ({item} (comma {item})*)? "]"'
        if plain.get("properties"):
            return f'"{{" {self.members(plain["properties"], plain.get("required", ()), root)} "}}"'
        member = f"string colon {self.value(plain['additionalProperties'], root)}"
        return f'"{{" ({member} (comma {member})*)? "}}"'


def _in_order(members: Sequence[tuple[str, bool]]) -> str:
    """Members, each with whether it must be there."""
    if not members:
        return '""'
    (first, is_required), *rest = members
    further = [f"comma {member}" if must else f"(comma {member})?" for member, must in rest]
    begun = " ".join([first, *further])
    return begun if is_required else f"({begun} | {_in_order(rest)})"


def _literal(value: Any) -> str:
    """A JSON value that stands as it is."""
    return quoted(json.dumps(value, ensure_ascii=False))


def quoted(text: str) -> str:
    """A text as a grammar has it."""
    return json.dumps(text, ensure_ascii=False)
