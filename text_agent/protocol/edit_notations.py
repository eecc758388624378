"""The notations in which models write edits, whatever they were told: the lines that give each away."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from text_agent.lazy_regex import late_pattern


@dataclass(frozen=True, slots=True)
class EditNotation:
    """A way to write edits of files."""

    name: str  # for messages
    marker: re.Pattern[str]  # lines that belong to the notation, and hardly ever to the text of a file


def _lines(pattern: str) -> re.Pattern[str]:
    """The pattern of whole lines, which may be indented."""
    return late_pattern(rf"^[ \t]*(?:{pattern})[ \t]*$", re.MULTILINE)


EDIT_NOTATIONS = (
    EditNotation("a SEARCH/REPLACE block", _lines(r"[<>+-]{5,9} ?(?:SEARCH|REPLACE|ORIGINAL|UPDATED)\b.*")),
    EditNotation("a merge conflict", _lines(r"(?:<{7}|>{7}|\|{7})(?: .*)?")),
    EditNotation(
        "a patch",
        _lines(r"\*\*\* (?:(?:Begin|End) Patch|End of File|(?:Add|Update|Delete) File: .*|Move to: .*)"),
    ),
    EditNotation(
        "a diff",
        _lines(
            r"diff --git .*|@@(?: .*)?|---[ \t]+\S.*\n[ \t]*\+\+\+[ \t]+\S.*|\\ No newline at end of file"
        ),
    ),
    EditNotation(
        "the tags of an edit", _lines(r"</?(?:old|new|search|replace)_(?:str|string|text|code|content)>")
    ),
)


def find_edit_markers(text: str, known: Collection[str] = ()) -> Iterator[tuple[EditNotation, str]]:
    """The marker lines in a text, without blanks around, each with its notation; none that is in `known`."""
    for notation in EDIT_NOTATIONS:
        for match in notation.marker.finditer(text):
            line = match[0].partition("\n")[0].strip()
            if line not in known:
                yield notation, line
