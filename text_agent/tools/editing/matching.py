"""Finding the one place that a model means by `old_str`.

Exactly as it is first; then with one kind of difference after the other that models make without
meaning it. The first kind that fits any place decides: it counts only if it fits exactly one. Words
and letters are never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from text_agent.files.lines import Lines, split_lines, texts_in
from text_agent.tools.editing import places as kinds
from text_agent.tools.editing.folding import differing_characters
from text_agent.tools.editing.notation import LINE_NUMBER
from text_agent.tools.editing.places import Place, Request, is_whole


@dataclass(frozen=True, slots=True)
class Match:
    """All places where `old_str` fits in one way."""

    places: Sequence[Place]  # one, or several that cannot be told apart
    new: Lines  # the replacement, as it is to be written at the first of them
    how: str = ""  # in what `old_str` differs from the file, for the model; empty if in nothing


def find_match(text: str, old: str, new: str, *, whole_lines: bool = False) -> Match | None:
    """Looks for `old` in `text`, perhaps as whole lines only; None if it is nowhere."""
    lines = split_lines(text)
    as_given = Request(lines, split_lines(old, like=text), split_lines(new, like=text))
    for request, note in ((as_given, ""), (_without_line_numbers(as_given), "line numbers")):
        if request is None:
            continue
        for find, kind in _KINDS:
            places = find(request)
            if whole_lines:
                places = [place for place in places if is_whole(request.lines, place.span)]
            if places:
                how = ", ".join(filter(None, [note, kind(request, places[0])]))
                return Match(places, _replacement(request, places[0], exact=find is kinds.exactly), how)
    return None


def _without_line_numbers(request: Request) -> Request | None:
    """The request without line numbers copied from `read_file`; None if `old` has not got them.

    The first line may lack its number: models begin to copy after it.
    """
    first, *others = request.old.texts
    filled = [text for text in (others or [first]) if text.strip()]
    if not filled or not all(map(LINE_NUMBER.match, filled)):
        return None
    return Request(request.lines, _unnumbered(request.old), _unnumbered(request.new))


def _unnumbered(lines: Lines) -> Lines:
    return Lines(tuple(LINE_NUMBER.sub("", text) for text in lines.texts), lines.breaks)


def _replacement(request: Request, place: Place, *, exact: bool) -> Lines:
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


def _how_look_alike(request: Request, place: Place) -> str:
    signs = differing_characters("".join(texts_in(request.lines, place.span)), request.old.view)
    return f"look-alike characters ({', '.join(signs)})" if signs else "look-alike characters"


_KINDS: tuple[tuple[Callable[[Request], list[Place]], Callable[[Request, Place], str]], ...] = (
    (kinds.exactly, lambda _request, _place: ""),
    (kinds.at_open_end, lambda _request, _place: "the last line break"),
    (kinds.with_trailing_blanks, lambda _request, _place: "blanks at line ends"),
    (kinds.with_look_alikes, _how_look_alike),
    (kinds.with_other_indentation, lambda _request, _place: "indentation"),
)
