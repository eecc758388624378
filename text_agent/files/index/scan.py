"""Which files of a project hold which words, by one run of ripgrep: no cache, so nothing of it can be old."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

from text_agent.files.ripgrep import run_ripgrep

# Bytes of a file from which on it is data or was generated.
MAX_FILE_BYTES = 400_000
# Seconds after which a model rather begins without it; 50,000 files take one.
_MOST_SECONDS = 5.0


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
    run = run_ripgrep(root, [*options, *patterns, "./"], scope="with hidden", timeout_seconds=_MOST_SECONDS)
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    # Of two words that overlap ripgrep gives one.
    inside: dict[str, list[str]] = {}
    for line, times in Counter(os.fsdecode(run.output).split("\n")[:-1]).items():
        path, _, match = line.rpartition("\0")
        if match not in inside:
            inside[match] = [word for word in words if word in match.lower()]
        held = counts[path.removeprefix("./")]
        for word in inside[match]:
            held[word] = held.get(word, 0) + times
    return counts
