"""Reads a model's reply: which tools it asks for, what it only quotes, and what it says.

    reply     = { thinking | fence | call [block] | line } [ invented result, and all behind it ]
    call      = taught | a trained dialect | bare        (`line_calls`, `dialects`)
    block     = a fence directly behind a call that lacks its last required text: that text
    fence     = "```" calls "```"                        a request, unless it is announced as an example
              | "```" anything "```"                     shown text: nothing in it runs
    thinking  = opener anything closer                   nothing in it runs, nor in a comment <!-- ... -->

One pass from the first character to the last. At a fresh position (the start of a line, or behind a
call) the forms of a line are tried; dialect tokens and thinking count in the middle of a line too,
unless they are quoted there. Whatever has not exactly one sensible reading becomes a `MalformedCall`.
"""

from __future__ import annotations

from text_agent.protocol.reading.prose import without_end_tokens
from text_agent.protocol.reading.reading import Reading
from text_agent.protocol.reading.reply_pass import Pass
from text_agent.protocol.reading.source import Source
from text_agent.protocol.reading.transport import has_only_crlf, placed, with_closer
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ParsedReply


def parse_reply(text: str, tools: ToolDescriptions, *, notations: bool = True) -> ParsedReply:
    r"""Reads a model's reply: its calls in order, what only looks like a call, and its prose.

    Args:
        text: the whole reply as the model wrote it.
        tools: the tools that exist, by name.
        notations: whether edits in the notations of other programs are calls.

    Returns:
        What the reply asks for and says. Never raises, whatever the text.

    >>> reply = parse_reply('I look.\ntool: read_note({"name": "a"})', tools)
    >>> reply.prose, reply.calls[0].name, reply.calls[0].arguments
    ('I look.', 'read_note', {'name': 'a'})
    """
    plain = with_closer(without_end_tokens(text))
    lines = has_only_crlf(plain)
    source = Source(plain.replace("\r\n", "\n") if lines else plain)
    parsed = parse_source(source, tools, notations=notations)
    return placed(parsed, text, crlf=lines) if lines or len(plain) > len(text) else parsed


def parse_source(source: Source, tools: ToolDescriptions, *, notations: bool = True) -> ParsedReply:
    """As `parse_reply`; afterwards `source.reached_end` tells whether more text could change it."""
    reading = Pass(Reading(source, tools, notations=notations))
    while reading.goes_on:
        reading.step()
    return reading.reply()
