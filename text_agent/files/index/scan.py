"""Which files of a project hold which words, by one run of ripgrep: no cache, so nothing of it can be old."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

from text_agent.files.ripgrep import run_ripgrep

# Bytes of a file from which on it is data or was generated.
MAX_FILE_BYTES = 400_000


def count_words(root: Path, words: Collection[str]) -> Mapping[str, Mapping[str, int]]:
    """Returns how often each file holds each word, inside of other words as well, in whatever case.

    Args:
        root: the project's folder; what is ignored there is left out.
        words: in lower case.

    Raises:
        ToolError: rg cannot be run, or needs too long.
    """
    if not words:
        return {}
    patterns = [f"--regexp={word}" for word in sorted(words, key=len, reverse=True)]
    options = ["-oiFH", "--no-heading", "--no-line-number", f"--max-filesize={MAX_FILE_BYTES}"]
    found = os.fsdecode(run_ripgrep(root, [*options, *patterns, "./"], scope="with hidden").output)
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for line, times in Counter(found.split("\n")).items():
        path, _, match = line.rpartition("\0")
        for word in _inside(match.lower(), words):
            held = counts[path.removeprefix("./")]
            held[word] = held.get(word, 0) + times
    return counts


def _inside(match: str, words: Collection[str]) -> list[str]:
    """The words that a match holds: of two that overlap ripgrep gives one."""
    return [word for word in words if word in match] if match else []
