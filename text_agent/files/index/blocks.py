"""The units of any text by its indentation, where no parser is at hand.

In nearly every language what belongs together stands under a line that is indented less: so a unit begins at
each line of the least indentation, with the comment above it, and ends before the next one. Lines that only
close what is above them, or go on with it, begin none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from text_agent.files.index.units import COMMENT_SIGNS, Kind, Unit, first_with_comment
from text_agent.lazy_regex import late_pattern

_GOES_ON = late_pattern(
    r"[)\]}>,.|&+?:]|\{\s*$|</"
    r"|(?:else|elif|elseif|catch|rescue|ensure|except|finally|end|fi|done|esac|then|do|where)\b"
)
# What ends a line that opens a body, and begins the line that closes it.
_OPENS = ("{", "(", "[")
_CLOSES = ("}", ")", "]")
# What a line can name, in the order in which it is believed where two begin at one place.
_HEADS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "class",
        late_pattern(
            r"\b(?:class|struct|interface|trait|enum|union|impl|module|mod|namespace|record|object|type|protocol)"
            r"\s+(?:<[^<>]*>\s*)?([\w$]+)"
        ),
    ),
    ("function", late_pattern(r"\b(?:function|func|fun|fn|def|sub|proc|macro_rules!)\s+([\w$.]+[?!]?)")),
    (
        "value",
        late_pattern(r"[\"']?(?<![\w$])([\w$][\w$-]*)[\"']?\s*(?::[^=:(){}]+)?(?:\??:|[:?+]?=)(?![=>:])"),
    ),
    ("function", late_pattern(r"([\w$-]+[?!]?)\s*(?:<[^<>()=]*>)?\s*\((?!\s*\*)")),
    ("section", late_pattern(r"<\w[^<>]*?\s(?:id|name)=[\"']?([\w-]+)")),
)
# A value that is a function.
_IS_FUNCTION = late_pattern(r"=\s*(?:async\b\s*)?(?:function\b|\w+\s*=>|\([^()]*\)\s*=>)")
_NO_NAMES = frozenset(
    ("if", "for", "while", "switch", "match", "return", "func", "function", "fn", "def", "catch", "with")
)
# Lines from which on the inside of what is no function is looked at, too.
_LONG = 40


def block_units(lines: Sequence[str]) -> list[Unit]:
    """Returns the units of a text, by its lines."""
    return list(_units(lines, 0, len(lines), "", in_class=False))


def _units(lines: Sequence[str], begin: int, end: int, parent: str, *, in_class: bool) -> Iterator[Unit]:
    """The units among some lines, from 0; inside of another unit only those that name something."""
    heads = _heads(lines, begin, end)
    for head, following in zip(heads, [*heads[1:], end], strict=False):
        name, kind = _named(lines[head])
        last = following
        while last > head + 1 and not _belongs(lines[last - 1], lines[head]):
            last -= 1
        if not name or (parent and last == head + 1 and kind == "value"):
            kind, name = "text", ""
        if kind == "function" and in_class:
            kind = "method"
        inner = [] if kind in ("function", "method") else list(_inside(lines, head, last, parent, name, kind))
        if name:
            first = first_with_comment(head + 1, lines, least=begin + 1)
            yield Unit(first, last, head + 1, name, kind, parent)
        yield from inner


def _inside(lines: Sequence[str], head: int, last: int, parent: str, name: str, kind: Kind) -> Iterator[Unit]:
    if kind == "class" or last - head > _LONG:
        around = ".".join(filter(None, [parent, name]))
        yield from _units(lines, head + 1, last, around, in_class=kind == "class")


def _heads(lines: Sequence[str], begin: int, end: int) -> list[int]:
    """The lines of the least indentation that begin something, and stand in no body that is open."""
    indents = {number: _indent(lines[number]) for number in range(begin, end) if _is_code(lines[number])}
    begins = [number for number in indents if not _GOES_ON.match(lines[number].lstrip())]
    # Inside of a unit it is the first line that tells: text in quotes may be indented less.
    least = min((indents[number] for number in (begins[:1] if begin else begins)), default=0)
    closing: dict[int, list[int]] = {}
    for number, indent in indents.items():
        if lines[number].lstrip().startswith(_CLOSES):
            closing.setdefault(indent, []).append(number)
    heads, closed = [], -1
    for number, indent in indents.items():
        if number >= closed and indent <= least:
            if not _GOES_ON.match(lines[number].lstrip()):
                heads.append(number)
            if lines[number].rstrip().endswith(_OPENS):
                ends = closing.get(indent, [])
                further = bisect_right(ends, number)
                closed = ends[further] if further < len(ends) else -1
    return heads


def _belongs(line: str, head: str) -> bool:
    """Whether a last line is one of the unit itself, not of what comes next or stands around it."""
    return _is_code(line) and _indent(line) >= _indent(head)


def _is_code(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith(COMMENT_SIGNS)


def _indent(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())


def _named(line: str) -> tuple[str, Kind]:
    """What a line names first."""
    found = [
        (match.start(), rank, match[1], kind)
        for rank, (kind, pattern) in enumerate(_HEADS)
        for match in pattern.finditer(line[:300])
        if match[1] not in _NO_NAMES
    ]
    if not found:
        return "", "text"
    _, _, name, kind = min(found)
    return name, "function" if kind == "value" and _IS_FUNCTION.search(line) else kind
