"""The words of a text as the index compares them: identifiers in their parts, without endings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from text_agent.lazy_regex import late_pattern

_IDENTIFIER = late_pattern(r"[^\W\d_][\w]*|\d+(?:\.\d+)+|\d{2,}")
_PART = late_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
# Endings of one word in its forms, and how much of it must be left.
_ENDINGS = (
    (4, "ations ation ators ator ating ated ates ate ions ion ors or ers er"),
    (3, "ings ing ies ied est ed es ly e s y"),
)
# The same by the last letter, in the order in which they are tried.
_BY_LETTER: dict[str, list[tuple[str, int]]] = {}
for _least, _endings in _ENDINGS:
    for _ending in _endings.split():
        _BY_LETTER.setdefault(_ending[-1], []).append((_ending, _least))
# Letters of a word below which it tells nothing.
LEAST_LETTERS = 2


def words_of(text: str) -> Iterator[str]:
    """Yields the stems of the words of a text; of a compound identifier also the whole, in lower case."""
    for identifier in _IDENTIFIER.findall(text):
        yield from _stems(identifier)


@lru_cache(maxsize=50_000)
def path_words(path: str) -> frozenset[str]:
    """Returns the words of a path, as those of a text."""
    return frozenset(words_of(path))


@lru_cache(maxsize=100_000)
def _stems(identifier: str) -> tuple[str, ...]:
    parts = _PART.findall(identifier)
    stems = [stem(part.lower()) for part in parts if len(part) >= LEAST_LETTERS]
    return (*stems, identifier.lower()) if len(parts) > 1 else tuple(stems)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Returns a word in lower case without its ending, so that its forms are equal."""
    if word.endswith("ss"):
        return word
    for ending, least in _BY_LETTER.get(word[-1:], ()):
        left = word[: -len(ending)]
        if word.endswith(ending) and len(left) >= least:
            doubled = len(left) > least and left[-1] == left[-2] and left[-1] not in "aeiosl"
            return left[:-1] if doubled else left
    return word
