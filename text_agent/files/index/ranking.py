"""Ranks the units of a project for a request: what it names first, then what speaks of the same (BM25)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from text_agent.files.index.candidates import find_candidates, is_place
from text_agent.files.index.entries import Entry, read_entries
from text_agent.files.index.purpose import purpose_weight
from text_agent.files.index.query import Query, is_named, read_query
from text_agent.files.index.words import path_words
from text_agent.files.kinds import is_test
from text_agent.files.workspace import Workspace
from text_agent.lazy_regex import late_pattern

# How soon further occurrences of a word stop to count, and how much a long text is held against it.
_SATURATION = 1.2
_LENGTH_SHARE = 0.6
# How much more a word counts in a name, and in a path, than in a text.
_IN_HEADING = 4.0
_IN_PATH = 1.5
# How much what the request names counts: its definition, further where the name around it is named, too; a
# text that holds it; a file that it names; the line of a traceback in which it failed.
_DEFINED = 3.0
_OWNED = 2.0
_HELD = 1.0
_NAMED_FILE = 6.0
_FRAME = 30.0
# What a unit gives to those that it names: a little, but all where it is a test that the request names, and
# they are what it tests. And how many give.
_NEIGHBOUR = 0.25
_TESTED = 1.0
_GIVING = 8
_IDENTIFIER = late_pattern(r"[A-Za-z_]\w+")


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry with its score."""

    entry: Entry
    score: float


def rank_units(
    workspace: Workspace,
    request: str,
    is_quiet: Callable[[str], bool] = lambda _: False,
    frames: Sequence[tuple[str, int]] = (),
) -> list[Ranked]:
    """Returns the units of a project that a request may be about, the best first.

    Args:
        workspace: the project.
        request: as the user wrote it.
        is_quiet: tells of a word that people ask by, whatever they ask about.
        frames: files with a line, in order, as a traceback has them that the request has not.

    Raises:
        ToolError: the project's files cannot be listed or searched.
    """
    query = read_query(request, is_quiet)
    query = replace(query, frames=tuple(dict.fromkeys((*query.frames, *frames))))
    texts = find_candidates(workspace, query)
    entries = [entry for path, text in texts.items() for entry in read_entries(path, text)]
    scores = _scores(query, entries)
    for number, given in _given(query, entries, scores).items():
        scores[number] += given
    order = sorted(range(len(entries)), key=lambda number: (-scores[number], number))
    return [Ranked(entries[number], scores[number]) for number in order if scores[number] > 0]


def _scores(query: Query, entries: Sequence[Entry]) -> list[float]:
    purposes = {path: purpose_weight(path, query) for path in {entry.path for entry in entries}}
    mean = sum(entry.length for entry in entries) / max(1, len(entries)) or 1.0
    words = _weights(query.words, entries, lambda word, each: word in each.body or word in each.heading)
    literals = _weights(query.literals, entries, lambda literal, each: literal in each.text)
    names = _weights(query.names, entries, lambda name, each: name in each.defines)
    return [
        purposes[entry.path]
        * (
            _word_score(entry, query, words, mean)
            + _HELD * sum(weight for literal, weight in literals.items() if literal in entry.text)
            + sum(weight * _defined(entry, name, query) for name, weight in names.items())
        )
        + _NAMED_FILE * is_named(query.text, entry.path)
        + _frame_score(entry, query)
        for entry in entries
    ]


WORD_CAP = 9


def _weights(
    terms: Collection[str], entries: Sequence[Entry], holds: Callable[[str, Entry], bool]
) -> dict[str, float]:
    """What each term tells: much if few entries hold it. Those that none holds are left out."""
    counts = {term: sum(holds(term, entry) for entry in entries) for term in terms}
    return {
        term: math.log(1 + (len(entries) - count + 0.5) / (count + 0.5))
        for term, count in counts.items()
        if count
    }


def _word_score(entry: Entry, query: Query, words: Mapping[str, float], mean: float) -> float:
    around = 1 - _LENGTH_SHARE + _LENGTH_SHARE * entry.length / mean
    score, in_path = 0.0, path_words(entry.path)
    for word, weight in words.items():
        times = (
            entry.body.get(word, 0) * (word not in query.quiet) / around
            + _IN_HEADING * entry.heading.get(word, 0)
            + _IN_PATH * (word in in_path)
        )
        score += weight * times * (_SATURATION + 1) / (times + _SATURATION)
    return score


def _defined(entry: Entry, name: str, query: Query) -> float:
    if name not in entry.defines:
        return 0.0
    owner = query.owners.get(name, "")
    is_owned = owner and (owner in entry.unit.parent.split(".") or owner in entry.path)
    return _DEFINED + _OWNED * bool(is_owned)


def _frame_score(entry: Entry, query: Query) -> float:
    """What the lines of a traceback give; the last one is where it failed."""
    return sum(
        _FRAME * rank / len(query.frames)
        for rank, (place, line) in enumerate(query.frames, 1)
        if entry.unit.first <= line <= entry.unit.last and is_place(entry.path, place)
    )


def _given(query: Query, entries: Sequence[Entry], scores: Sequence[float]) -> dict[int, float]:
    """What the best entries give to those that they name."""
    by_name: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(entries):
        by_name[entry.unit.name].append(number)
    given: dict[int, float] = defaultdict(float)
    for number in sorted(range(len(entries)), key=lambda number: -scores[number])[:_GIVING]:
        for other, share in _named_in(number, entries, by_name, query):
            purpose = purpose_weight(entries[other].path, query)
            given[other] = max(given[other], share * scores[number] * purpose)
    return given


def _named_in(
    number: int, entries: Sequence[Entry], by_name: Mapping[str, list[int]], query: Query
) -> Iterator[tuple[int, float]]:
    entry = entries[number]
    is_meant = not entry.defines.isdisjoint(query.literals) or _frame_score(entry, query) > 0
    is_named_test = is_test(entry.path) and is_meant
    for name in set(_IDENTIFIER.findall(entry.text)) - {entry.unit.name}:
        # Of the forms of one definition, such as its overloads, the longest counts.
        forms = sorted(by_name.get(name, ()), key=lambda other: entries[other].length)
        others = {(entries[other].path, entries[other].unit.full_name): other for other in forms}
        for other in others.values():
            is_tested = is_named_test and not is_test(entries[other].path)
            yield other, (_TESTED if is_tested else _NEIGHBOUR) / len(others)
