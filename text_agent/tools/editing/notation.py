"""Texts that are no text of a file, but an edit of it in some notation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePath

from text_agent.lazy_regex import late_pattern

# Files whose own text is a diff, and those in which lines may well begin with a sign.
_DIFFS = frozenset({".diff", ".patch", ".rej"})
# Files whose whole text may stand between two fences.
_MARKDOWN = frozenset({".markdown", ".md", ".mdx"})
_FENCED = late_pattern(r"\s*(```[^`\n]*)\n(?:.*\n)?```\s*\Z", re.DOTALL)
# What stands before each line that `read_file` shows.
LINE_NUMBER = late_pattern(r"^[ \t]*(\d+)\|(?: |$)")
_PROSE = frozenset({"", ".adoc", ".csv", ".markdown", ".md", ".mdx", ".org", ".rst", ".tsv", ".txt"})


def _lines(pattern: str) -> re.Pattern[str]:
    """The pattern of whole lines, which may be indented."""
    return late_pattern(rf"^[ \t]*(?:{pattern})[ \t]*$", re.MULTILINE)


# The notations in which models write edits, and lines that hardly ever belong to the text of a file.
EDIT_NOTATIONS: Mapping[str, re.Pattern[str]] = {
    "a SEARCH/REPLACE block": _lines(r"[<>+-]{5,9} ?(?:SEARCH|REPLACE|ORIGINAL|UPDATED)\b.*"),
    "a merge conflict": _lines(r"(?:<{7}|>{7}|\|{7})(?: .*)?"),
    "a patch": _lines(
        r"\*\*\* (?:(?:Begin|End) Patch|End of File|(?:Add|Update|Delete) File: .*|Move to: .*)"
    ),
    "a diff": _lines(
        r"diff --git .*|@@(?: .*)?|---[ \t]+\S.*\n[ \t]*\+\+\+[ \t]+\S.*|\\ No newline at end of file"
    ),
    "the tags of an edit": _lines(r"</?(?:old|new|search|replace)_(?:str|string|text|code|content)>"),
}


def find_edit_markers(text: str, known: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """The marker lines in a text, without blanks around, behind their notations; none that is in `known`."""
    for notation, marker in EDIT_NOTATIONS.items():
        for match in marker.finditer(text):
            if (line := match[0].partition("\n")[0].strip()) not in known:
                yield notation, line


def find_edit_notation(name: str, new: str, old: str) -> str | None:
    """What shows that a text is an edit and not the text itself; None if nothing does.

    `name`: the file's. `new`: the text that is to be in the file. `old`: the file's text before; what it
    holds already shows nothing.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix in _DIFFS:
        return None
    before, after = old.split("\n"), new.split("\n")
    for notation, line in find_edit_markers(new, {each.strip() for each in before}):
        return f"`{line[:80]}` belongs to {notation}"
    is_prose = suffix in _PROSE
    if suffix not in _MARKDOWN and (fence := _FENCED.match(new)):
        return f"`{fence[1]}` belongs to a block of Markdown"
    if not is_prose and (numbered := _numbered_line(before, after)):
        return f"the number before `{numbered[:80]}` belongs to what read_file shows"
    signed = _signed_line(before, after, is_prose=is_prose)
    return None if signed is None else f"the sign before `{signed.strip()[:80]}` belongs to a diff"


def _numbered_line(before: Sequence[str], after: Sequence[str]) -> str | None:
    """The first line that has changed, without its number, if all such lines have one and no other has."""
    old = set(before)
    found = [(line, LINE_NUMBER.match(line)) for line in after if line.strip() and line not in old]
    if not found or not all(match for _, match in found) or any(map(LINE_NUMBER.match, before)):
        return None
    return LINE_NUMBER.sub("", found[0][0]).strip()


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
