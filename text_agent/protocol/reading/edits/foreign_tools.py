"""Calls of other programs' editing tools, as calls of the tools that take edits.

A patch may be the argument of a tool, an editor may be one tool with a `command`, and a command line may feed
a patch to a program that does not exist here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.binding.aliases import fold_name, folded_words, parameters_named, tools_related
from text_agent.protocol.reading.edits.reader import EditReader
from text_agent.protocol.reading.edits.values import Cursor
from text_agent.protocol.reading.reading import Reading
from text_agent.protocol.reading.source import Source
from text_agent.protocol.tool import ToolDescription
from text_agent.protocol.types import FOREIGN_TOOL, SUPPLIED_ENDS, MalformedCall, ToolCall

_VERB_KEYS = ("command", "action", "operation")
_FED = late_pattern(r"\s*(?:cd [^\n&;|]+&& *)?(?=apply_?patch[ \t]+<<)")


def own_calls(reading: Reading, call: ToolCall) -> list[ToolCall | MalformedCall]:
    """The calls of our own tools that a call means; itself if it is one, or means none."""
    if not reading.notations:
        return [call]
    return _by_verb(reading, call) or _by_notation(reading, call) or [call]


def _by_verb(reading: Reading, call: ToolCall) -> list[ToolCall | MalformedCall]:
    """A call of an editor, by what it is told to do."""
    if reading.tool(call.name) or not tools_related(call.name, reading.tools):
        return []
    for key in _VERB_KEYS:
        verb = call.arguments.get(key)
        for name, tool in reading.tools.items() if isinstance(verb, str) else ():
            if fold_name(str(verb)) in folded_words(tool.words.verbs):
                others = {
                    each: value for each, value in call.arguments.items() if each != key and value is not None
                }
                return [replace(call, name=name, arguments=others, repairs=(*call.repairs, FOREIGN_TOOL))]
    return []


def _by_notation(reading: Reading, call: ToolCall) -> list[ToolCall | MalformedCall]:
    """A call with edits in another notation among its arguments."""
    for key, text in _texts(call.arguments):
        fed = _FED.match(text)
        tool = reading.tool(call.name)
        if fed and (tool is None or [*call.arguments] == [*tool.properties][: len(call.arguments)]):
            return _read(reading, call, text[fed.end() :], "")
        if _takes_edits(reading, call, tool) and key not in (tool.properties if tool else ()):
            others = {name: value for name, value in call.arguments.items() if name != key}
            if edits := _read(reading, call, text, _path(reading, others)):
                return edits
    return []


def _takes_edits(reading: Reading, call: ToolCall, tool: ToolDescription | None) -> bool:
    """Whether the tool is one for edits, and is given no edit in our own form."""
    if tool is None:
        return any(reading.tools[name].words.edits for name in tools_related(call.name, reading.tools))
    return bool(tool.words.edits and tool.words.edits.parts) and bool(reading.missing(call))


def _texts(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in arguments.items():
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            value = value[-1]  # ["apply_patch", "*** Begin Patch ..."]
        if isinstance(value, str):
            yield key, value


def _path(reading: Reading, arguments: Mapping[str, Any]) -> str:
    for tool in reading.tools.values():
        if tool.words.edits and tool.words.edits.parts:
            for key, value in arguments.items():
                path = tool.words.edits.path
                if isinstance(value, str) and (key == path or path in parameters_named(key, tool)):
                    return value
    return ""


def _read(reading: Reading, call: ToolCall, text: str, path: str) -> list[ToolCall | MalformedCall]:
    """The edits that a text is, and nothing else."""
    inner = Reading(Source(text.strip("\n") + "\n"), reading.tools)
    reader = EditReader(inner)
    items = reader.all_of(Cursor(inner.text, 0), path) if reader.reads else None
    return [replace(item, span=call.span, **_own_end(item, call)) for item in items or ()]


def _own_end(item: ToolCall | MalformedCall, call: ToolCall) -> dict[str, Any]:
    """What is another one where edits end with a text: it is the call that says whether that is whole."""
    if isinstance(item, MalformedCall):
        return {"cut": False}
    notes = [repair for repair in item.repairs if repair not in SUPPLIED_ENDS]
    return {"repairs": (*notes, *call.repairs, FOREIGN_TOOL)}
