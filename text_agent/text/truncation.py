"""Shortening what goes to the model, always saying what was left out.

What marks a cut here is what `omission` refuses in new text: a model that copies a cut back
into a file would lose what was cut.
"""

from __future__ import annotations

import itertools

from text_agent.lazy_regex import late_pattern
from text_agent.text.sanitize import SEQUENCE

CUT_MARK = late_pattern(r"\[\.\.\. [\d,]+ more (?:characters|lines)\]")

# Control characters but for those that say where lines end, and where one is drawn anew.
_CONTROL = late_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Equal lines in a row beyond which they are folded into one and a count.
_REPEATS = 3


def clip_line(text: str, length: int) -> str:
    """A line of which only `text` is shown, out of `length` characters."""
    return text if len(text) == length else f"{text} [... {length - len(text):,} more characters]"


def clip_shown(text: str, most: int) -> str:
    """A line for people: at most `most` characters, the last of which are dots if it is longer."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def clip_around(text: str, place: int, limit: int) -> str:
    """At most `limit` characters of a line, the one at `place` among them, and what was left out."""
    start = max(0, min(place - limit // 4, len(text) - limit))
    kept = text[start : start + limit]
    before = f"[... {start:,} more characters] " if start else ""
    return before + clip_line(kept, len(text) - start)


def clean_output(text: str) -> str:
    """A command's output as a terminal would show it in the end.

    Escape sequences are taken out; of a line that was drawn over and over, the last state stays; equal
    lines in a row are folded.
    """
    lines = [
        line.rstrip("\r").rpartition("\r")[2] for line in _CONTROL.sub("", SEQUENCE.sub("", text)).split("\n")
    ]
    return "\n".join(line for _, run in itertools.groupby(lines) for line in _fold(list(run)))


def truncate(text: str, max_chars: int) -> str:
    """The beginning and the end of `text` in whole lines, at most `max_chars`, with a count between.

    A text that is short enough stays as it is; `max_chars` must leave room for the count (100).
    """
    if len(text) <= max_chars:
        return text
    room = (max_chars - 60) // 2
    head, tail = text.rfind("\n", 0, room), text.find("\n", len(text) - room)
    if head < 0 or tail < 0:  # lines longer than all the room
        left_chars = len(text) - 2 * room
        return f"{text[:room]}\n[... {left_chars:,} more characters]\n{text[-room:]}"
    left = text.count("\n", head + 1, tail) + 1
    return f"{text[:head]}\n[... {left:,} more lines]{text[tail:]}"


def _fold(run: list[str]) -> list[str]:
    if len(run) <= _REPEATS or not run[0].strip():
        return run
    return [run[0], f"[the same line {len(run) - 1:,} more times]"]
