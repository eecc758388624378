"""A tool made from a plain function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from text_agent.files.workspace import FileChange
from text_agent.permissions.policy import Effect


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model can call by writing its name.

    Attributes:
        name: what the model writes.
        signature: what the model sees; parameters bound beforehand are not in it.
        docstring: product text: the model reads it in the system prompt.
        effect: what a call does to the world; the permission policy decides by it.
        function: returns the result's text, or a `FileChange` that is reviewed before it is applied.
            Raises `ToolError` for what the model should be told.
    """

    name: str
    signature: inspect.Signature
    docstring: str
    effect: Effect
    function: Callable[..., str | FileChange]

    @classmethod
    def from_function(
        cls, function: Callable[..., str | FileChange], *bound: Any, effect: Effect = "read"
    ) -> Tool:
        """Makes a tool of `function`, with its first parameters already given as `bound`.

        Raises:
            ValueError: the function has no docstring, so that no model could know what it does.
        """
        docstring = inspect.getdoc(function)
        if not docstring:
            raise ValueError(f"the tool {function.__name__!r} needs a docstring")
        ready = functools.partial(function, *bound) if bound else function
        signature = inspect.signature(ready, eval_str=True)
        return cls(function.__name__, signature, docstring, effect, ready)

    @property
    def proposes_change(self) -> bool:
        """Whether a call only computes a `FileChange`, so that it may run before it is approved."""
        return self.signature.return_annotation is FileChange
