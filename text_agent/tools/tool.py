"""A tool made from a plain function, and what its module declares of it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from text_agent.files.workspace import FileChange
from text_agent.permissions.policy import Effect
from text_agent.protocol.tool import ToolWords
from text_agent.protocol.types import ToolKind

_Function = TypeVar("_Function", bound=Callable[..., Any])
_EFFECTS: Mapping[ToolKind, Effect] = {
    "looks": "read",
    "plans": "read",
    "changes": "write",
    "runs": "execute",
}
_KINDS: Mapping[Effect, ToolKind] = {"read": "looks", "write": "changes", "execute": "runs"}


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a tool's module says of it; as a decorator, it declares the function.

    A function without one may do anything, and is asked about in every mode.

    Attributes:
        kind: what its calls are.
        paths: the parameters that hold paths: a text, or texts at any depth; None if nobody has said which.
        command: the parameter that is a command line; empty if none is.
        words: what models write instead of its names.
    """

    kind: ToolKind = "changes"
    paths: tuple[str, ...] | None = None
    command: str = ""
    words: ToolWords = field(default_factory=ToolWords)

    @property
    def parameters(self) -> set[str]:
        """The parameters that are declared to be something."""
        words = self.words
        named = (*(self.paths or ()), self.command, words.payload or "", *(words.lines or ()))
        return {*named, *words.parameters} - {""}

    def __call__(self, function: _Function) -> _Function:
        """Declares `function`, which stays what it is."""
        vars(function)["declaration"] = self
        return function


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model can call by writing its name.

    Attributes:
        name: what the model writes.
        signature: what the model sees; parameters bound beforehand are not in it.
        docstring: product text: the model reads it in the system prompt.
        declaration: what a call does, and to what; the permission policy decides by it.
        function: returns the result's text, or a `FileChange` that is reviewed before it is applied.
            Raises `ToolError` for what the model should be told.
    """

    name: str
    signature: inspect.Signature
    docstring: str
    declaration: Declaration
    function: Callable[..., str | FileChange]

    @classmethod
    def from_function(
        cls, function: Callable[..., str | FileChange], *bound: Any, effect: Effect | None = None
    ) -> Tool:
        """Makes a tool of `function`, with its first parameters already given as `bound`.

        Args:
            function: perhaps with a `Declaration`.
            bound: values of its first parameters.
            effect: of its calls, if it is not declared.

        Raises:
            ValueError: the function has no docstring, so that no model could know what it does; or a
                parameter is declared that it has not.
        """
        docstring = inspect.getdoc(function)
        if not docstring:
            raise ValueError(f"the tool {function.__name__!r} needs a docstring")
        declaration: Declaration = getattr(function, "declaration", Declaration())
        if effect and effect != _EFFECTS[declaration.kind]:
            declaration = replace(declaration, kind=_KINDS[effect])
        ready = functools.partial(function, *bound) if bound else function
        signature = inspect.signature(ready, eval_str=True)
        for name in declaration.parameters:
            if name not in signature.parameters:
                raise ValueError(f"the tool {function.__name__!r} has no parameter {name!r}")
        return cls(function.__name__, signature, docstring, declaration, ready)

    @property
    def words(self) -> ToolWords:
        """What models write instead of its names."""
        return self.declaration.words

    @property
    def kind(self) -> ToolKind:
        """What a call is for the user."""
        return self.declaration.kind

    @property
    def effect(self) -> Effect:
        """What a call does to the world."""
        return _EFFECTS[self.kind]

    @property
    def proposes_change(self) -> bool:
        """Whether a call only computes a `FileChange`, so that it may run before it is approved."""
        return self.signature.return_annotation is FileChange
