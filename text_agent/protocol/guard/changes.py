"""What an edit changes, apart from the notation, the folder and the lines around."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from text_agent.protocol.tool import ToolDescription


def changes_of(arguments: Mapping[str, Any], tool: ToolDescription) -> Iterator[tuple[str, str]]:
    """The changes that a call makes: the name of the file, perhaps empty, and what is changed in it.

    There are none if its tool takes no edits. `arguments`: the call's, under the names of the tool's
    parameters.
    """
    names = tool.words.edits
    if names is None or not names.parts:
        return
    path, parts = arguments.get(names.path), arguments.get(names.parts)
    file = path.replace("\\", "/").rpartition("/")[2] if isinstance(path, str) else ""
    for part in [arguments, *(parts if isinstance(parts, list) else ())]:
        old, new = (
            (part.get(name, "") for name in (names.old, names.new)) if isinstance(part, Mapping) else ("", "")
        )
        if isinstance(old, str) and isinstance(new, str) and old != new:
            yield file, json.dumps(_core(old, new))


def _core(old: str, new: str) -> tuple[list[str], list[str]]:
    """The lines that differ, without white space."""
    before, after = (["".join(line.split()) for line in text.split("\n")] for text in (old, new))
    before, after = ([line for line in lines if line] for lines in (before, after))
    start = _equal_lines(before, after)
    before, after = before[start:], after[start:]
    end = _equal_lines(before[::-1], after[::-1])
    return before[: len(before) - end], after[: len(after) - end]


def _equal_lines(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))
