# ruff: noqa: E501 - words of several languages
"""What a program or a tool gave, written by the model itself: under a label, as an object, or at a prompt."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.reading import FENCE_BELOW

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
# An object or a list, which is no call where it stands.
_OBJECT = late_pattern(r"[ \t]*+[\[{]\s*+[\[{\"']")

_PROMPT = late_pattern(
    r"[ \t]*+(?:\$|>>>|[\w.-]+@[\w.-]+[^\n$#]{0,60}[$#]|PS [^\n>]{0,60}>|[A-Z]:\\[^\n>]{0,60}>)[ \t]++[A-Za-z./\"']"
)


def is_result(text: str, position: int, *, directly: bool) -> bool:
    """Whether the line at `position`, behind a call, begins what it gave: a label, an object or a prompt.

    Args:
        text: the reply.
        position: of the line's start.
        directly: whether nothing but blank lines stands between the call and the line.
    """
    if label := _LABEL.match(text, position):
        return directly or FENCE_BELOW.match(text, label.end()) is not None
    return directly and (_OBJECT.match(text, position) is not None or is_at_prompt(text, position))


def is_at_prompt(text: str, position: int = 0) -> bool:
    """Whether the line at `position` is a command at the prompt of a shell."""
    return _PROMPT.match(text, position) is not None


def is_console(text: str) -> bool:
    """Whether a text is a command at a prompt and what it gave."""
    return is_at_prompt(text) and any(line.strip() and not is_at_prompt(line) for line in text.split("\n"))
