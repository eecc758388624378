"""The system prompt: the template and, for each tool, its signature and description."""

from __future__ import annotations

from collections.abc import Iterable

from text_agent.protocol.signatures import render_remarks, render_signature
from text_agent.protocol.templates import load_template
from text_agent.protocol.tool import ToolDescription


def render_system_prompt(tools: Iterable[ToolDescription], notes: str = "") -> str:
    """Builds the system prompt that tells a model of `tools` and how to call them.

    Args:
        tools: in the order in which they are told.
        notes: what stands behind all of that: the project's notes.
    """
    texts = [(render_signature(tool), tool.description + render_remarks(tool)) for tool in tools]
    described = "\n\n".join(f"{signature}\n{_indented(text)}" for signature, text in texts)
    return "\n\n".join(filter(None, [load_template("system").substitute(tools=described).strip(), notes]))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())
