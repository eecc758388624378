"""Puts keys back where the model, which was shown a mark for each, writes the mark."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from text_agent.agent.actions import Touched
from text_agent.config.limits import EDIT_MAX_BYTES
from text_agent.errors import ToolError
from text_agent.files.encoding import NotTextError, decode_text
from text_agent.files.lines import matching_lines, split_lines
from text_agent.files.workspace import FileChange, Workspace
from text_agent.text.masking import MASK, Masker, map_texts
from text_agent.tools.tool import Tool


def put_keys_back(
    tool: Tool, arguments: Mapping[str, Any], workspace: Workspace, touched: Sequence[Touched], mask: Masker
) -> Mapping[str, Any]:
    """The arguments of a call that changes one file, with that file's own keys for their marks.

    Raises `ToolError`: the file has several, and it cannot be told which is meant.
    """
    if tool.effect != "write" or len(touched) != 1:
        return arguments
    origins = [_text(workspace, touched[0])]
    if all(value == MASK for value in mask.values(origins[0])):
        return arguments

    def put_back(text: str) -> str:
        for origin in origins:
            restored = _restored(text, origin, mask)
            if restored is not None:
                break
        else:
            raise ToolError(_unclear(workspace.display(touched[0].target)))
        if restored != text:  # what is to stand in its place is likely to hold the same keys
            origins.insert(0, restored)
        return restored

    paths = tool.declaration.paths or ()
    return {name: value if name in paths else map_texts(value, put_back) for name, value in arguments.items()}


def refuse_lost_key(change: FileChange, mask: Masker) -> None:
    """Raises `ToolError` if the mark that the model reads for a key would take the place of the key."""
    before, after = ((data or b"").decode("utf-8", "replace") for data in (change.before, change.after))
    if before.count(MASK) < after.count(MASK) and mask(before) != before:
        raise ToolError(
            f"{change.path} has a key of the user's where you were shown {MASK}, and would lose it;"
            f" {change.path} is unchanged. Change other lines of it only."
        )


def _unclear(shown: str) -> str:
    return (
        f"{shown} holds several of the user's keys where you were shown {MASK}, and it cannot be told which"
        f" one is meant; {shown} is unchanged. Leave the lines with {MASK} as they are, and change others."
    )


def _text(workspace: Workspace, file: Touched) -> str:
    """A file's text as the model sees it; empty where there is none."""
    try:
        with workspace.open_file(file.target) as opened:
            return split_lines(decode_text(opened.read(EDIT_MAX_BYTES + 1))[0]).view
    except (ToolError, NotTextError, OSError):  # the tool finds the same, and tells it
        return ""


def _restored(text: str, origin: str, mask: Masker) -> str | None:
    """The text with the keys of `origin` for its marks; None where several could be meant.

    A line that stands in the origin has the key that it has there; for all others there is one key left.
    """
    values = mask.values(origin)
    if MASK not in text:
        return text
    if whole := _as_in(text, origin, values):
        return whole
    old, new = origin.split("\n"), text.split("\n")
    left, unclear = Counter(values), []
    known = matching_lines([mask(line) for line in old], new)
    for number, line in enumerate(new):
        if MASK not in line:
            continue
        found = old[known[number]] if number in known else _as_in(line.strip(), origin, values)
        if found is None:
            unclear.append(number)
        else:
            new[number] = line.replace(line.strip(), found.strip())
            left.subtract(mask.values(found))
    meant = set(+left) or set(values)
    if unclear and len(meant) > 1:
        return None
    for number in unclear:
        new[number] = new[number].replace(MASK, min(meant))
    return "\n".join(new)


def _as_in(text: str, origin: str, values: Sequence[str]) -> str | None:
    """A part of `origin` that reads like `text` but for its keys; None without one, or where two differ."""
    any_value = "(?:" + "|".join(map(re.escape, {*values, MASK})) + ")"
    pattern = any_value.join(map(re.escape, text.split(MASK)))
    found = {match[0] for match in re.finditer(pattern, origin)}
    return found.pop() if len(found) == 1 else None
