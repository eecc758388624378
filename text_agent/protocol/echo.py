"""The echo guard: a call that a model repeats from a text it was shown is a quotation.

A file or a command's output may hold a line that reads as a call. A model that quotes it does not mean
it; a model that obeys it was misled. Either way the call came from outside, so it is recognised here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b

from text_agent.errors import ArgumentError
from text_agent.messages import ToolCall
from text_agent.protocol.binding import bind_arguments, resolve_tool_name
from text_agent.protocol.description import ToolDescriptions
from text_agent.protocol.parser import scan_calls

# Calls that are remembered, two marks each: about 20 MB at most. The oldest go first.
_MAX_MARKS = 200_000


class EchoGuard:
    """Remembers the calls in foreign texts, as hashes, for as long as a session lasts."""

    def __init__(self, tools: ToolDescriptions) -> None:
        self._tools = tools
        # A dict is a set that knows its order.
        self._marks: dict[str, None] = {}

    def remember(self, text: str) -> None:
        """Remembers every call found anywhere in a raw text, before line numbers are added to it."""
        for call in scan_calls(text, self._tools):
            self.restore(self._marks_of(call, text))

    def is_echo(self, call: ToolCall, reply_text: str) -> bool:
        """Whether the call equals a remembered one: its text, white space folded, or what it does.

        Args:
            call: a call of the reply.
            reply_text: the whole reply, in which the call's span lies.
        """
        return any(mark in self._marks for mark in self._marks_of(call, reply_text))

    def export(self) -> list[str]:
        """What is remembered, for a saved session; the oldest first."""
        return list(self._marks)

    def restore(self, marks: Iterable[str]) -> None:
        """Adds what `export` gave."""
        for mark in marks:
            self._marks.pop(mark, None)
            self._marks[mark] = None
        while len(self._marks) > _MAX_MARKS:
            del self._marks[next(iter(self._marks))]

    def _marks_of(self, call: ToolCall, text: str) -> tuple[str, str]:
        start, end = call.span
        return _hash("text", " ".join(text[start:end].split())), _hash("call", self._meaning(call))

    def _meaning(self, call: ToolCall) -> str:
        """The call in a form in which two that do the same are equal."""
        name = resolve_tool_name(call.name, self._tools) or call.name
        arguments = dict(call.arguments)
        if name in self._tools:
            parameters = self._tools[name].signature.parameters
            try:
                bound = bind_arguments(arguments, self._tools[name])
            except ArgumentError:
                # It cannot run as it stands; it is still recognised when it comes back as it stands.
                bound = arguments
            arguments = {
                key: value
                for key, value in bound.items()
                if key not in parameters or value != parameters[key].default
            }
        return json.dumps([name, arguments], sort_keys=True, default=repr)


def _hash(kind: str, text: str) -> str:
    return blake2b(f"{kind}\n{text}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
