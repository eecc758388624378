"""Chooses what of a project is shown for a request: complete units, as many as there is room for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from text_agent.files.index.entries import Entry
from text_agent.files.index.ranking import Ranked
from text_agent.files.index.reader import read_units
from text_agent.files.index.units import Unit
from text_agent.files.lines import split_lines

# The share of the best score from which on a unit is worth its room; and how many are shown at most.
_WORTH = 0.3
_MOST_EXCERPTS = 8
# Lines of a class from which on its methods are shown by their first lines.
_LONG_CLASS = 40
# Characters that the header of an excerpt takes.
_HEADER_CHARS = 60


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Complete units of a file.

    Attributes:
        path: the file.
        units: those that it holds, which stand directly behind each other.
        lines: all lines of the file.
        text: those of the units; of a long class, the methods by their first lines.
        is_outline: something inside is left out.
    """

    path: str
    units: tuple[Unit, ...]
    lines: Sequence[str]
    text: str
    is_outline: bool = False

    @property
    def first(self) -> int:
        """The first line, from 1."""
        return self.units[0].first

    @property
    def last(self) -> int:
        """The last line."""
        return max(unit.last for unit in self.units)


@dataclass(frozen=True, slots=True)
class Selection:
    """What is shown.

    Attributes:
        excerpts: the best first.
        further: entries that there was no room for, the best first.
    """

    excerpts: Sequence[Excerpt]
    further: Sequence[Entry]


def select_excerpts(ranked: Sequence[Ranked], max_chars: int) -> Selection:
    """Chooses the best of `ranked` that fit into `max_chars` characters together.

    Args:
        ranked: the units, the best first.
        max_chars: the room.
    """
    chosen: list[Excerpt] = []
    further: list[Entry] = []
    least = ranked[0].score * _WORTH if ranked else 0.0
    left = max_chars
    for each in ranked:
        if any(_holds(excerpt, each.entry) for excerpt in chosen):
            continue
        excerpt = _excerpt(each.entry)
        # One that holds others takes the place of the first of them.
        inner = [] if excerpt.is_outline else [other for other in chosen if _lies_in(other, excerpt)]
        size = _size(excerpt) - sum(map(_size, inner))
        if each.score >= least and size <= left and len(chosen) < _MOST_EXCERPTS + len(inner):
            at = chosen.index(inner[0]) if inner else len(chosen)
            chosen = [other for other in chosen if other not in inner]
            chosen.insert(at, excerpt)
            left -= size
        elif each.entry.unit.name:
            further.append(each.entry)
    return Selection(list(_joined(chosen)), further)


def _size(excerpt: Excerpt) -> int:
    return len(excerpt.text) + _HEADER_CHARS


def _lies_in(one: Excerpt, other: Excerpt) -> bool:
    return one.path == other.path and other.first <= one.first and one.last <= other.last


def _holds(excerpt: Excerpt, entry: Entry) -> bool:
    return (
        excerpt.path == entry.path
        and not excerpt.is_outline
        and excerpt.first <= entry.unit.first
        and entry.unit.last <= excerpt.last
    )


def _excerpt(entry: Entry) -> Excerpt:
    lines = split_lines(entry.source).texts
    unit = entry.unit
    inner = [
        each for each in read_units(entry.path, entry.source) if unit.holds(each) and each.kind == "method"
    ]
    if unit.kind != "class" or unit.last - unit.first < _LONG_CLASS or not inner:
        return Excerpt(entry.path, (unit,), lines, "\n".join(lines[unit.first - 1 : unit.last]))
    return Excerpt(entry.path, (unit,), lines, "\n".join(_outline(unit, inner, lines)), is_outline=True)


def _outline(unit: Unit, inner: Iterable[Unit], lines: Sequence[str]) -> Iterator[str]:
    """The lines of a class, with the first line of each method in its place."""
    number = unit.first
    for method in inner:
        if method.first < number:
            continue
        yield from lines[number - 1 : method.first - 1]
        yield f"{lines[method.line - 1]} ..."
        number = method.last + 1
    yield from lines[number - 1 : unit.last]


def _joined(excerpts: Sequence[Excerpt]) -> Iterator[Excerpt]:
    """The excerpts, those that stand directly behind each other as one, in the place of the better one."""
    left = list(excerpts)
    while left:
        best = left.pop(0)
        while following := next((each for each in left if _touch(best, each)), None):
            left.remove(following)
            first, second = sorted((best, following), key=lambda each: each.first)
            text = "\n".join(best.lines[first.first - 1 : second.last])
            best = Excerpt(best.path, (*first.units, *second.units), best.lines, text)
        yield best


def _touch(one: Excerpt, other: Excerpt) -> bool:
    if one.path != other.path or one.is_outline or other.is_outline:
        return False
    first, second = sorted((one, other), key=lambda each: each.first)
    between = first.lines[first.last : second.first - 1]
    return first.last < second.first and not any(map(str.strip, between))
