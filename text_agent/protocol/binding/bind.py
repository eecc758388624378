"""From what a model wrote to what a tool takes: names, then values.

A name is read as another one only where nothing else can be meant, a value is converted only where
nothing is lost. Everything else is an error that tells the model the signature.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from text_agent.errors import ArgumentError
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.binding.aliases import fold_name, renamed, resolve_tool_name
from text_agent.protocol.binding.coercion import MisfitError, fit_arguments
from text_agent.protocol.signatures import render_signature
from text_agent.protocol.templates import fill_template
from text_agent.protocol.tool import ToolDescription, ToolDescriptions

# Names of a first and a last line together, and of how many lines are wanted.
_RANGE_NAMES = frozenset({"lines", "linerange", "range", "viewrange", "readrange"})
_COUNT_NAMES = frozenset({"limit", "count", "linecount", "numlines", "maxlines"})
_RANGE_TEXT = late_pattern(r"\s*(\d{1,9})\s*[-:,]\s*(\d{1,9})\s*")


def bind_arguments(arguments: Mapping[str, Any], description: ToolDescription) -> dict[str, Any]:
    """Binds arguments to a tool's parameters, converted to what its schema asks for, at every depth.

    Args:
        arguments: as the model wrote them.
        description: the tool.

    Returns:
        The arguments under the tool's own names. A null for an optional parameter counts as absent.

    Raises:
        ArgumentError: a name is unknown, a required argument is missing, or a value does not fit; its text is
            for the model.

    >>> bind_arguments({"Name": "a", "lines": "3"}, tools["read_note"])
    {'name': 'a', 'lines': 3}
    >>> bind_arguments({}, tools["read_note"])
    Traceback (most recent call last):
    text_agent.errors.ArgumentError: the argument 'name' is missing...
    """
    try:
        return _bind(arguments, description)
    except MisfitError as misfit:
        asked = replace(description, parameters=description.schema_for(_named(arguments, description)))
        text = fill_template(
            "wrong_arguments",
            problem=misfit,
            signature=render_signature(asked),
            received=", ".join(arguments) or "none",
        )
        raise ArgumentError(text) from misfit


def name_arguments(arguments: Mapping[str, Any], description: ToolDescription) -> dict[str, Any]:
    """As `bind_arguments`, but arguments that do not fit are only named, as far as their names are known."""
    try:
        return _bind(arguments, description)
    except MisfitError:
        return _named(arguments, description)


def binds(name: str, arguments: Mapping[str, Any], tools: ToolDescriptions) -> bool:
    """Whether a call of `name` with these arguments could be run."""
    known = resolve_tool_name(name, tools)
    return known is not None and misfit_of(arguments, tools[known]) is None


def misfit_of(arguments: Mapping[str, Any], tool: ToolDescription) -> str | None:
    """What keeps arguments from being bound to a tool's parameters; None if nothing does."""
    try:
        _bind(arguments, tool)
    except MisfitError as misfit:
        return str(misfit)
    return None


def _bind(arguments: Mapping[str, Any], tool: ToolDescription) -> dict[str, Any]:
    named = _split_line_range(_named(arguments, tool), tool)
    return fit_arguments(_written_out(named, tool), tool.schema_for(named), tool.words.parameters)


def _named(arguments: Mapping[str, Any], tool: ToolDescription) -> dict[str, Any]:
    return renamed(arguments, tool.names, tool.words.parameters)


def _written_out(arguments: Mapping[str, Any], tool: ToolDescription) -> Mapping[str, Any]:
    """Turns a payload that was given as JSON for a .json file into its text.

    Models often write `{"path": "package.json", "content": {"name": ...}}`. The data is exact; only the
    layout is ours: indented by two blanks.
    """
    payload = tool.payload
    value = arguments.get(payload or "")
    names_json = any(isinstance(each, str) and each.endswith(".json") for each in arguments.values())
    if (
        payload is None
        or not isinstance(value, dict | list)
        or not names_json
        or not tool.is_free_text(payload)
    ):
        return arguments
    return {**arguments, payload: json.dumps(value, indent=2, ensure_ascii=False) + "\n"}


def _split_line_range(arguments: Mapping[str, Any], tool: ToolDescription) -> Mapping[str, Any]:
    """Replaces `lines: [10, 20]` by a start and an end, and `limit: 5` by the end it leads to.

    Whatever is not clearly a range, or contradicts a start or end beside it, stays as it is.
    """
    if tool.words.lines is None or tool.words.lines[1] in arguments:
        return arguments
    first, last = tool.words.lines
    for name, value in arguments.items():
        folded, others = fold_name(name), {key: arguments[key] for key in arguments if key != name}
        if name in tool.properties:
            continue
        if folded in _RANGE_NAMES and first not in arguments and (pair := _pair(value)):
            # -1 is how some trained tools say "to the last line".
            return {**others, first: pair[0]} | ({} if pair[1] == -1 else {last: pair[1]})
        if folded in _COUNT_NAMES and _is_count(value) and _is_count(start := arguments.get(first, 1)):
            return {**others, first: start, last: start + value - 1}
    return arguments


def _pair(value: Any) -> tuple[int, int] | None:
    if isinstance(value, str) and (match := _RANGE_TEXT.fullmatch(value)):
        return int(match[1]), int(match[2])
    if isinstance(value, list) and len(value) == 2 and all(type(item) is int for item in value):
        return value[0], value[1]
    return None


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0
