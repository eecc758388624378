# ruff: noqa: E501 - words of several languages
"""What a program or a tool gave, written by the model itself: under a label, as an object, or at a prompt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.reading import FENCE_BELOW
from text_agent.protocol.reading.source import Source

if TYPE_CHECKING:
    from text_agent.protocol.reading.fences import Fence

_WORDS = (
    r"(?:results?|outputs?|responses?|stdout|return(?:ed)?[ _]values?|ergebnis(?:se)?|ausgabe|r\u00e9sultats?|sorties?"
    r"|resultados?|salida|sa\u00edda|risultat[oi]|resultaat|uitvoer|wynik|\u0432\u044b\u0432\u043e\u0434"
    r"|\u0440\u0435\u0437\u0443\u043b\u044c\u0442\u0430\u0442|\u7ed3\u679c|\u8f93\u51fa|\u51fa\u529b|\u7d50\u679c)"
)
_BEFORE = (
    r"(?:here[ \t]+(?:is|are)[ \t]+)?(?:(?:and|the|its|this|das|die|le|la|el|il|o|a)[ \t]+)?"
    r"(?:(?:tool|command|console|terminal|actual|file|program|shell|function|call)[ \t]+)?"
)
_GIVES = r"(?:it|this|that|which|the[ \t]+\w+)[ \t]+(?:returns?|returned|prints?|printed|gives?|gave|yields?|outputs?)"
_MORE = r"(?:[ \t]+(?:of|from|is|was|for|von|de|du|di|van)\b[^\n:]{0,60}+)?"
_LABEL = late_pattern(
    rf"[ \t]*+(?:#{{1,6}}[ \t]++{_BEFORE}{_WORDS}[ \t]*+[:\uff1a]?"
    rf"|[*_]{{0,3}}(?:{_BEFORE}{_WORDS}|{_GIVES}){_MORE}[*_]{{0,3}}(?:[ \t]*+[:\uff1a][*_]{{0,3}}|(?<=\*\*)))[ \t\r]*+$",
    re.IGNORECASE | re.MULTILINE,
)
# What only what a call gave begins with, where it stands directly behind one: an object or a list, a label with
# its text, an arrow, a table, a quote, an element, the code or the count of a run.
_GIVEN = late_pattern(
    r"[ \t]*+(?:[\[{]\s*+[\[{\"']|(?:=>|->|[\u2192\u21d2\u279c])[ \t]|\||>{1,3}[ \t]|\[(?:tool[ _])?(?:result|output|observation)\b"
    r"|<(?:pre|samp|code|details|output|results?|observation|system|stdout|stderr|console|response)\b"
    rf"|[*_]{{0,3}}(?:{_BEFORE}{_WORDS}|status|stderr|exit(?:ed|[ _-]?(?:code|status))|return[ _]?code)[*_]{{0,3}}[ \t]*+[:\uff1a=(\d]"
    r"|exit(?:ed)?[ _](?:with[ _])?(?:code|status)\b|tool[ \t]*+:[ \t]*+(?![\w.-]++[ \t]*+[({])|#{1,6}[ \t]++(?:tool|system)[ \t\r]*+$"
    r"|[^\w\s#*-]{0,3}[ \t]*+\d{1,6}[ \t](?:passed|failed)\b)",
    re.IGNORECASE | re.MULTILINE,
)
# A label in any language: one line that ends with a colon, or a heading.
_ANY_LABEL = late_pattern(
    r"\s*+(?:#{1,6}[ \t][^\n]{1,120}+|[^\n]{1,120}[:\uff1a][*_ \t]*+|\([^()\n]{1,80}+\))\s*+"
)
_NO_CODE = frozenset(
    {"", "text", "txt", "plain", "plaintext", "console", "output", "log", "json", "stdout", "shell-session"}
)
# Characters between a call and what it seems to have given.
_NEAR = 300
_PROMPT = late_pattern(
    r"[ \t]*+(?:\$|>>>|[\w.-]+@[\w.-]+[^\n$#]{0,60}[$#]|PS [^\n>]{0,60}>|[A-Z]:\\[^\n>]{0,60}>)[ \t]++[A-Za-z./\"']"
)


def is_result(source: Source, position: int, *, directly: bool) -> bool:
    """Whether the line at `position`, behind a call, begins what it gave: a label, an object or a prompt.

    `directly`: whether nothing but blank lines stands between the call and the line.
    """
    text, label = source.text, _LABEL.match(source.text, position)
    if label:
        return directly or FENCE_BELOW.match(text, label.end()) is not None
    given = directly and (_GIVEN.match(text, position) is not None or _is_at_prompt(text, position))
    if given and source.line_end(position) == source.end:
        source.reached_end = True
    return given


def is_given(between: str, fence: Fence, *, complete: bool) -> bool:
    """Whether a fence no more than one paragraph behind a call holds what that gave.

    `between`: what stands between the two. `complete`: the call could be run as it is.
    """
    if len(between) > _NEAR or "\n\n" in between.strip():
        return False
    no_code = fence.opener["info"].strip().casefold() in _NO_CODE
    labelled = no_code and _ANY_LABEL.fullmatch(between) is not None and not fence.is_last
    return _is_console(fence.text) or (labelled and complete)


def _is_at_prompt(text: str, position: int = 0) -> bool:
    """Whether the line at `position` is a command at the prompt of a shell."""
    return _PROMPT.match(text, position) is not None


def _is_console(text: str) -> bool:
    """Whether a text is a command at a prompt and what it gave."""
    return _is_at_prompt(text) and any(line.strip() and not _is_at_prompt(line) for line in text.split("\n"))
