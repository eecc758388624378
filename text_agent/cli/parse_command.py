"""`text-agent parse`: what the parser makes of a reply, for a user who wonders why nothing ran."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from text_agent.files.workspace import Workspace
from text_agent.protocol import parse_reply
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import MalformedCall, ParsedReply, Quotation, ToolCall
from text_agent.tools.registry import default_tools


def run_parse(text: str, stdout: TextIO) -> int:
    """Prints one JSON object a line for each call, malformed call and quotation of a reply, in its order.

    Returns:
        The exit code, 0: a text without a call is no error.
    """
    tools = default_tools(Workspace(Path()))
    for entry in _entries(text, parse_reply(text, tools), tools):
        stdout.write(json.dumps(entry, ensure_ascii=False, default=str) + "\n")
    stdout.flush()
    return 0


def _entries(text: str, parsed: ParsedReply, tools: ToolDescriptions) -> Iterator[dict[str, Any]]:
    found: list[ToolCall | MalformedCall | Quotation] = [*parsed.calls, *parsed.quotations]
    for item in sorted(found, key=lambda item: item.span):
        yield {**_described(item, tools), "line": text.count("\n", 0, item.span[0]) + 1}


def _described(item: ToolCall | MalformedCall | Quotation, tools: ToolDescriptions) -> dict[str, Any]:
    match item:
        case ToolCall():
            described: dict[str, Any] = {"kind": "call", "name": item.name, "arguments": dict(item.arguments)}
            if item.repairs:
                described["repairs"] = list(item.repairs)
            if resolve_tool_name(item.name, tools) is None:
                described["unknown_tool"] = True
            return described
        case MalformedCall():
            return {
                "kind": "malformed",
                "name": item.name,
                "error": item.error,
                "suggestion": item.suggestion,
                "cut": item.cut,
            }
        case Quotation():
            return {"kind": "quotation", "reason": item.reason, "text": item.text}
