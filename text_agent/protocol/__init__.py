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


def parse_reply(text: str, tools: ToolDescriptions) -> ParsedReply:
    """Reads a model's reply: its calls in order, what only looks like a call, and its prose.

    Never raises, whatever the text.

    Args:
        text: the whole reply.
        tools: the tools that it may call, by name.
    """
    # Imported on first use: who only needs a type loads no parser.
    from text_agent.protocol.reading.parser import parse_reply as parse

    return parse(text, tools)
