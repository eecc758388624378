"""The system prompt: the template and, for each tool, its signature and description."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from text_agent.protocol.signatures import render_remarks, render_signature
from text_agent.protocol.templates import fill_template
from text_agent.protocol.tool import ToolDescription
from text_agent.protocol.writing import render_form


def render_system_prompt(tools: Iterable[ToolDescription], notes: str = "") -> str:
    """Builds the system prompt that tells a model of `tools` and how to call them.

    `tools`: in the order in which they are told. `notes`: what stands behind all of that: the project's
    notes.
    """
    return "\n\n".join(filter(None, [fill_template("system", tools=_described(tools)).strip(), notes]))


def system_prompt(tools: Iterable[ToolDescription], task: str = "") -> str:
    """Tells a model of another program's tools, and how to call them.

    Args:
        tools: in the order in which they are told; at least one.
        task: who the model is and what it is to do, which stands before all of that.

    Returns:
        A text for the system message.

    Raises:
        ValueError: there are no tools.

    >>> print(system_prompt(tools.values(), "You keep notes.")[:34])
    You keep notes.
    <BLANKLINE>
    ## Calling a tool
    """
    known = list(tools)
    if not known:
        raise ValueError("there are no tools")
    first, texted = known[0], next((tool for tool in known if tool.payload), None)
    text = fill_template(
        "calling_tools",
        form=render_form(first),
        name=first.name,
        block=_block(texted),
        tools=_described(known),
    )
    return "\n\n".join(filter(None, [task.strip(), text]))


def _block(tool: ToolDescription | None) -> str:
    """How the text of a tool is written below its call; empty if no tool takes a text."""
    if tool is None:
        return ""
    form = f"{render_form(tool, without=tool.payload)}\n```\n...\n```"
    return fill_template("calling_with_block", parameter=tool.payload, form=form) + "\n"


def _described(tools: Iterable[ToolDescription]) -> str:
    texts = [(render_signature(tool), tool.description + render_remarks(tool)) for tool in tools]
    return "\n\n".join(f"{signature}\n{textwrap.indent(text, '  ')}" for signature, text in texts)
