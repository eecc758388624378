"""The text protocol: what a model's reply says, and how results go back.

Nothing here runs a tool or knows one: tools come in as descriptions (name, signature, docstring).
"""

from __future__ import annotations

from text_agent.protocol.tool import ToolDescription, ToolDescriptions
from text_agent.protocol.types import MalformedCall, ParsedReply, Quotation, ToolCall

__all__ = [
    "MalformedCall",
    "ParsedReply",
    "Quotation",
    "ToolCall",
    "ToolDescription",
    "ToolDescriptions",
    "parse_reply",
]


def parse_reply(text: str, tools: ToolDescriptions | None = None) -> ParsedReply:
    """Reads a model's reply: its calls in order, what only looks like a call, and its prose.

    Never raises, whatever the text.

    Args:
        text: the whole reply.
        tools: a registry, by name; None takes the default tools.
    """
    from text_agent.protocol.reading.parser import parse_reply as parse

    return parse(text, _default_tools() if tools is None else tools)


def _default_tools() -> ToolDescriptions:
    # The one place where the protocol looks up: a convenience for callers, allowed in the import contract.
    from pathlib import Path

    from text_agent.files.workspace import Workspace
    from text_agent.tools.registry import default_tools

    return default_tools(Workspace(Path()))
