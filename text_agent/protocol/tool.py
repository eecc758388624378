"""What the protocol needs to know of a tool."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ToolWords:
    """What models write instead of a tool's and its parameters' own names, and what some parameters are.

    Names are separated by blanks, and compared without case, dashes, underscores and blanks.

    Attributes:
        names: mean the tool itself: its arguments fit, perhaps under other names.
        relatives: come nearest to the tool, although their arguments mean something else.
        parameters: other names of parameters, by their own.
        payload: the parameter that a fenced block behind the call stands for; empty if none can, None for the
            last required text.
        lines: the two parameters that are the first and the last line; None without such.
        continued_by: the tool that adds the next part of a text that is too long for one call; may be empty.
    """

    names: str = ""
    relatives: str = ""
    parameters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    payload: str | None = None
    lines: tuple[str, str] | None = None
    continued_by: str = ""


class ToolDescription(Protocol):
    """A tool as the protocol sees it; nothing here can run it."""

    @property
    def name(self) -> str:
        """The name that the model writes."""
        ...

    @property
    def signature(self) -> inspect.Signature:
        """The parameters that the model may give, annotations evaluated."""
        ...

    @property
    def docstring(self) -> str:
        """What the tool does, for the model."""
        ...

    @property
    def words(self) -> ToolWords:
        """What models write instead of its names."""
        ...


ToolDescriptions = Mapping[str, ToolDescription]
