"""From what a model wrote to what a tool takes: names, then values.

A name is read as another one only where nothing else can be meant, a value is converted only where
nothing is lost. Everything else is an error that tells the model the signature.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from text_agent.errors import ArgumentError
from text_agent.protocol.binding.aliases import (
    fold_name,
    parameters_named,
    tools_named,
    tools_related,
)
from text_agent.protocol.binding.coercion import coerce, write_out_json
from text_agent.protocol.binding.line_ranges import split_line_range
from text_agent.protocol.signatures import is_required, render_signature
from text_agent.protocol.templates import load_template
from text_agent.protocol.tool import ToolDescription, ToolDescriptions


def resolve_tool_name(name: str, tools: ToolDescriptions) -> str | None:
    """The tool that is meant by `name`: exactly, apart from case, dashes and blanks, or by an alias."""
    if name in tools:
        return name
    return _only(_same_but_for_spelling(name, tools) or tools_named(name, tools))


def nearest_tool(name: str, tools: ToolDescriptions) -> str | None:
    """The tool that comes nearest to `name`, to be proposed, never to be run."""
    related = resolve_tool_name(name, tools) or _only(tools_related(name, tools))
    return related or _most_similar(name, tools)


def bind_arguments(arguments: Mapping[str, Any], description: ToolDescription) -> dict[str, Any]:
    """The arguments under the tool's own names, converted to the types that its signature annotates.

    A null for an optional parameter counts as absent.

    Raises:
        ArgumentError: a name is unknown, a required argument is missing, or a value does not fit.
    """
    try:
        return _bind(arguments, description)
    except _MisfitError as misfit:
        text = load_template("wrong_arguments").substitute(
            problem=misfit, signature=render_signature(description), received=", ".join(arguments) or "none"
        )
        raise ArgumentError(text) from misfit


def name_arguments(arguments: Mapping[str, Any], description: ToolDescription) -> dict[str, Any]:
    """As `bind_arguments`, but arguments that do not fit are only named, as far as their names are known."""
    try:
        return _bind(arguments, description)
    except _MisfitError:
        return _rename(arguments, description)


def binds(name: str, arguments: Mapping[str, Any], tools: ToolDescriptions) -> bool:
    """Whether a call of `name` with these arguments could be run."""
    known = resolve_tool_name(name, tools)
    if known is None:
        return False
    try:
        _bind(arguments, tools[known])
    except _MisfitError:
        return False
    return True


class _MisfitError(Exception):
    """Arguments and a signature do not fit; the text says where."""


def _bind(arguments: Mapping[str, Any], tool: ToolDescription) -> dict[str, Any]:
    parameters = _parameters(tool.signature)
    named = split_line_range(_rename(arguments, tool), tool)
    given = {
        name: value
        for name, value in write_out_json(named, tool).items()
        if value is not None or name not in parameters or is_required(parameters[name])
    }
    _check_names(given, parameters, tool)
    return {
        name: _convert(name, value, parameters[name].annotation) if name in parameters else value
        for name, value in given.items()
    }


def _convert(name: str, value: Any, annotation: Any) -> Any:
    try:
        return coerce(value, annotation)
    except ValueError as error:
        raise _MisfitError(f"the argument {name!r} {error}") from error


def _parameters(signature: inspect.Signature) -> dict[str, inspect.Parameter]:
    return {
        name: parameter
        for name, parameter in signature.parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }


def _rename(arguments: Mapping[str, Any], tool: ToolDescription) -> dict[str, Any]:
    """Gives arguments their parameters' names; two that mean the same parameter keep their own."""
    targets = {name: _parameter_name(name, tool) for name in arguments}
    meant = list(targets.values())
    return {name if meant.count(target) > 1 else target: arguments[name] for name, target in targets.items()}


def _parameter_name(name: str, tool: ToolDescription) -> str:
    parameters = _parameters(tool.signature)
    if name in parameters:
        return name
    candidates = _same_but_for_spelling(name, parameters) or parameters_named(name, tool)
    return _only(candidates) or name


def _check_names(
    given: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter], tool: ToolDescription
) -> None:
    open_ended = any(p.kind is p.VAR_KEYWORD for p in tool.signature.parameters.values())
    unknown = [] if open_ended else [name for name in given if name not in parameters]
    missing = [name for name, p in parameters.items() if is_required(p) and name not in given]
    problems = [_unknown_problem(name, tool, given) for name in unknown]
    problems += [f"the argument {name!r} is missing" for name in missing]
    if problems:
        raise _MisfitError("; ".join(problems))


def _unknown_problem(name: str, tool: ToolDescription, given: Mapping[str, Any]) -> str:
    target = _parameter_name(name, tool)
    if target != name:
        return f"{name!r} and another argument both mean {target!r}"
    nearest = _most_similar(name, [known for known in _parameters(tool.signature) if known not in given])
    return f"there is no argument {name!r}" + (f" (did you mean {nearest!r}?)" if nearest else "")


def _same_but_for_spelling(name: str, candidates: Iterable[str]) -> list[str]:
    return [candidate for candidate in candidates if fold_name(candidate) == fold_name(name)]


def _only(candidates: list[str]) -> str | None:
    return candidates[0] if len(candidates) == 1 else None


def _most_similar(name: str, candidates: Iterable[str]) -> str | None:
    folded = {fold_name(candidate): candidate for candidate in candidates}
    close = difflib.get_close_matches(fold_name(name), folded, n=1)
    return folded[close[0]] if close else None
