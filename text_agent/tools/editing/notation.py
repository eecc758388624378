"""Texts that are no text of a file, but an edit of it in some notation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from text_agent.protocol.edit_notations import find_edit_markers

# Files whose own text is a diff, and those in which lines may well begin with a sign.
_DIFFS = frozenset({".diff", ".patch", ".rej"})
_PROSE = frozenset({"", ".adoc", ".csv", ".markdown", ".md", ".mdx", ".org", ".rst", ".tsv", ".txt"})


def find_edit_notation(name: str, new: str, old: str) -> str | None:
    """What shows that a text is an edit and not the text itself; None if nothing does.

    Args:
        name: the file's.
        new: the text that is to be in the file.
        old: the file's text before; what it holds already shows nothing.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix in _DIFFS:
        return None
    before, after = old.split("\n"), new.split("\n")
    for notation, line in find_edit_markers(new, {each.strip() for each in before}):
        return f"`{line[:80]}` belongs to {notation.name}"
    signed = _signed_line(before, after, is_prose=suffix in _PROSE)
    return None if signed is None else f"the sign before `{signed.strip()[:80]}` belongs to a diff"


def _signed_line(before: Sequence[str], after: Sequence[str], *, is_prose: bool) -> str | None:
    """A line with the sign of a diff before it: what follows the sign is a line of the file, or was added.

    One kind of sign alone counts only where no line has changed without it, and hardly in prose: lists have
    such signs, too.
    """
    old = {line.rstrip() for line in before}
    texts = {line.strip() for line in old} - {""}
    changed = [line for line in map(str.rstrip, after) if line.strip() and line not in old]
    changed = [line for line in changed if line.strip() not in texts]  # else it is context, behind a blank
    removed = [line for line in changed if line[0] == "-" and line[1:].strip() in texts]
    added = [line for line in changed if line[0] == "+"]
    if removed and added:
        return removed[0]
    if is_prose or not changed or any(line[:1] == "+" for line in old):
        return None
    if len(added) == len(changed):
        return added[0]
    return removed[0] if all(line[1:] in old for line in removed) and len(removed) == len(changed) else None
