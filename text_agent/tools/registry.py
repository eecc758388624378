"""The tools that a session has."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import takewhile
from types import ModuleType
from typing import Any

from text_agent import tools
from text_agent.files.workspace import Workspace
from text_agent.tools.editing.documents import PLAIN_EDITS, EditPolicy
from text_agent.tools.run_command import CommandHost
from text_agent.tools.tool import Declaration, Tool, ToolFunction, hints_of


class ToolRegistry(Mapping[str, Tool]):
    """Tools by name, in the order in which the model sees them.

    A function says by its `Declaration` what it does. One that has none is taken for one that may change
    anything, and is asked about in every mode.
    """

    def __init__(self, *given: Tool | ToolFunction) -> None:
        """Raises `ValueError` if two tools have one name."""
        self._tools: dict[str, Tool] = {}
        for each in given:
            tool = each if isinstance(each, Tool) else Tool.from_function(each)
            if tool.name in self._tools:
                raise ValueError(f"there are two tools named {tool.name!r}")
            self._tools[tool.name] = tool

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def hold_edits_to(self, policy: EditPolicy) -> None:
        """Holds changes of files to `policy` from now on."""
        for name, tool in self._tools.items():
            if isinstance(tool.function, partial) and "policy" in tool.function.keywords:
                self._tools[name] = replace(tool, function=partial(tool.function, policy=policy))


def default_tools(
    workspace: Workspace, host: CommandHost | None = None, edits: EditPolicy = PLAIN_EDITS
) -> ToolRegistry:
    """The tools of every session: what the modules of this package declare, bound to `workspace`.

    `workspace`: where they work. `host`: how commands run; by default as the user, without a sandbox.
    `edits`: what changes of files are held to.
    """
    given = {Workspace: workspace, CommandHost: host or CommandHost(workspace), EditPolicy: edits}
    return ToolRegistry(*(_bind(function, given) for function in declared_functions(tools)))


def _bind(function: ToolFunction, given: Mapping[type, Any]) -> Tool:
    """The tool of a function whose parameters of the types in `given` have these values."""
    values = {name: given[hint] for name, hint in hints_of(function).items() if hint in given}
    first = list(takewhile(values.__contains__, inspect.signature(function).parameters))
    options = {name: value for name, value in values.items() if name not in first}
    return Tool.from_function(function, *(values[name] for name in first), **options)


@cache
def declared_functions(package: ModuleType) -> tuple[ToolFunction, ...]:
    """The functions that the modules of a package declare as tools, by their ranks."""
    names = [each.name for each in pkgutil.iter_modules(package.__path__) if not each.ispkg]
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    functions = [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(getattr(value, "declaration", None), Declaration)
        and value.__module__ == module.__name__
    ]
    return tuple(sorted(functions, key=lambda function: function.declaration.rank))
