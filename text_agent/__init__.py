"""A coding agent for the terminal that needs no native function calling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from text_agent.config.version import __version__

if TYPE_CHECKING:
    from text_agent.protocol.tool import ToolDescriptions
    from text_agent.protocol.types import ParsedReply

__all__ = ["__version__", "parse_reply"]


def parse_reply(text: str, tools: ToolDescriptions | None = None) -> ParsedReply:
    """Reads a model's reply: its calls in order, what only looks like a call, and its prose.

    Never raises, whatever the text.

    Args:
        text: the whole reply.
        tools: the tools that it may call, by name; by default those of every session.
    """
    # Imported on first use, so that `text-agent --version` loads no parser.
    from text_agent.protocol import parse_reply as parse

    return parse(text, _default_tools() if tools is None else tools)


def _default_tools() -> ToolDescriptions:
    from pathlib import Path

    from text_agent.files.workspace import Workspace
    from text_agent.tools.registry import default_tools

    return default_tools(Workspace(Path()))
