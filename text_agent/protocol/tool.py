"""What the protocol needs to know of a tool."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Protocol


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


ToolDescriptions = Mapping[str, ToolDescription]
