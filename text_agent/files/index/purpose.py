"""What a file is for, as far as that makes it less likely to be meant."""

from __future__ import annotations

from posixpath import splitext

from text_agent.files.index.query import Query, is_named
from text_agent.files.index.words import path_words
from text_agent.files.kinds import is_test
from text_agent.lazy_regex import late_pattern

# What is kept of a score in files that are rarely meant, unless the request names them or their kind.
_TEST = 0.5
_DOCUMENT = 0.6
_GENERATED = 0.2
_DOCUMENTS = frozenset((".md", ".rst", ".txt", ".html", ".adoc", ".ronn", *(f".{n}" for n in range(1, 9))))
_GENERATED_PATH = late_pattern(
    r"\.min\.\w+\Z|\.lock\Z|-lock\.\w+\Z|\.(?:map|po|pot|svg|snap|ipynb)\Z|_pb2?\."
)


def purpose_weight(path: str, query: Query) -> float:
    """Returns the share of a score that a file keeps, from 0 to 1."""
    if is_named(query.text, path):
        return 1.0
    if _GENERATED_PATH.search(path):
        return _GENERATED
    weight = _TEST if is_test(path) and "test" not in query.words else 1.0
    is_document = splitext(path)[1].lower() in _DOCUMENTS
    return weight * _DOCUMENT if is_document and query.words.isdisjoint(path_words(path)) else weight
