"""Shortening what goes to the model, always saying what was left out.

What marks a cut here is what `omission` refuses in new text: a model that copies a cut back
into a file would lose what was cut.
"""

from __future__ import annotations

import re

CUT_MARK = re.compile(r"\[\.\.\. [\d,]+ more (?:characters|lines)[^\]\n]*\]")


def clip_line(text: str, length: int) -> str:
    """A line of which only `text` is shown, out of `length` characters."""
    return text if len(text) == length else f"{text} [... {length - len(text):,} more characters]"


def clip_around(text: str, place: int, limit: int) -> str:
    """At most `limit` characters of a line, the one at `place` among them, and what was left out."""
    start = max(0, min(place - limit // 4, len(text) - limit))
    kept = text[start : start + limit]
    before = f"[... {start:,} more characters] " if start else ""
    return before + clip_line(kept, len(text) - start)
