"""The units of a file with their words, as they are ranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from text_agent.files.index.reader import read_units
from text_agent.files.index.units import Unit
from text_agent.files.index.words import words_of
from text_agent.files.lines import split_lines


@dataclass(frozen=True, slots=True)
class Entry:
    """A unit that can be shown on its own, with its words.

    Attributes:
        path: the file.
        unit: where it stands.
        source: the file's text.
        text: its lines without those of the entries inside of it.
        defines: the names that it defines, its own and those of what is inside it.
        heading: how often its name, and those of the units around it, hold each word.
        body: the same of its text.
        length: the number of words in its text.
    """

    path: str
    unit: Unit
    source: str
    text: str
    defines: frozenset[str]
    heading: Mapping[str, int]
    body: Mapping[str, int]
    length: int


@lru_cache(maxsize=512)
def read_entries(path: str, text: str) -> tuple[Entry, ...]:
    """Returns the entries of a file, in order; each line that is not blank belongs to one of them."""
    lines = split_lines(text).texts
    units = read_units(path, text)
    shown: list[Unit] = []
    inner: dict[Unit, list[str]] = {}
    owner: list[Unit | None] = [None] * (len(lines) + 1)
    around: list[Unit] = []
    for unit in units:
        while around and not around[-1].holds(unit):
            around.pop()
        if not around or (around[-1].kind not in ("function", "method") and _stands_alone(unit)):
            shown.append(unit)
            around.append(unit)
            inner[unit] = []
            owner[unit.first : unit.last + 1] = [unit] * (unit.last + 1 - unit.first)
        else:
            inner[around[-1]].append(unit.name)
    own: dict[Unit, list[str]] = {unit: [] for unit in shown}
    for number, unit_at in enumerate(owner[1:]):
        if unit_at is not None:
            own[unit_at].append(lines[number])
    return tuple(_entry(path, unit, text, "\n".join(own[unit]), inner[unit]) for unit in shown)


def _stands_alone(unit: Unit) -> bool:
    return unit.kind != "text" and not (unit.kind == "value" and unit.first == unit.last)


def _entry(path: str, unit: Unit, source: str, text: str, inner: Sequence[str]) -> Entry:
    body = Counter(words_of(text))
    defines = frozenset(filter(None, [unit.name, *inner]))
    return Entry(path, unit, source, text, defines, Counter(words_of(unit.full_name)), body, body.total())
