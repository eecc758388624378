"""The system prompt: the template and, for each tool, its signature and docstring."""

from __future__ import annotations

from collections.abc import Iterable

from text_agent.protocol.templates import load_template
from text_agent.protocol.tool import ToolDescription
from text_agent.protocol.writing import render_signature


def render_system_prompt(tools: Iterable[ToolDescription], notes: str = "") -> str:
    """Builds the system prompt that tells a model of `tools` and how to call them.

    Args:
        tools: in the order in which they are told.
        notes: what stands behind all of that: the project's notes.
    """
    described = "\n\n".join(f"{render_signature(tool)}\n{_indented(tool.docstring)}" for tool in tools)
    return "\n\n".join(filter(None, [load_template("system").substitute(tools=described).strip(), notes]))


def _indented(docstring: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in docstring.splitlines())
