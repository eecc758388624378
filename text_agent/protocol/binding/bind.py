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
from text_agent.protocol.binding.aliases import nearest_tool, renamed, resolve_tool_name
from text_agent.protocol.binding.coercion import MisfitError, fit_arguments
from text_agent.protocol.binding.line_ranges import split_line_range
from text_agent.protocol.signatures import render_signature
from text_agent.protocol.templates import fill_template
from text_agent.protocol.tool import ToolDescription, ToolDescriptions

__all__ = ["bind_arguments", "binds", "misfit_of", "name_arguments", "nearest_tool", "resolve_tool_name"]


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
    named = split_line_range(_named(arguments, tool), tool)
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
