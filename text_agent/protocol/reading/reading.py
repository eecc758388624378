"""What all readers of calls share: the reply, the tools, and how an outcome is written down."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.binding.aliases import fold_name, parameters_named, resolve_tool_name
from text_agent.protocol.reading.source import ReadError, Source
from text_agent.protocol.tool import ToolDescription, ToolDescriptions
from text_agent.protocol.types import MalformedCall, ToolCall

_NAMESPACE = late_pattern(
    r"^(?:functions?|default_api|tools?|api|multi_tool_use|assistant)[.:]", re.IGNORECASE
)
_NAME_END = late_pattern(r"(?:\.(?:call|invoke|run)|:\d+|<\|.*)$", re.DOTALL)

# Characters of a reply that an error quotes.
_SHOWN_MAX_CHARS = 24

FENCE_BELOW = late_pattern(r"[ \t\r`]*+\n\s*+(?:`{3}|~{3})")
"""A fence on the next line that is not empty."""


class Found(NamedTuple):
    """What a reader found: calls and attempts in their order, and where the text behind them begins."""

    items: tuple[ToolCall | MalformedCall, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply that is being read for the calls of `tools`."""

    source: Source  # the reply
    tools: ToolDescriptions  # the tools that exist
    # The JSON objects that were read so far, where they are read from the inside too.
    objects: dict[int, tuple[dict[str, Any], int]] | None = None
    notations: bool = True  # whether edits in the notations of other programs are calls

    @property
    def anywhere(self) -> bool:
        """Whether a foreign text is read instead, in which a call may begin anywhere.

        Whatever stands behind a call may be left away when it is repeated, and its name may be an alias.
        """
        return self.objects is not None

    @property
    def text(self) -> str:
        """The reply."""
        return self.source.text

    def tool(self, name: str) -> ToolDescription | None:
        """The tool that a call of `name` means; None if it is unknown."""
        known = resolve_tool_name(name, self.tools)
        return self.tools[known] if known is not None else None

    def called(self, name: str) -> str:
        """A tool's name without namespaces, call numbers and template tokens around it."""
        return clean_name(name, self.tools)

    def is_known(self, item: ToolCall | MalformedCall) -> bool:
        """Whether a call or an attempt names a tool that exists."""
        return item.name is not None and self.tool(item.name) is not None

    def only_look(self, items: Iterable[ToolCall | MalformedCall]) -> bool:
        """Whether all of what was read changes nothing, whatever it says."""
        tools = [self.tool(item.name) if item.name else None for item in items]
        return all(tool is not None and tool.words.harmless for tool in tools)

    def is_plausible(self, items: Iterable[ToolCall | MalformedCall]) -> bool:
        """Whether what was read behind a call goes on with calls: not a sentence or other data."""
        return all(isinstance(item, ToolCall) or self.is_known(item) for item in items)

    def missing(self, call: ToolCall) -> list[str]:
        """The required parameters of a known tool that the call does not give, under any name."""
        tool = self.tool(call.name)
        if tool is None:
            return []
        given = {each for key in call.arguments for each in (key, *parameters_named(key, tool))}
        return [name for name in tool.needed(given) if not _gives(call.arguments, name, tool)]

    def lacks_block(self, item: ToolCall | MalformedCall | None) -> str | None:
        """The parameter that a fenced block behind a call would be; None if it lacks none, or is no call."""
        if not isinstance(item, ToolCall):
            return None
        tool = self.tool(item.name)
        parameter = tool.payload if tool else None
        return parameter if parameter in self.missing(item) else None

    def malformed(
        self, name: str | None, start: int, error: ReadError, suggestion: str | None = None
    ) -> MalformedCall:
        """The attempt that begins at `start` and could not be read."""
        self.source.reach(error.position)
        self.source.charge(start)
        end = self.source.end if error.cut else max(error.position, start)
        message = error.message if error.cut else f"{error.message}, at {self._shown(error.position)}"
        return MalformedCall(message, name, suggestion, error.cut, span=(start, end))

    def failed(
        self,
        name: str | None,
        start: int,
        error: ReadError,
        end: int | None = None,
        suggestion: str | None = None,
    ) -> Found:
        """The same as what was found; the text behind it goes on at `end`, or behind the attempt."""
        malformed = self.malformed(name, start, error, suggestion)
        return Found((malformed,), start, malformed.span[1] if end is None else end)

    def _shown(self, position: int) -> str:
        shown, line_break, _ = self.text[position : position + _SHOWN_MAX_CHARS].partition("\n")
        if not line_break and position + _SHOWN_MAX_CHARS > self.source.end:
            self.source.reached_end = True
        following = shown.strip()
        return repr(following) if following else "the end of the line"


def begins_line(text: str, position: int) -> bool:
    """Whether nothing but white space stands before `position` on its line."""
    before = text[max(0, position - 200) : position].rpartition("\n")
    return bool(before[1] or position < 200) and not before[2].strip()


def _gives(arguments: Mapping[str, Any], name: str, tool: ToolDescription) -> bool:
    return arguments.get(name) is not None or any(
        fold_name(key) == fold_name(name) or name in parameters_named(key, tool)
        for key in arguments
        if key not in tool.properties
    )


def clean_name(name: str, tools: Container[str]) -> str:
    """A tool's name without what may stand around it; that of one of `tools` as it is."""
    bare = name.strip().strip("`\"'* ")
    return bare if bare in tools else _NAME_END.sub("", _NAMESPACE.sub("", bare))


def taught_form(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as it should have been written."""
    return f"tool: {name}({json.dumps(arguments, ensure_ascii=False)})"
