"""Reads the arguments of a call that is written as a line: what stands behind `tool: NAME`.

    arguments  = "(" [ object | text of an object | items ] ")" | object
    items      = item { "," item } [","]
    item       = value | key ("=" | ":") value
    word       = one path-like word without quotes, where the tool takes nothing else

Positional values need a known signature. A missing bracket is supplied and a superfluous one passed
over only behind a closed object. Quotes inside a string that should have been escaped are recovered
by the tool's own keys (`inner_quotes`). Everything else that is not exactly one call is a `ReadError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.markers import KEY
from text_agent.protocol.reading.inner_quotes import KEYWORDS, OBJECT, recover
from text_agent.protocol.reading.source import ReadError, Source
from text_agent.protocol.reading.values import WORDS, ValueReader
from text_agent.protocol.schemas import type_of
from text_agent.protocol.tool import ToolDescription

WITHOUT_NAMES = "arguments without names"
"""The repair of a call whose arguments stand in the order of the parameters."""
_KEY = late_pattern(rf"""(?:({KEY})|"({KEY})"|'({KEY})')\s{{0,20}}+(?:=(?!=)|:)""")
_WORD = late_pattern(r"\([ \t]*+([\w./~@+-]++)[ \t]*+\)")
_FURTHER_OBJECT = late_pattern(r"\s*+,\s*+(?=\{)")
_EXTRA_CLOSERS = late_pattern(r"(?:[ \t]*+[)}\]])*+")
_CONTINUES = late_pattern(r"[ \t]*+[,:+\"'.=]")
_BEGINS_MEMBERS = late_pattern(rf"""\s*+\{{\s*+(?P<quote>["'])(?:{KEY})(?P=quote)\s*+:""")
_WRAPPERS = frozenset({"arguments", "parameters", "args", "kwargs", "input", "params", "tool_input"})


class Arguments(NamedTuple):
    """Arguments as they were read, where their text ends, and what was read liberally."""

    values: dict[str, Any]
    end: int
    repairs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArgumentReader:
    """Reads argument texts of one tool."""

    source: Source  # the reply
    name: str  # the tool's name as the model wrote it
    tool: ToolDescription | None  # the tool, if the name is known
    limit: int  # how far the reader may look
    # Finds where the next attempt begins; quotes are recovered only before it.
    next_attempt: Callable[[], int]
    words: bool = True  # whether a single word without quotes may be an argument

    def read(self, position: int) -> Arguments:
        """The arguments that begin at `position` with `(` or `{`.

        Raises `ReadError`: they have not exactly one sensible reading.
        """
        reader = ValueReader(self.source, self.limit, keys=self._keys())
        if reader.peek(position) == "{":
            return self._object(reader, position, parenthesis=False)
        inside = reader.skip(position + 1)
        if reader.peek(inside) == "{":
            return self._object(reader, inside, parenthesis=True)
        if word := self._word(position):
            return word
        return self._items(position, inside)

    def _keys(self) -> frozenset[str]:
        return frozenset(self.tool.properties) if self.tool else frozenset()

    def _object(self, reader: ValueReader, position: int, *, parenthesis: bool) -> Arguments:
        try:
            values, end = reader.object_at(position)
        except ReadError as error:
            recovered = recover(self.source, position, self.next_attempt, self._keys(), OBJECT)
            if recovered is None or not parenthesis:
                raise error
            values, end = recovered
            reader.repair("unescaped quotes")
        if parenthesis:
            values, end = self._with_further_objects(reader, values, end)
            end = self._close(reader, end)
        else:
            reader.repair("no parentheses")
            end = self._pass_extra_closers(reader, end)
        return self._finish(values, end, reader)

    def _with_further_objects(
        self, reader: ValueReader, values: dict[str, Any], end: int
    ) -> tuple[dict[str, Any], int]:
        """`({...}, {...})`: several objects are one, if no two of them disagree."""
        while further := _FURTHER_OBJECT.match(self.source.text, end, self.limit):
            more, end = reader.object_at(further.end())
            if any(key in values and values[key] != value for key, value in more.items()):
                raise reader.fail("two objects give different values", further.end())
            values = {**values, **more}
            reader.repair("several objects")
        return values, end

    def _close(self, reader: ValueReader, position: int) -> int:
        """Passes the `)` behind an object, or does without it."""
        after = reader.skip(position)
        if reader.peek(after) == ",":
            after = reader.skip(after + 1)
            if reader.peek(after) != ")":
                raise reader.fail("something follows the arguments' object", after)
            reader.repair("trailing comma")
        if reader.peek(after) in (")", "\uff09"):
            return self._pass_extra_closers(reader, after + 1)
        if (end := self._pass_extra_closers(reader, position)) > position:
            return end
        if _CONTINUES.match(self.source.text, position, self.limit):
            raise reader.fail("something follows the arguments' object", position)
        reader.repair("missing )")
        return position

    def _pass_extra_closers(self, reader: ValueReader, position: int) -> int:
        end = past(_EXTRA_CLOSERS, self.source.text, position, self.limit)
        if end > position:
            reader.repair("extra closing bracket")
        return end

    def _word(self, position: int) -> Arguments | None:
        match = _WORD.match(self.source.text, position, self.limit)
        if not match or not self.tool or not self.words or _is_literal(match.group(1)):
            return None
        name = self.tool.only_text
        return Arguments({name: match.group(1)}, match.end(), ("missing quotes",)) if name else None

    def _items(self, opener: int, position: int) -> Arguments:
        reader = ValueReader(self.source, self.limit, python=True)
        positional: list[Any] = []
        named: dict[str, Any] = {}
        try:
            while reader.peek(position) != ")":
                position = self._item(reader, position, positional, named)
                position = self._comma(reader, position)
        except ReadError as error:
            recovered = recover(self.source, opener, self.next_attempt, self._keys(), KEYWORDS)
            if recovered is None:
                raise error
            reader.repair("unescaped quotes")
            return self._finish(*recovered, reader)
        position += 1
        if len(positional) == 1 and not named and (decoded := self._decoded(positional[0])) is not None:
            reader.repair("arguments as a JSON string")
            return self._finish(decoded, self._pass_extra_closers(reader, position), reader)
        values = self._bind_positions(reader, positional, position) | named
        if len(values) < len(positional) + len(named):
            raise ReadError("an argument is given twice", position)
        if named:
            reader.repair("keyword arguments")
        return self._finish(values, self._pass_extra_closers(reader, position), reader)

    def _item(self, reader: ValueReader, position: int, positional: list[Any], named: dict[str, Any]) -> int:
        key = _KEY.match(self.source.text, position, self.limit)
        if key is None:
            if named:
                raise reader.fail("a value without a name follows named ones", position)
            value, end = reader.value(position)
            positional.append(value)
            return end
        name = key.group(1) or key.group(2) or key.group(3)
        value, end = reader.value(reader.skip(key.end()))
        if name in named and named[name] != value:
            raise ReadError(f'the argument "{name}" is given twice', position)
        named[name] = value
        return end

    def _comma(self, reader: ValueReader, position: int) -> int:
        position = reader.skip(position)
        if reader.peek(position) == ",":
            return reader.skip(position + 1)
        if reader.peek(position) in ("}", "]"):
            after = _EXTRA_CLOSERS.match(self.source.text, position, self.limit)
            if after and self.source.text[after.end() - 1] == ")":
                reader.repair("extra closing bracket")
                return after.end() - 1
        if reader.peek(position) != ")":
            raise reader.fail("a comma or a closing parenthesis is missing", position)
        return position

    def _decoded(self, value: Any) -> dict[str, Any] | None:
        """The object that a single positional value stands for: its JSON text, or itself in a list."""
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            return value[0] if not self._first_is_list() else None
        return decode_object(value)

    def _first_is_list(self) -> bool:
        first = next(iter(self.tool.properties), None) if self.tool else None
        return self.tool is not None and first is not None and self.tool.takes(first, "array")

    def _bind_positions(self, reader: ValueReader, positional: list[Any], end: int) -> dict[str, Any]:
        if not positional:
            return {}
        if self.tool is None:
            raise ReadError(f"the arguments of the unknown tool {self.name!r} have no names", end)
        names = list(self.tool.properties)
        if len(positional) > len(names):
            raise ReadError("there are more arguments than parameters", end)
        reader.repair(WITHOUT_NAMES)
        return dict(zip(names, positional, strict=False))

    def _finish(self, values: dict[str, Any], end: int, reader: ValueReader) -> Arguments:
        values = normalise(self.name, values, self.tool, reader)
        return Arguments(values, end, tuple(reader.repairs))


def normalise(
    name: str, values: dict[str, Any], tool: ToolDescription | None, reader: ValueReader
) -> dict[str, Any]:
    """Takes a wrapper off the arguments of a known tool, and decodes values that are written as strings."""
    if tool is None:
        return values
    inner = _unwrapped(name, values, tool)
    if inner is not None:
        reader.repair("wrapped arguments")
        values = inner
    return {key: _decoded_text(key, value, tool, reader) for key, value in values.items()}


def _unwrapped(name: str, values: dict[str, Any], tool: ToolDescription) -> dict[str, Any] | None:
    wrappers = [key for key in values if key in _WRAPPERS and key not in tool.properties]
    others = [key for key in values if key not in wrappers]
    if len(wrappers) != 1 or any(values[key] != name or key in tool.properties for key in others):
        return None
    inner = values[wrappers[0]]
    return inner if isinstance(inner, dict) else decode_object(inner)


def _decoded_text(key: str, value: Any, tool: ToolDescription, reader: ValueReader) -> Any:
    """A list or an object that is written as a string where no string is taken."""
    if not isinstance(value, str) or key not in tool.properties or tool.takes(key, "string"):
        return value
    decoded = decode_value(value)
    kind = type_of(decoded)
    if kind not in ("array", "object") or not tool.takes(key, kind):
        return value
    reader.repair("list as a JSON string" if kind == "array" else "object as a JSON string")
    return decoded


def decode_value(text: str) -> Any:
    """The value whose JSON text is the whole of `text`; None if it is not one."""
    source = Source(text)
    reader = ValueReader(source, source.end)
    try:
        value, end = reader.value(reader.skip(0))
    except ReadError:
        return None
    return value if reader.skip(end) == source.end else None


def decode_object(value: Any) -> dict[str, Any] | None:
    """The object whose JSON text `value` is; None if it is not one."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return None
    decoded = decode_value(value)
    return decoded if isinstance(decoded, dict) else None


def only_text(tool: ToolDescription, text: str, reader: ValueReader) -> dict[str, Any] | None:
    """A text as the only argument that the tool needs; None if it needs more, or none.

    A text that begins as an object was to hold all arguments: it is no argument itself.
    """
    if tool.only_text is None or _BEGINS_MEMBERS.match(text):
        return None
    reader.repair("text for the only argument")
    return {tool.only_text: text}


def _is_literal(word: str) -> bool:
    return word in WORDS or word.lstrip("+-")[:1].isdigit()
