"""The units of a file: what a reader would point at, each a complete piece of its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["class", "function", "method", "value", "section", "text"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A definition, a section, or lines between them.

    Attributes:
        first: its first line, from 1; decorators and the comment above belong to it.
        last: its last line.
        line: the line that names it.
        name: its own; empty for lines between definitions.
        kind: what it is.
        parent: the names of the units around it, from the outermost, joined by dots.
    """

    first: int
    last: int
    line: int
    name: str
    kind: Kind
    parent: str = ""

    @property
    def full_name(self) -> str:
        """Its name behind those of the units around it."""
        return f"{self.parent}.{self.name}" if self.parent else self.name

    def holds(self, other: Unit) -> bool:
        """Whether another unit lies inside it."""
        return self is not other and self.first <= other.first and other.last <= self.last


def with_text_between(units: Iterable[Unit], lines: Sequence[str]) -> list[Unit]:
    """Returns `units` and, as units of kind `text`, the paragraphs that none of them covers, in order."""
    found = list(units)
    covered = {line for unit in found for line in range(unit.first, unit.last + 1)}
    texts = _paragraphs([number for number in range(1, len(lines) + 1) if number not in covered], lines)
    return sorted([*found, *texts], key=lambda unit: (unit.first, -unit.last))


def _paragraphs(numbers: Iterable[int], lines: Sequence[str]) -> Iterator[Unit]:
    """The runs of lines that are not blank; an indented line goes on with the run above it."""
    first = last = 0
    for number in numbers:
        line = lines[number - 1]
        if not line.strip():
            continue
        goes_on = number == last + 1 or (line[0].isspace() and _is_blank(lines[last : number - 1]))
        if first and goes_on:
            last = number
            continue
        if first:
            yield Unit(first, last, first, "", "text")
        first = last = number
    if first:
        yield Unit(first, last, first, "", "text")


def _is_blank(lines: Sequence[str]) -> bool:
    return not any(map(str.strip, lines))


def first_with_comment(line: int, lines: Sequence[str], *, least: int = 1) -> int:
    """The first line of the comment that stands directly above `line`; `line` if there is none.

    Args:
        line: from 1.
        lines: the file's.
        least: the first line that it may be.
    """
    first = line
    while first > least and lines[first - 2].strip().startswith(COMMENT_SIGNS):
        first -= 1
    # One that is set off by a blank line belongs to it, too, but at the beginning it is the file's.
    if first == line > least + 2 and not lines[line - 2].strip() and lines[line - 3].strip() == "*/":
        above = first_with_comment(line - 2, lines, least=least)
        return above if above > 1 else first
    return first


# How a line of a comment begins, in the common languages.
COMMENT_SIGNS = ("#", "//", "/*", "*", "--", ";", "<!--", "%")
