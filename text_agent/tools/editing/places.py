"""The places where `old_str` fits a file, one kind of difference at a time."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from text_agent.files.lines import Lines, Span, matching_lines, texts_in
from text_agent.lazy_regex import late_pattern
from text_agent.tools.editing.folding import FoldedLine, fold, fold_line
from text_agent.tools.editing.indentation import IndentRule, find_rule, indent_of, unit_of

# Occurrences that are looked at: nobody needs the exact number of more.
MANY = 1000
_BLANKS = late_pattern(r"[ \t]+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where `old_str` fits."""

    span: Span  # the text that it stands for
    rule: IndentRule | None = None  # how new lines are to be indented there; None for as they are
    at_open_end: bool = False  # it ends with a line break that the file's last line has not


@dataclass(frozen=True, slots=True)
class Request:
    """An edit: the file's lines, and those of the old and the new text."""

    lines: Lines
    old: Lines
    new: Lines

    def kept_lines(self) -> dict[int, int]:
        """Which lines of the new text the edit leaves as they were in the old."""
        return matching_lines(self.old.texts, self.new.texts)

    def changed_indents(self) -> list[str]:
        """The indentations of the lines that the edit changes or adds."""
        kept = self.kept_lines()
        return [indent_of(text) for n, text in enumerate(self.new.texts) if n not in kept and text.strip()]


def is_whole(lines: Lines, span: Span) -> bool:
    """Whether a span has no part of a line."""
    ends = span.last_column == (0 if span.last_line > span.first_line else -1)
    return not span.first_column and (ends or span.last_column == len(lines.texts[span.last_line]))


def exactly(request: Request) -> list[Place]:
    """Character by character; the file's line breaks count only to tell several places apart."""
    lines, view, old = request.lines, request.lines.view, request.old.view
    starts = _line_starts(lines.texts)
    spans = [_span(starts, at, at + len(old)) for at in _occurrences(view, old)]
    same_breaks = [span for span in spans if _part(lines, span).text == request.old.text]
    return [Place(span) for span in (same_breaks if len(same_breaks) == 1 else spans)]


def at_open_end(request: Request) -> list[Place]:
    """At the end of a file that does not end with the line break that `old` ends with."""
    old, view = request.old.view, request.lines.view
    if not old.strip() or not old.endswith("\n") or not view.endswith(old[:-1]):
        return []
    span = _span(_line_starts(request.lines.texts), len(view) - len(old) + 1, len(view))
    return [Place(span, at_open_end=True)]


def with_trailing_blanks(request: Request) -> list[Place]:
    """But for blanks at the ends of lines."""
    return _folded(request, str, lambda line: FoldedLine(line, tuple(range(len(line) + 1))))


def with_look_alikes(request: Request) -> list[Place]:
    """But for characters that look alike, and blanks at the ends of lines."""
    return _folded(request, fold, fold_line)


def _folded(
    request: Request, folding: Callable[[str], str], trace: Callable[[str], FoldedLine]
) -> list[Place]:
    """Places where the lines are equal once folded, without the blanks at their ends."""
    texts = [*request.lines.texts, *([""] if request.lines.texts[-1] else [])]
    folded = [folding(text).rstrip(" \t") for text in texts]
    needle = "\n".join(folding(text).rstrip(" \t") for text in request.old.texts)
    if not needle.strip():
        return []
    to_line_end = request.old.texts[-1] != request.old.texts[-1].rstrip(" \t")
    starts = _line_starts(folded)
    places = []
    for at in _occurrences("\n".join(folded), needle):
        span = _span(starts, at, at + len(needle))
        if to_line_end and span.last_column != len(folded[span.last_line]):
            continue
        source = _source_span(span, texts, trace)
        if source is not None:
            places.append(_clipped(source, request.lines))
    return places


def _source_span(span: Span, texts: Sequence[str], trace: Callable[[str], FoldedLine]) -> Span | None:
    first, last = trace(texts[span.first_line]), trace(texts[span.last_line])
    start, end = first.source(span.first_column), last.source(span.last_column)
    if start is None or end is None:
        return None
    return Span(span.first_line, start, span.last_line, end)


def _clipped(span: Span, lines: Lines) -> Place:
    """The place of a span that may end after the last line, where no line break is."""
    if span.last_line < len(lines.texts):
        return Place(span)
    last = len(lines.texts) - 1
    return Place(Span(span.first_line, span.first_column, last, len(lines.texts[last])), at_open_end=True)


def with_other_indentation(request: Request) -> list[Place]:
    """Whole lines that differ in indentation, by one rule, or in tabs against blanks."""
    closes = not request.old.texts[-1]
    block = request.old.texts[: len(request.old.texts) - closes]
    keys = [_key(text) for text in block]
    if not any(keys):
        return []
    texts = request.lines.texts
    all_keys = [_key(text) for text in texts]
    unit, indents = unit_of(texts), request.changed_indents()
    places = []
    for start in range(len(texts) - len(block) + 1):
        if all_keys[start : start + len(block)] != keys:
            continue
        window = texts[start : start + len(block)]
        compared = zip(keys, block, window, strict=True)
        pairs = [(indent_of(old), indent_of(own)) for key, old, own in compared if key]
        rule = find_rule(pairs, indents, unit)
        if rule is not None and all(map(_same_but_tabs, block, window)):
            places.append(_block_place(texts, start, start + len(block), rule, closes=closes))
    return places


def _block_place(texts: Sequence[str], start: int, end: int, rule: IndentRule, *, closes: bool) -> Place:
    if closes and end < len(texts):
        return Place(Span(start, 0, end, 0), rule)
    return Place(Span(start, 0, end - 1, len(texts[end - 1])), rule, at_open_end=closes)


def _key(text: str) -> str:
    return _BLANKS.sub(" ", fold(text).strip(" \t"))


def _same_but_tabs(old: str, own: str) -> bool:
    """Whether inner blanks differ only where one of both has a tab."""
    gaps = zip(_BLANKS.findall(fold(old).strip(" \t")), _BLANKS.findall(fold(own).strip(" \t")), strict=True)
    return all(one == other or "\t" in one + other for one, other in gaps)


def _part(lines: Lines, span: Span) -> Lines:
    return Lines(tuple(texts_in(lines, span)), lines.breaks[span.first_line : span.last_line])


def _line_starts(texts: Sequence[str]) -> list[int]:
    return [0, *itertools.accumulate(len(text) + 1 for text in texts)][:-1]


def _span(starts: Sequence[int], start: int, end: int) -> Span:
    first, last = bisect.bisect_right(starts, start) - 1, bisect.bisect_right(starts, end) - 1
    return Span(first, start - starts[first], last, end - starts[last])


def _occurrences(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    for _ in range(MANY):
        if at < 0:
            return
        yield at
        at = text.find(part, at + 1)  # they may overlap: then they are several, too
