"""Divides a reply into its parts: for a screen, which shows each of them in its own way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from text_agent.protocol.types import Part, QuotationReason

Span = tuple[int, int]


def divide(
    length: int, words: Iterable[Span], inert: Iterable[tuple[int, int, QuotationReason]], start: int = 0
) -> tuple[Part, ...]:
    """The parts of a reply of `length` characters, in order and without gaps.

    Args:
        length: of the reply, in characters.
        words: the spans of its own words, in order.
        inert: spans in which no call runs; those of them that are no words are thinking, comments or what
            follows an invented result.
        start: where the first part begins, if no word stands before it.
    """
    aside = [Part(reason, (begin, stop)) for begin, stop, reason in inert if reason != "example fence"]
    shown = sorted([*(Part("prose", span) for span in words), *aside], key=lambda part: part.span)
    return tuple(_without_gaps(length, shown, start))


def _without_gaps(length: int, parts: Iterable[Part], position: int) -> Iterator[Part]:
    """The parts from `position` on, with what stands between them as calls."""
    for part in parts:
        if part.span[0] > position:
            yield Part("call", (position, part.span[0]))
        yield part
        position = part.span[1]
    if position < length:
        yield Part("call", (position, length))


def gaps(spans: Iterable[Span], begin: int, end: int) -> list[Span]:
    """The stretches from `begin` to `end` that none of the `spans` covers, in order."""
    left: list[Span] = []
    position = begin
    for start, stop in sorted(spans):
        if position < min(start, end):
            left.append((position, min(start, end)))
        position = max(position, stop)
    return [*left, (position, end)] if position < end else left


def shorten(spans: list[Span], count: int) -> list[Span]:
    """The sorted `spans` without the last `count` characters that they cover."""
    left = list(spans)
    while left and count > 0:
        start, stop = left.pop()
        taken = min(count, stop - start)
        count -= taken
        if stop - taken > start:
            left.append((start, stop - taken))
    return left


def own_words(text: str, parts: Iterable[Part]) -> str:
    """The reply's own words with every blank line, as its `prose` has not."""
    return "".join(text[slice(*part.span)] for part in parts if part.kind == "prose")
