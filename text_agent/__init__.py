"""A coding agent for the terminal that needs no native function calling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text_agent.protocol import parse_reply

__version__ = "0.1.0"

__all__ = ["__version__", "parse_reply"]


def __getattr__(name: str) -> Any:
    # Imported on first use, so that `text-agent --version` loads no parser.
    if name == "parse_reply":
        from text_agent.protocol import parse_reply

        return parse_reply
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
