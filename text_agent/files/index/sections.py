"""The sections of documents and settings, by the lines that head them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from text_agent.files.index.units import Unit, first_with_comment
from text_agent.lazy_regex import late_pattern

_HEADING = late_pattern(r"(#{1,6})\s+(.+?)\s*#*\Z")
_FENCE = late_pattern(r"\s*(`{3,}|~{3,})")
_RULE = late_pattern(r"([=\-~^\"'#*+`:.])\1{2,}\s*\Z")
_TABLE = late_pattern(r"\s*\[+\s*([^\[\]]+?)\s*\]+\s*(?:[#;].*)?\Z")


def markdown_units(lines: Sequence[str]) -> list[Unit]:
    """Returns the sections of a Markdown file: from each heading to the next."""
    return _sections(lines, list(_markdown_heads(lines)))


def rst_units(lines: Sequence[str]) -> list[Unit]:
    """Returns the sections of a reStructuredText file."""
    return _sections(lines, list(_rst_heads(lines)))


def table_units(lines: Sequence[str]) -> list[Unit]:
    """Returns the tables of a TOML or INI file; the comment above a table belongs to it."""
    found = [(number, match[1]) for number, line in enumerate(lines, 1) if (match := _TABLE.match(line))]
    heads, least = [], 1
    for number, name in found:
        heads.append((first_with_comment(number, lines, least=least), number, 1, name))
        least = number + 1
    return _sections(lines, heads)


# Of each section: its first line, the line that names it, its level, its name.
_Head = tuple[int, int, int, str]


def _markdown_heads(lines: Sequence[str]) -> Iterator[_Head]:
    fence = ""
    for number, line in enumerate(lines, 1):
        if match := _FENCE.match(line):
            if not fence:
                fence = match[1]
            elif match[1].startswith(fence):
                fence = ""
        elif fence:
            continue
        elif heading := _HEADING.match(line):
            yield number, number, len(heading[1]), heading[2]
        elif (rule := re.match(r"(=+|-{3,})\s*\Z", line)) and number > 1 and lines[number - 2].strip():
            yield number - 1, number - 1, 1 + (rule[1][0] == "-"), lines[number - 2].strip()


def _rst_heads(lines: Sequence[str]) -> Iterator[_Head]:
    signs: list[str] = []
    for number, (line, below) in enumerate(pairwise(lines), 1):
        rule = _RULE.match(below)
        if (
            not rule
            or not line.strip()
            or line[0].isspace()
            or _RULE.match(line)
            or len(below) < len(line.rstrip())
        ):
            continue
        above = number > 1 and lines[number - 2] == below
        sign = rule[1] * (1 + above)
        if sign not in signs:
            signs.append(sign)
        yield number - above, number, 1 + signs.index(sign), line.strip()


def _sections(lines: Sequence[str], heads: Sequence[_Head]) -> list[Unit]:
    units: list[Unit] = []
    around: list[tuple[int, str]] = []
    for (first, line, level, name), following in zip(heads, [*heads[1:], None], strict=False):
        around = [each for each in around if each[0] < level]
        last = following[0] - 1 if following else len(lines)
        while last > line and not lines[last - 1].strip():
            last -= 1
        units.append(Unit(first, last, line, name, "section", ".".join(each for _, each in around)))
        around.append((level, name))
    return units
