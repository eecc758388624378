# ruff: noqa: I001 - sorted, the names that are exported would stand in a line each
"""Calls of tools in plain text, for any model and any program.

Nothing here runs a tool or knows one: tools come in as descriptions. A program tells a model of its tools by
`system_prompt`, reads its reply by `parse_reply`, or piece by piece by `ReplyReader`, checks a call by
`bind_call`, and answers by `render_results`. `docs/protocol.md` shows the whole loop.

All values are frozen, and nothing is kept in a module: threads with different tools do not disturb one
another. The examples of the names below use these tools:

    >>> from text_agent.protocol import *
    >>> def read_note(name: str, lines: int = 10) -> str:
    ...     '''Reads the first lines of a note.'''
    ...     return "buy milk"
    >>> def write_note(name: str, text: str) -> str:
    ...     '''Writes a note.'''
    ...     return "written"
    >>> tools = {tool.name: tool for tool in map(describe, [read_note, write_note])}
"""

from __future__ import annotations

import importlib
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from text_agent.errors import ArgumentError as ArgumentError
    from text_agent.protocol.binding.aliases import resolve_tool_name as resolve_tool_name
    from text_agent.protocol.binding.bind import bind_arguments as bind_arguments
    from text_agent.protocol.describing import describe as describe
    from text_agent.protocol.grammar.grammar import reply_grammar as reply_grammar
    from text_agent.protocol.guard.echo import EchoGuard as EchoGuard
    from text_agent.protocol.guard.neutralising import neutralise as neutralise, restore as restore
    from text_agent.protocol.prompt import system_prompt as system_prompt
    from text_agent.protocol.reading.parser import parse_reply as parse_reply
    from text_agent.protocol.reading.reply_events import (
        ArgumentsSoFar as ArgumentsSoFar,
        Aside as Aside,
        CallBegun as CallBegun,
        CallEnded as CallEnded,
        Malformed as Malformed,
        Prose as Prose,
        Quoted as Quoted,
        Withdrawn as Withdrawn,
    )
    from text_agent.protocol.reading.streaming import ReplyReader as ReplyReader
    from text_agent.protocol.tool import ToolDescription as ToolDescription, ToolWords as ToolWords
    from text_agent.protocol.types import (
        MalformedCall as MalformedCall,
        ParsedReply as ParsedReply,
        Part as Part,
        Quotation as Quotation,
        ToolCall as ToolCall,
        ToolResult as ToolResult,
    )
    from text_agent.protocol.writing import (
        bind_call as bind_call,
        render_call as render_call,
        render_malformed as render_malformed,
        render_results as render_results,
        render_unknown_tool as render_unknown_tool,
    )

_MODULES = MappingProxyType(
    {
        "text_agent.errors": "ArgumentError",
        "text_agent.protocol.binding.aliases": "resolve_tool_name",
        "text_agent.protocol.binding.bind": "bind_arguments",
        "text_agent.protocol.describing": "describe",
        "text_agent.protocol.grammar.grammar": "reply_grammar",
        "text_agent.protocol.guard.echo": "EchoGuard",
        "text_agent.protocol.guard.neutralising": "neutralise restore",
        "text_agent.protocol.prompt": "system_prompt",
        "text_agent.protocol.reading.parser": "parse_reply",
        "text_agent.protocol.reading.reply_events": (
            "ArgumentsSoFar Aside CallBegun CallEnded Malformed Prose Quoted Withdrawn"
        ),
        "text_agent.protocol.reading.streaming": "ReplyReader",
        "text_agent.protocol.tool": "ToolDescription ToolWords",
        "text_agent.protocol.types": "MalformedCall ParsedReply Part Quotation ToolCall ToolResult",
        "text_agent.protocol.writing": (
            "bind_call render_call render_malformed render_results render_unknown_tool"
        ),
    }
)

__all__ = sorted(" ".join(_MODULES.values()).split())

if not TYPE_CHECKING:  # pragma: no branch

    def __getattr__(name: str) -> object:
        """Imports a name with its first use: who needs a type only loads no parser."""
        for module, names in _MODULES.items():
            if name in names.split():
                return getattr(importlib.import_module(module), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
