"""Other names that models use for tools and parameters, as the tools declare them.

An alias counts only where it is not itself the name of a tool or parameter. Names are compared folded:
without case, dashes, underscores and blanks.
"""

from __future__ import annotations

from functools import cache, lru_cache

from text_agent.protocol.tool import ToolDescription, ToolDescriptions


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """The form in which names are compared."""
    return "".join(name.split()).replace("-", "").replace("_", "").casefold()


@cache
def folded_words(words: str) -> frozenset[str]:
    """Names that are separated by blanks, in the form in which they are compared."""
    return frozenset(map(fold_name, words.split()))


def tools_named(name: str, tools: ToolDescriptions) -> list[str]:
    """The tools that `name` is an alias of."""
    folded = fold_name(name)
    return [known for known, tool in tools.items() if folded in folded_words(tool.words.names)]


def tools_related(name: str, tools: ToolDescriptions) -> list[str]:
    """The tools that come nearest to `name`."""
    folded = fold_name(name)
    return [known for known, tool in tools.items() if folded in folded_words(tool.words.relatives)]


def parameters_named(name: str, tool: ToolDescription) -> list[str]:
    """The parameters that `name` is an alias of."""
    folded, words = fold_name(name), tool.words.parameters
    return [known for known in tool.signature.parameters if folded in folded_words(words.get(known, ""))]
