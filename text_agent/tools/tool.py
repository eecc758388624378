"""A tool made from a plain function, and what its module declares of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, get_type_hints

from text_agent.files.workspace import FileChange
from text_agent.permissions.policy import Effect
from text_agent.protocol.describing import describe
from text_agent.protocol.tool import ToolDescription, ToolWords
from text_agent.protocol.types import AppliedChange, Plan, ToolKind

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
    """

    kind: ToolKind = "changes"  # what its calls are
    # The parameters that hold paths: a text, or texts at any depth; None if nobody has said which.
    paths: tuple[str, ...] | None = None
    command: str = ""  # the parameter that is a command line; empty if none is
    words: ToolWords = field(default_factory=ToolWords)  # what models write instead of its names
    # Its place among the tools of a session, the lowest first. Small models take what is named first most
    # often.
    rank: int = 100
    # Makes the description from the docstring and the values that are bound; None for the docstring as it is.
    describe: Callable[..., str] | None = None
    # Tells of the first bound value and a call's arguments whether the call only tells of something that was
    # done before, as far as can be seen; None if that cannot be told.
    done: Callable[[Any, Mapping[str, Any]], bool] | None = None

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
class Outcome:
    """What a call came to: the data, and what the text for the model is made from."""

    text: str  # what happened
    # What a command printed; it stands below that. Empty if it printed nothing.
    output: str = ""
    notes: tuple[str, ...] = ()  # what else the model should know, each on a line of its own
    exit_code: int | None = None  # that of the command, which failed unless it is 0; None if none was run
    change: AppliedChange | None = None  # what was changed in a file
    plan: Plan | None = None  # what the model says that it is about to do

    def render(self) -> str:
        """The whole text."""
        silence = "" if self.exit_code is None else "(no output)"
        return "\n".join([*filter(None, [self.text, self.output or silence]), *self.notes])


ToolFunction = Callable[..., str | Outcome | FileChange]
# The types of a function's parameters, and of what it returns: they take long to find, and stay the same.
hints_of = functools.lru_cache(maxsize=64)(get_type_hints)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(ToolDescription):
    """A function that the model can call by writing its name."""

    declaration: Declaration  # what a call does, and to what; the permission policy decides by it
    # Returns the result's text, an `Outcome` where the program is to know more of it, or a `FileChange` that
    # is reviewed before it is applied. Raises `ToolError` for what the model should be told.
    function: ToolFunction
    # Whether a call only computes a `FileChange`, so that it may run before approval.
    proposes_change: bool = False

    @classmethod
    def from_function(
        cls, function: ToolFunction, *bound: Any, effect: Effect | None = None, **options: Any
    ) -> Tool:
        """Makes a tool of `function`, with its first parameters already given as `bound`.

        Raises `ValueError`: the function has no docstring, so that no model could know what it does; or a
        parameter is declared that it has not, or has a type that is none of JSON.

        Args:
            function: perhaps with a `Declaration`.
            bound: values of its first parameters.
            effect: of its calls, if it is not declared.
            options: values of other parameters, which the model is not told of.
        """
        declaration: Declaration = getattr(function, "declaration", Declaration())
        if effect and effect != _EFFECTS[declaration.kind]:
            declaration = replace(declaration, kind=_KINDS[effect])
        words = replace(declaration.words, harmless=_EFFECTS[declaration.kind] == "read")
        described = _as_told(describe(function, words, bound=len(bound), given=options))
        if not described.description:
            raise ValueError(f"the tool {function.__name__!r} needs a docstring")
        for name in declaration.parameters:
            if name not in described.names:
                raise ValueError(f"the tool {function.__name__!r} has no parameter {name!r}")
        describe_more = declaration.describe or (lambda text, *_: text)
        return cls(
            described.name,
            describe_more(described.description, *bound),
            described.parameters,
            described.words,
            declaration=declaration,
            function=functools.partial(function, *bound, **options) if bound or options else function,
            proposes_change=hints_of(function).get("return") is FileChange,
        )

    @property
    def kind(self) -> ToolKind:
        """What a call is for the user."""
        return self.declaration.kind

    @property
    def effect(self) -> Effect:
        """What a call does to the world."""
        return _EFFECTS[self.kind]


def _as_told(described: ToolDescription) -> ToolDescription:
    """The description, in which a default that only counts beside a further parameter is none."""
    if not described.words.further:
        return described
    properties = {
        name: {key: value for key, value in schema.items() if key != "default"}
        for name, schema in described.properties.items()
    }
    closed = {"properties": properties, "required": [*properties], "additionalProperties": False}
    return replace(described, parameters={**described.parameters, **closed})
