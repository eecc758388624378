"""Numbered lines of a file, as `read_file` shows them, in results and errors of edits."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence

from text_agent.config.limits import EXCERPT_MAX_LINES, LINE_MAX_CHARS
from text_agent.text.truncation import clip_line

# Lines shown before and after the changed ones.
_CONTEXT = 2
# Below this likeness a line says nothing about what the model meant.
_LIKENESS = 0.6
_COMPARED_CHARS = 200


def numbered(texts: Sequence[str], first: int, last: int) -> str:
    """The lines from `first` to `last`, counted from 1, as `N| text`; the middle left out if many."""
    numbers = list(range(max(first, 1), min(last, len(texts)) + 1))
    lines = [f"{n}| {clip_line(texts[n - 1][:LINE_MAX_CHARS], len(texts[n - 1]))}" for n in numbers]
    if len(lines) > EXCERPT_MAX_LINES:
        half = EXCERPT_MAX_LINES // 2
        lines[half:-half] = [f"[... {len(lines) - 2 * half:,} more lines]"]
    return "\n".join(lines)


def changed_lines(before: Sequence[str], after: Sequence[str]) -> str:
    """The lines of `after` that differ from `before`, with some around them."""
    start = _common(before, after)
    end = len(after) - _common(before[start:][::-1], after[start:][::-1])
    last = len(after) - (len(after) > 1 and not after[-1])  # what follows a final line break is no line
    return numbered(after[:last], start + 1 - _CONTEXT, end + _CONTEXT)


def nearest_lines(texts: Sequence[str], wanted: Sequence[str]) -> str:
    """The lines that are most like `wanted`, exactly as they are; empty if none is."""
    start = _place_by_votes(texts, wanted)
    if start is None:
        start = _place_by_likeness(texts, wanted)
    if start is None:
        return ""
    return numbered(texts, start + 1, start + max(len(wanted), 1))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _place_by_votes(texts: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where most of the wanted lines stand as they are but for the blanks around them."""
    places: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        places.setdefault(text.strip(), []).append(number)
    votes = Counter(
        number - offset
        for offset, text in enumerate(wanted)
        if len(text.strip()) > 3
        for number in places.get(text.strip(), [])[:100]
    )
    best = max(votes, key=lambda start: (votes[start], -start), default=None)
    return None if best is None else max(best, 0)


def _place_by_likeness(texts: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where the longest wanted line would stand if it were written a little differently."""
    offset, anchor = max(enumerate(wanted), key=lambda item: len(item[1].strip()))
    if not anchor.strip():
        return None
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(anchor.strip()[:_COMPARED_CHARS])
    best, place = _LIKENESS, None
    for number, text in enumerate(texts):
        matcher.set_seq1(text.strip()[:_COMPARED_CHARS])
        if min(matcher.real_quick_ratio(), matcher.quick_ratio()) > best and matcher.ratio() > best:
            best, place = matcher.ratio(), max(number - offset, 0)
    return place
