"""How a call that is written as a line begins and ends.

line    = {bullet} {markup} "tool" ":" NAME arguments {markup}
bullet  = "-" | "*" | "+" | "1." | "a)" | "#"
markup  = "*" | "_" | "`", up to three
"""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import CALLED, COLON, END_TOKEN, MARKUP, SPACE
from text_agent.protocol.reading.arguments import ArgumentReader, Arguments
from text_agent.protocol.reading.quoting import INVENTED
from text_agent.protocol.reading.reading import Reading
from text_agent.protocol.reading.siblings import inner_call, next_sibling

BULLET = SPACE + (
    r"(?:(?:[-*+\u2022\u2013\u2192](?:[ \t]++\[[ xX]\])?|\d{1,3}[.)]|[a-z]\)|#{1,6})[ \t]++){0,2}+"
)
PREFIX = (
    rf"{BULLET}(?P<open>{MARKUP})tool(?P<label>[ _]?calls?)?{MARKUP}{SPACE}{COLON}{MARKUP}{SPACE}"
    r"(?:tool:[ \t]*+)?"
)
NAME = rf"[\"'*`]{{0,3}}(?P<name>{CALLED})[\"'*`]{{0,3}}(?:<\|[^|<>\n]{{1,40}}\|>\w{{0,20}}+)?"
TAUGHT = late_pattern(rf"{PREFIX}{NAME}{SPACE}(?::[ \t]*+)?(?=[({{\uff08])", re.IGNORECASE)
SPACED = late_pattern(
    rf"{PREFIX}(?P<name>[^\W\d]\w{{0,40}}+(?: \w{{1,40}}+){{1,3}}){SPACE}"
    r"(?=[({]\s*+(?:[{\"'\[]|\w++\s*+=))",
    re.IGNORECASE,
)
LINE_REST = late_pattern(
    rf"[ \t]*+[`*_]{{0,3}}[ \t]*+[;:.,]?[`*_]{{0,3}}[ \t]*+(?:(?://|#)[^\n]*+)?\r?(?=\n|\Z|{END_TOKEN})"
)
FENCE_END = late_pattern(r"\s*+```[ \t\r]*+(?=\n|\Z|<)")
ONE_LINE = late_pattern(r"[^\n]{0,2000}+(?=\n|\Z)")
"""The rest of a line, unless it is longer than any call that is worth correcting."""

NEXT_ATTEMPT = late_pattern(
    rf"^(?:{BULLET}{MARKUP}tool{MARKUP}{SPACE}{COLON}|{INVENTED.pattern})", re.MULTILINE | re.IGNORECASE
)
_BARE_SEPARATOR = late_pattern(r"[ \t]*+[,;][ \t]*+(?=[^\W\d]\w*+[ \t]*+[({])")
_SEPARATOR = late_pattern(
    r"[ \t]*+[,;.&]?[ \t]*+(?:(?:and|then)[ \t]++)*+(?=[*_`]{0,3}tool[*_`]{0,3}[ \t]*+:)", re.IGNORECASE
)


def read_arguments(reading: Reading, name: str, position: int, *, words: bool = True) -> Arguments:
    """The arguments of a call of `name` that begin at `position`.

    Raises `ReadError`: they have not exactly one sensible reading.
    """
    source = reading.source
    limit = source.limit(position)

    def next_attempt() -> int:
        following = source.search(NEXT_ATTEMPT, position)
        sibling = next_sibling(reading, position, limit)
        ends = [following.start()] if following else []
        end = min([limit, *ends, *([sibling.end] if sibling else [])])
        return inner_call(reading, position, end)

    return ArgumentReader(source, name, reading.tool(name), limit, next_attempt, words).read(position)


def behind_separator(text: str, end: int) -> int:
    """Where the next call may begin behind one that ends at `end`: a comma may stand between them."""
    separator = _SEPARATOR.match(text, end) or _BARE_SEPARATOR.match(text, end)
    return separator.end() if separator else end
