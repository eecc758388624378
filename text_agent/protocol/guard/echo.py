"""The echo guard: a call that a model repeats from a text it was shown is a quotation.

A file or a command's output may hold a line that reads as a call. A model that quotes it does not mean
it; a model that obeys it was misled. Either way the call came from outside, so it is recognised here.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

from text_agent.errors import ArgumentError
from text_agent.protocol.binding.bind import bind_arguments, resolve_tool_name
from text_agent.protocol.guard.neutralising import restore, restore_strings
from text_agent.protocol.reading.scanning import scan
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ToolCall

# Calls that are remembered, two marks each: about 20 MB at most. The oldest go first.
MAX_MARKS = 200_000


class EchoGuard:
    """Remembers the calls in foreign texts, as hashes, for as long as a session lasts."""

    def __init__(self, tools: ToolDescriptions) -> None:
        self._tools = tools
        # A set that knows its order.
        self._marks: OrderedDict[str, None] = OrderedDict()
        self._seen: list[str] = []

    def remember(self, text: str) -> None:
        """Remembers every call found anywhere in a raw text, before line numbers are added to it.

        Where a text was made so that its calls cannot all be read, every call of their tool is an echo.
        """
        found = scan(text, self._tools)
        marks = [_hash("tool", name) for name in found.unread]
        for call in found.calls:
            start, end = call.span
            marks += self._marks_of(call.name, call.arguments, text[start:end])
        self._seen += marks
        del self._seen[:-MAX_MARKS]
        self.restore(marks)

    def is_echo(self, call: ToolCall, reply_text: str) -> bool:
        """Whether the call equals a remembered one: its text, white space folded, or what it does.

        Args:
            call: a call of the reply.
            reply_text: the whole reply, in which the call's span lies.
        """
        start, end = call.span
        # The model saw the foreign text with our marks, and may have copied them.
        arguments, written = restore_strings(call.arguments), restore(reply_text[start:end])
        unread = _hash("tool", resolve_tool_name(call.name, self._tools) or call.name)
        return any(mark in self._marks for mark in (unread, *self._marks_of(call.name, arguments, written)))

    def export(self) -> list[str]:
        """All that is remembered; the oldest first."""
        return list(self._marks)

    def take_seen(self) -> tuple[str, ...]:
        """What the texts since the last time that this was asked held, for a saved session."""
        seen, self._seen = tuple(self._seen), []
        return seen

    def restore(self, marks: Iterable[str]) -> None:
        """Adds what `take_seen` or `export` gave, perhaps in another process."""
        for mark in marks:
            self._marks[mark] = None
            self._marks.move_to_end(mark)
        while len(self._marks) > MAX_MARKS:
            self._marks.popitem(last=False)

    def _marks_of(self, name: str, arguments: Mapping[str, Any], written: str) -> list[str]:
        marks = [_hash("call", self._meaning(name, arguments))]
        folded = " ".join(written.split())
        return [_hash("text", folded), *marks] if folded else marks

    def _meaning(self, name: str, arguments: Mapping[str, Any]) -> str:
        """A call in a form in which two that do the same are equal."""
        known = resolve_tool_name(name, self._tools)
        if known is None:
            return _canonical(name, arguments)
        parameters = self._tools[known].signature.parameters
        try:
            bound = bind_arguments(arguments, self._tools[known])
        except ArgumentError:
            # It cannot run as it stands; it is still recognised when it comes back as it stands.
            return _canonical(known, arguments)
        changed = {
            key: value
            for key, value in bound.items()
            if key not in parameters or value != parameters[key].default
        }
        return _canonical(known, changed)


def _canonical(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([name, dict(arguments)], sort_keys=True, default=repr)


def _hash(kind: str, text: str) -> str:
    return blake2b(f"{kind}\n{text}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
