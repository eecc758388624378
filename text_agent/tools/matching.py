"""Finding the one place that a model means by `old_str`.

Exactly as it is first; then with one kind of difference after the other that models make without
meaning it. The first kind that fits any place decides: it counts only if it fits exactly one. Words
and letters are never guessed.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from text_agent.text_lines import Lines, Span, matching_lines, split_lines, texts_in
from text_agent.tools.folding import FoldedLine, differing_characters, fold, fold_line
from text_agent.tools.indentation import IndentRule, find_rule, indent_of, unit_of

_LINE_NUMBER = re.compile(r"[ \t]*\d+\|(?: |$)")
_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where `old_str` fits.

    Attributes:
        span: the text that it stands for.
        rule: how new lines are to be indented there; None for as they are.
        at_open_end: it ends with a line break that the file's last line has not.
    """

    span: Span
    rule: IndentRule | None = None
    at_open_end: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """All places where `old_str` fits in one way.

    Attributes:
        places: one, or several that cannot be told apart.
        new: the replacement, as it is to be written at the first of them.
        how: in what `old_str` differs from the file, for the model; empty if in nothing.
    """

    places: Sequence[Place]
    new: Lines
    how: str = ""


@dataclass(frozen=True, slots=True)
class _Request:
    """The file, and both texts of the edit as lines."""

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


def find_match(text: str, old: str, new: str) -> Match | None:
    """Looks for `old` in `text`; None if it is nowhere."""
    lines = split_lines(text)
    as_given = _Request(lines, split_lines(old, like=text), split_lines(new, like=text))
    for request, note in ((as_given, ""), (_without_line_numbers(as_given), "line numbers")):
        if request is None:
            continue
        for find, kind in _KINDS:
            places = find(request)
            if places:
                how = ", ".join(filter(None, [note, kind(request, places[0])]))
                return Match(places, _replacement(request, places[0], exact=find is _exactly), how)
    return None


def _exactly(request: _Request) -> list[Place]:
    lines, view, old = request.lines, request.lines.view, request.old.view
    starts = _line_starts(lines.texts)
    spans = [_span(starts, at, at + len(old)) for at in _occurrences(view, old)]
    if len(spans) > 1 and len(set(lines.breaks)) > 1:  # the line breaks may tell them apart
        same = [span for span in spans if _part(lines, span).text == request.old.text]
        spans = same if len(same) == 1 else spans
    return [Place(span) for span in spans]


def _at_open_end(request: _Request) -> list[Place]:
    old, view = request.old.view, request.lines.view
    if not old.strip() or not old.endswith("\n") or not view.endswith(old[:-1]):
        return []
    span = _span(_line_starts(request.lines.texts), len(view) - len(old) + 1, len(view))
    return [Place(span, at_open_end=True)]


def _with_trailing_blanks(request: _Request) -> list[Place]:
    return _folded(request, str, lambda line: FoldedLine(line, tuple(range(len(line) + 1))))


def _with_look_alikes(request: _Request) -> list[Place]:
    return _folded(request, fold, fold_line)


def _folded(
    request: _Request, folding: Callable[[str], str], trace: Callable[[str], FoldedLine]
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


def _with_other_indentation(request: _Request) -> list[Place]:
    """Whole lines that differ in indentation, by one rule, or in tabs against blanks."""
    closes = len(request.old.texts) > 1 and not request.old.texts[-1]
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


def _without_line_numbers(request: _Request) -> _Request | None:
    """The request without line numbers copied from `read_file`; None if `old` has not got them.

    The first line may lack its number: models begin to copy after it.
    """
    first, *others = request.old.texts
    filled = [text for text in (others or [first]) if text.strip()]
    if not filled or not all(map(_LINE_NUMBER.match, filled)):
        return None
    old, new = (
        Lines(
            tuple(
                _LINE_NUMBER.sub("", text, count=1) if _LINE_NUMBER.match(text) else text
                for text in part.texts
            ),
            part.breaks,
        )
        for part in (request.old, request.new)
    )
    return _Request(request.lines, old, new)


def _replacement(request: _Request, place: Place, *, exact: bool) -> Lines:
    """The new text for a place: lines that the edit leaves are the file's own, byte for byte."""
    new = request.new
    if place.at_open_end and len(new.texts) > 1 and not new.texts[-1]:
        new = Lines(new.texts[:-1], new.breaks[:-1])
    if exact:
        return new
    own, kept = texts_in(request.lines, place.span), request.kept_lines()
    texts = list(new.texts)
    for number, text in enumerate(texts):
        if kept.get(number, len(own)) < len(own):
            texts[number] = own[kept[number]]
        elif place.rule is not None:
            texts[number] = place.rule.apply_to_line(text)
    return Lines(tuple(texts), new.breaks)


def _part(lines: Lines, span: Span) -> Lines:
    return Lines(tuple(texts_in(lines, span)), lines.breaks[span.first_line : span.last_line])


def _line_starts(texts: Sequence[str]) -> list[int]:
    return [0, *itertools.accumulate(len(text) + 1 for text in texts)][:-1]


def _span(starts: Sequence[int], start: int, end: int) -> Span:
    first, last = bisect.bisect_right(starts, start) - 1, bisect.bisect_right(starts, end) - 1
    return Span(first, start - starts[first], last, end - starts[last])


def _occurrences(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)  # they may overlap: then they are several, too


def _how_look_alike(request: _Request, place: Place) -> str:
    signs = differing_characters("".join(texts_in(request.lines, place.span)), request.old.view)
    return f"look-alike characters ({', '.join(signs)})" if signs else "look-alike characters"


_KINDS: tuple[tuple[Callable[[_Request], list[Place]], Callable[[_Request, Place], str]], ...] = (
    (_exactly, lambda _request, _place: ""),
    (_at_open_end, lambda _request, _place: "the last line break"),
    (_with_trailing_blanks, lambda _request, _place: "blanks at line ends"),
    (_with_look_alikes, _how_look_alike),
    (_with_other_indentation, lambda _request, _place: "indentation"),
)
