"""Indentation: whether two blocks differ only by it, and how to indent new lines like the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from text_agent.lazy_regex import late_pattern

_INDENT = late_pattern(r"[ \t]*")
_SPACES = tuple(" " * width for width in (4, 2, 8, 3))


@dataclass(frozen=True, slots=True)
class IndentRule:
    """Turns a model's indentation into the file's: `old_unit` levels, moved by `shift`, in `new_unit`."""

    old_unit: str
    new_unit: str
    shift: int

    def apply(self, indent: str) -> str | None:
        """The file's indentation; None if it would have to be less than none."""
        levels, rest = _measure(indent, self.old_unit)
        return self.new_unit * (levels + self.shift) + rest if levels + self.shift >= 0 else None

    def apply_to_line(self, line: str) -> str:
        """The line with the file's indentation; a blank line as it is."""
        indent = indent_of(line)
        return line if indent == line else (self.apply(indent) or "") + line[len(indent) :]

    def rank(self, indents: Sequence[str]) -> tuple[int, int, int]:
        """The lower, the likelier: few parts of a level, few levels of difference, a large unit."""
        parts = sum(bool(_measure(indent, self.old_unit)[1]) for indent in indents)
        return parts, abs(self.shift), -len(self.old_unit)


def indent_of(line: str) -> str:
    """The blanks and tabs that a line begins with."""
    found = _INDENT.match(line)
    return found[0] if found else ""


def find_rule(pairs: Sequence[tuple[str, str]], indents: Sequence[str], file_unit: str) -> IndentRule | None:
    """The rule that makes each first indentation of `pairs` the second, and fits `indents` best."""
    rules = [rule for rule in _candidates(pairs[0], file_unit) if _fits(rule, pairs, indents)]
    return min(rules, key=lambda rule: rule.rank(indents), default=None)


def unit_of(lines: Iterable[str]) -> str:
    """The file's own unit: a tab, or the commonest step from one line to the next; 4 blanks if none."""
    indents = [indent_of(line) for line in lines if line.strip()]
    if sum(indent.startswith("\t") for indent in indents) * 2 > sum(map(bool, indents)):
        return "\t"
    spaces = [indent for indent in indents if "\t" not in indent]
    steps = Counter(len(below) - len(above) for above, below in pairwise(spaces))
    rising = {step: count for step, count in steps.items() if 1 < step <= 8}
    return " " * max(rising, key=lambda step: (rising[step], -step), default=4)


def _candidates(pair: tuple[str, str], file_unit: str) -> Iterable[IndentRule]:
    units = [(" ", " "), ("\t", "\t"), ("\t", file_unit)]
    units += [(spaces, unit) for unit in dict.fromkeys((file_unit, "\t")) for spaces in _SPACES]
    for old_unit, new_unit in units:
        shift = _measure(pair[1], new_unit)[0] - _measure(pair[0], old_unit)[0]
        yield IndentRule(old_unit, new_unit, shift)


def _fits(rule: IndentRule, pairs: Sequence[tuple[str, str]], indents: Sequence[str]) -> bool:
    exact = all(rule.apply(old) == new for old, new in pairs)
    return exact and all(rule.apply(indent) is not None for indent in indents)


def _measure(indent: str, unit: str) -> tuple[int, str]:
    levels = 0
    while indent.startswith(unit):
        indent = indent[len(unit) :]
        levels += 1
    return levels, indent
