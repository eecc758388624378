"""`<<<<<<< SEARCH` blocks: lines as they are, and below them as they are to be."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.edits.values import Cursor, Hunk, NotationError

BEGIN = late_pattern(r"[ \t]*(?:<{5,9}|-{5,9}) ?(?:SEARCH|ORIGINAL)\b[ \t>]*(?P<path>[^\n]*?)[ \t\r]*$")
_DIVIDER = late_pattern(r"[ \t]*={5,9}[ \t]*")
_END = late_pattern(r"[ \t]*(?:>{5,9}|\+{5,9}) ?(?:REPLACE|UPDATED)\b.*")
# What some editors want above the lines: where they are, which the lines say better.
_PLACE = late_pattern(r":(?:start|end)_line: ?\d+[ \t]*")
_RULE = late_pattern(r"-{5,9}[ \t]*")
_ESCAPED = late_pattern(r"\\(?=<{5}|={5}|>{5}|-{5}|\+{5}|:(?:start|end)_line:)")


def read_block(cursor: Cursor) -> Hunk:
    """The block that begins at the present line.

    Raises `NotationError`: it has not exactly one sensible reading.
    """
    cursor.advance()
    placed = False
    while _PLACE.fullmatch(cursor.line):
        placed = True
        cursor.advance()
    if placed and _RULE.fullmatch(cursor.line):
        cursor.advance()
    old, new = _lines(cursor, _DIVIDER, "======="), _lines(cursor, _END, ">>>>>>> REPLACE")
    if old == new:
        raise NotationError("both parts of the SEARCH/REPLACE block are equal, so that it changes nothing")
    return Hunk(tuple(old) if any(map(str.strip, old)) else (), tuple(new))


def _lines(cursor: Cursor, end: re.Pattern[str], name: str) -> list[str]:
    lines: list[str] = []
    while not cursor.ended:
        line = cursor.line
        if end.fullmatch(line):
            cursor.advance()
            return lines
        if BEGIN.match(line) or _END.fullmatch(line) or _DIVIDER.fullmatch(line):
            raise NotationError(
                f"`{line.strip()[:40]}` stands in the SEARCH/REPLACE block where `{name}` must be"
            )
        lines.append(
            _ESCAPED.sub("", cursor.advance(), count=1) if line.startswith("\\") else cursor.advance()
        )
    raise NotationError(f"the text ends inside the SEARCH/REPLACE block, before `{name}`", cut=True)
