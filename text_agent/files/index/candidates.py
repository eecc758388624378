"""The files of a project that are worth reading for a request, found by one search for all of its words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set

from text_agent.errors import ToolError
from text_agent.files.encoding import NotTextError, decode_text
from text_agent.files.index.purpose import purpose_weight
from text_agent.files.index.query import Query, is_named
from text_agent.files.index.scan import MAX_FILE_BYTES, count_words
from text_agent.files.index.words import path_words
from text_agent.files.ripgrep import list_paths
from text_agent.files.workspace import Workspace

# Files, and bytes of them, that are read for one request.
_MOST_FILES = 60
_MOST_BYTES = 800_000
# How soon further occurrences of a word stop to count.
_SATURATION = 1.2
# How much more what a request names itself counts than a word of it; a file that it names comes before all.
_LITERAL = 3.0
_NAMED = 1000.0


def find_candidates(workspace: Workspace, query: Query) -> dict[str, str]:
    """Returns the texts of the files that a request may be about, by path, the most promising first.

    Raises:
        ToolError: the files cannot be listed or searched.
    """
    paths = list_paths(workspace.root, scope="with hidden")
    literals = {each.lower() for each in query.literals}
    counts = count_words(workspace.root, (query.words - query.quiet) | literals)
    held = Counter(word for each in counts.values() for word in each)
    weights = {word: math.log(1 + len(paths) / number) for word, number in held.items()}
    scores = {path: _score(path, counts.get(path, {}), weights, literals, query) for path in paths}
    best = sorted((path for path in paths if scores[path] > 0), key=lambda path: (-scores[path], path))
    return _read_some(workspace, best)


def _score(
    path: str, counts: Mapping[str, int], weights: Mapping[str, float], literals: Set[str], query: Query
) -> float:
    words = sum(
        weights[word] * times / (times + _SATURATION) * (_LITERAL if word in literals else 1.0)
        for word, times in counts.items()
    )
    in_path = sum(weights.get(word, 1.0) for word in query.words & path_words(path))
    return (words + in_path) * purpose_weight(path, query) + _NAMED * is_meant(path, query)


def is_meant(path: str, query: Query) -> bool:
    """Whether a request names a file, by itself or in a traceback."""
    return is_named(query.text, path) or any(is_place(path, place) for place, _ in query.frames)


def is_place(path: str, place: str) -> bool:
    """Whether a path of a traceback, perhaps absolute or from elsewhere, is a file of the project."""
    return path == place or place.endswith(f"/{path}") or path.endswith(f"/{place}")


def _read_some(workspace: Workspace, paths: Sequence[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    left = _MOST_BYTES
    for path in paths:
        if left <= 0 or len(texts) == _MOST_FILES:
            break
        if text := _read(workspace, path):
            texts[path] = text
            left -= len(text)
    return texts


def _read(workspace: Workspace, path: str) -> str:
    """One file; empty if it is no text, is too long, or is nobody's business."""
    try:
        target = workspace.resolve(path)
        if workspace.secrets.is_secret(target):
            return ""
        with workspace.open_file(target) as file:
            content = file.read(MAX_FILE_BYTES + 1)
        return decode_text(content)[0] if len(content) <= MAX_FILE_BYTES else ""
    except (ToolError, NotTextError, OSError):
        return ""
