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
What the way to us did to the reply, other line ends and a closing tag that was cut, is undone before.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.outcome import without_end_tokens
from text_agent.protocol.reading.reading import Reading
from text_agent.protocol.reading.reply_pass import Pass
from text_agent.protocol.reading.source import Source
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ParsedReply

_CUT_CLOSER = late_pattern(r"</(?P<begun>(?:[\w-]{1,20}:)?[\w.-]{1,60})\Z")
_OPENER = late_pattern(r"<(?P<name>(?:[\w-]{1,20}:)?[\w.-]{1,60})(?=[\s=>])")
_CLOSER = late_pattern(r"</(?P<name>(?:[\w-]{1,20}:)?[\w.-]{1,60})>")
# A shorter beginning may be that of any tag.
_BEGUN_MIN_CHARS = 4


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


def with_closer(text: str) -> str:
    """The text with the rest of a closing tag, `</function`, that was begun at its very end."""
    cut = _CUT_CLOSER.search(text, max(0, len(text) - 90))
    if cut is None:
        return text
    names = [match["name"] for match in _OPENER.finditer(text)]
    whole = next((name for name in reversed(names) if name.startswith(cut["begun"])), None)
    if whole is None or (len(cut["begun"]) < _BEGUN_MIN_CHARS and not _closes_innermost(text, cut)):
        return text
    return f"{text}{whole[len(cut['begun']) :]}>"


def _closes_innermost(text: str, cut: re.Match[str]) -> bool:
    """Whether a short beginning of a closing tag, behind another tag, is that of the innermost open one."""
    begun, before = cut["begun"], text[: cut.start()].rstrip()
    closed = {match["name"]: match.start() for match in _CLOSER.finditer(text)}
    names = [
        match["name"] for match in _OPENER.finditer(text) if closed.get(match["name"], -1) < match.start()
    ]
    if not names or not before.endswith(">"):
        return False
    return names[-1] == begun or (len(begun) > 1 and names[-1].startswith(begun))


def has_only_crlf(text: str) -> bool:
    """Whether every line of a text ends in CRLF: that is the transport's, not the text's."""
    return "\r\n" in text and text.count("\r\n") == text.count("\n") == text.count("\r")


def placed(parsed: ParsedReply, original: str, *, crlf: bool) -> ParsedReply:
    """A reply with its places in the text as it came.

    `parsed`: of the text with other line ends, or with a longer end. `original`: the text as it came. `crlf`:
    whether its lines end in CRLF.
    """
    breaks = [at - number for number, at in enumerate(_line_ends(original))] if crlf else []

    def at(position: int) -> int:
        return min(position + bisect_left(breaks, position), len(original))

    def span(there: tuple[int, int]) -> tuple[int, int]:
        return at(there[0]), at(there[1])

    return replace(
        parsed,
        calls=[replace(call, span=span(call.span)) for call in parsed.calls],
        quotations=[replace(quotation, span=span(quotation.span)) for quotation in parsed.quotations],
        invented_at=None if parsed.invented_at is None else at(parsed.invented_at),
        parts=tuple(replace(part, span=span(part.span)) for part in parsed.parts),
    )


def _line_ends(text: str) -> list[int]:
    ends, position = [], text.find("\r\n")
    while position >= 0:
        ends.append(position)
        position = text.find("\r\n", position + 2)
    return ends
