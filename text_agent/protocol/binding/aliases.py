"""Other names that models use for tools and parameters, as the tools declare them.

An alias counts only where it is not itself the name of a tool or parameter. Names are compared folded:
without case, dashes, underscores and blanks.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from text_agent.protocol.tool import ToolDescription, ToolDescriptions


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """The form in which names are compared."""
    return "".join(name.split()).replace("-", "").replace("_", "").casefold()


@cache
def folded_words(words: str) -> frozenset[str]:
    """Names that are separated by blanks, in the form in which they are compared."""
    return frozenset(map(fold_name, words.split()))


def resolve_tool_name(name: str, tools: ToolDescriptions) -> str | None:
    """Finds the tool that is meant by a name: exactly, apart from case, dashes and blanks, or by an alias.

    Args:
        name: as the model wrote it.
        tools: the tools that exist, by name.

    Returns:
        The tool's own name; None if no tool is meant, or two are. Never raises.

    >>> resolve_tool_name("Read-Note", tools)
    'read_note'
    """
    if name in tools:
        return name
    folded = fold_name(name)
    same = [known for known in tools if fold_name(known) == folded]
    return _only(same or [known for known, tool in tools.items() if folded in folded_words(tool.words.names)])


def tools_related(name: str, tools: ToolDescriptions) -> list[str]:
    """The tools that come nearest to `name`, as they declare."""
    folded = fold_name(name)
    return [known for known, tool in tools.items() if folded in folded_words(tool.words.relatives)]


def nearest_tool(name: str, tools: ToolDescriptions) -> str | None:
    """The tool that comes nearest to `name`, to be proposed, never to be run."""
    return resolve_tool_name(name, tools) or _only(tools_related(name, tools)) or nearest_name(name, tools)


def nearest_name(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is most like `name`; None if none is like it."""
    folded = {fold_name(candidate): candidate for candidate in candidates}
    close = difflib.get_close_matches(fold_name(name), folded, n=1)
    return folded[close[0]] if close else None


def parameters_named(name: str, tool: ToolDescription) -> list[str]:
    """The parameters that `name` is an alias of."""
    folded, words = fold_name(name), tool.words.parameters
    return [known for known in tool.names if folded in folded_words(words.get(known, ""))]


def parameter_name(name: str, names: Iterable[str], words: Mapping[str, str]) -> str:
    """The one of `names` that is meant by `name`; `name` itself if none is, or several are.

    `name`: as the model wrote it. `names`: of the parameters. `words`: their other names.
    """
    if name in names:
        return name
    folded = fold_name(name)
    same = [known for known in names if fold_name(known) == folded]
    return _only(same or [known for known in names if folded in folded_words(words.get(known, ""))]) or name


def renamed(arguments: Mapping[str, Any], names: Iterable[str], words: Mapping[str, str]) -> dict[str, Any]:
    """Gives arguments their parameters' names; two that mean the same parameter keep their own."""
    targets = {name: parameter_name(name, names, words) for name in arguments}
    meant = list(targets.values())
    return {name if meant.count(target) > 1 else target: arguments[name] for name, target in targets.items()}


def _only(candidates: list[str]) -> str | None:
    return candidates[0] if len(candidates) == 1 else None
