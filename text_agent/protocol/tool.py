"""What the protocol needs to know of a tool."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.schemas import JsonType, Schema, alternatives, is_free_text, types_of

_WORD = late_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\da-zA-Z_]+")
# What the name of a parameter ends with that holds a text of any length; never a path, a name or an id.
_PAYLOAD_WORDS = frozenset(
    {"content", "contents", "text", "body", "string", "str", "message", "prompt", "instructions"}
    | {"command", "commands", "cmd", "script", "code", "source", "snippet", "patch", "diff", "sql", "html"}
    | {"markdown", "expression", "replacement", "data", "document"}
)


@dataclass(frozen=True, slots=True)
class EditParameters:
    """The parameters by which a tool takes an edit that was read from another notation; empty for none."""

    path: str  # the file
    text: str = ""  # all of a new file's text
    old: str = ""  # the lines that are to be replaced
    new: str = ""  # those that take their place
    # Several edits of the file, as objects with the members `old`, `new`, `under` and `at_end`.
    parts: str = ""
    whole: str = ""  # says that only whole lines are meant
    under: str = ""  # lines, one inside the other, below which the edit is meant
    at_end: str = ""  # says that the edit is meant at the file's end
    target: str = ""  # the file's new path
    delete: str = ""  # says that the file is to go


@dataclass(frozen=True, slots=True)
class ToolWords:
    """What models write instead of a tool's and its parameters' own names, and what some parameters are.

    Names are separated by blanks, and compared without case, dashes, underscores and blanks.

    Attributes:
        names: mean the tool itself: its arguments fit, perhaps under other names.
        relatives: come nearest to the tool, although their arguments mean something else.
        parameters: other names of parameters, by their own.
        payload: the parameter that a fenced block behind the call stands for; empty if none can, None for the
            last required text that is a content, a command or the like by its name.
        lines: the two parameters that are the first and the last line; None without such.
        continued_by: the tool that adds the next part of a text that is too long for one call; may be empty.
        harmless: whether its calls change nothing, so that one may run where it could only be shown.
        further: the schemas of parameters that are read, but not told. A call that gives one of them has to
            give no other parameter but the first.
        verbs: what the editors of other programs, which are one tool with a `command`, are told for it.
        edits: how the tool takes edits in other notations; None if it takes none.

    >>> ToolWords(names="show_note", parameters={"name": "title"}).names
    'show_note'
    """

    names: str = ""
    relatives: str = ""
    parameters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    payload: str | None = None
    lines: tuple[str, str] | None = None
    continued_by: str = ""
    harmless: bool = False
    further: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    verbs: str = ""
    edits: EditParameters | None = None


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """A tool as the protocol sees it; nothing here can run it.

    `describe` makes one of a Python function, `from_schema` of the JSON that function calling uses.

    Attributes:
        name: what the model writes; any text without blanks and brackets.
        description: what the tool does, for the model.
        parameters: the JSON Schema of its arguments: an object with `properties`, in their order.
        words: what models write instead of its names.

    >>> ToolDescription.from_schema("get-time", "Tells the time.").name
    'get-time'
    """

    name: str
    description: str
    parameters: Schema
    words: ToolWords = field(default_factory=ToolWords)

    @classmethod
    def from_schema(
        cls,
        name: str,
        description: str = "",
        parameters: Schema | None = None,
        words: ToolWords | None = None,
    ) -> ToolDescription:
        """Describes a tool of another program, as in the `tools` of a chat completion.

        Args:
            name: as that program has it.
            description: for the model.
            parameters: the JSON Schema of the arguments; None for a tool without any.
            words: what models write instead of its names.
        """
        root = parameters or {}
        plain = alternatives(root, root)
        properties = {key: value for each in plain for key, value in each.get("properties", {}).items()}
        required = [key for key in properties if all(key in each.get("required", ()) for each in plain)]
        return cls(
            name, description, {**root, "properties": properties, "required": required}, words or ToolWords()
        )

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schemas of the parameters by name, in their order."""
        found: Mapping[str, Any] = self.parameters["properties"]
        return found

    @property
    def required(self) -> Sequence[str]:
        """The parameters that a call must give, in their order."""
        found: Sequence[str] = self.parameters["required"]
        return found

    @property
    def names(self) -> Sequence[str]:
        """The names of all parameters that a call may give, those that are not told among them."""
        return [*self.properties, *self.words.further]

    def needed(self, given: Collection[str]) -> Sequence[str]:
        """The parameters that a call must give which gives those of the names `given`."""
        return self.required[:1] if self.words.further.keys() & given else self.required

    def schema_for(self, given: Collection[str]) -> Schema:
        """The schema of the arguments of a call that gives parameters of these names."""
        further = self.words.further
        if not further.keys() & given:
            return self.parameters
        return {
            **self.parameters,
            "properties": {**self.properties, **further},
            "required": self.needed(given),
        }

    @property
    def payload(self) -> str | None:
        """The parameter that a fenced block behind a call stands for; None if none can."""
        if self.words.payload is not None:
            return self.words.payload or None
        return next((name for name in reversed(self.required) if self._is_payload(name)), None)

    @property
    def only_text(self) -> str | None:
        """The parameter that a text alone stands for: the first one, if no other must be given."""
        first = next(iter(self.properties), "")
        return first if [*self.required] == [first] and self.is_free_text(first) else None

    def takes(self, name: str, kind: JsonType) -> bool:
        """Whether a parameter takes values of a type."""
        return kind in types_of(self.properties[name], self.parameters)

    def is_free_text(self, name: str) -> bool:
        """Whether a parameter takes texts of any wording, and nothing else."""
        return is_free_text(self.properties[name], self.parameters)

    def _is_payload(self, name: str) -> bool:
        words = _WORD.findall(name)
        return bool(words) and words[-1].casefold() in _PAYLOAD_WORDS and self.is_free_text(name)


ToolDescriptions = Mapping[str, ToolDescription]
