"""Edits of one text: where each of them is meant, and what it makes of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from text_agent.errors import EditMismatchError, ToolError
from text_agent.files.lines import Lines, Span, splice, split_lines, with_equal_breaks
from text_agent.files.workspace import Workspace
from text_agent.tools.editing.documents import Document, reading_call, refuse_omission
from text_agent.tools.editing.excerpts import nearest_lines
from text_agent.tools.editing.indentation import indent_of
from text_agent.tools.editing.matching import Match, find_match
from text_agent.tools.editing.places import MANY, Place
from text_agent.tools.editing.renaming import asked_renaming

# Lines of a file that a small model can write whole without losing any.
_SMALL_FILE_LINES = 60


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of a text."""

    old: str = ""  # the text that is to be replaced
    new: str = ""  # what takes its place
    every: bool = False  # it is replaced wherever it is
    # The line behind which `new` is to be inserted, from 1; 0 for the beginning, None if `old` tells.
    line: int | None = None
    whole_lines: bool = False  # `old` stands for whole lines
    # Lines, one inside the other, below which it is meant, if `old` fits several places.
    under: tuple[str, ...] = ()
    at_end: bool = False  # it is meant at the text's end


def read_edit(part: Mapping[str, Any], *, whole_lines: bool) -> Edit:
    """The edit that an object tells, which has texts `old_str` and `new_str`, and perhaps more."""
    return Edit(
        part.get("old_str", ""),
        part["new_str"],
        part.get("replace_all", False),
        part.get("insert_line"),
        whole_lines,
        tuple(part.get("under", ())),
        part.get("at_end", False),
    )


def apply_edits(workspace: Workspace, document: Document, edits: Sequence[Edit]) -> tuple[Lines, str]:
    """The text with all edits, one after the other, and despite what differences they were found.

    Raises `ToolError`: one of them has not exactly one place; none of them counts then.
    """
    lines, notes = split_lines(document.text), list[str]()
    for number, edit in enumerate(edits, 1):
        try:
            lines, note = _apply(workspace, replace(document, text=lines.text), edit)
        except ToolError as error:
            if len(edits) > 1:
                error.args = (f"Edit {number} of {len(edits)}, none of which was made: {error}",)
            raise
        notes.append(note)
    return lines, ", ".join(dict.fromkeys(filter(None, notes)))


def is_made(text: str, edits: Sequence[Edit]) -> bool:
    """Whether a text is already as edits of whole lines would make it."""
    lines = _as_lines(text)
    return all(_is_made(lines, edit) for edit in edits) and any(edit.new.strip() for edit in edits)


def _is_made(lines: str, edit: Edit) -> bool:
    old, new = _as_lines(edit.old), _as_lines(edit.new)
    return new in lines and (old not in lines or old in new)


def _as_lines(text: str) -> str:
    """A text in which each line begins and ends with a line break."""
    view = split_lines(text).view.removesuffix("\n")
    return f"\n{view}\n" if view else "\n"


def _apply(workspace: Workspace, document: Document, edit: Edit) -> tuple[Lines, str]:
    if edit.line is not None or (edit.at_end and not edit.old):
        return _inserted(workspace, document, edit), ""
    refuse_omission(document, edit.new, edit.old)
    if not edit.old:
        return _filled(document, edit.new), ""
    if edit.old == edit.new:
        raise ToolError(
            f"No change: old_str equals new_str. {document.shown} is unchanged. First say in one sentence"
            " which line is wrong and what it must be; then change that line."
        )
    match = find_match(document.text, edit.old, edit.new, whole_lines=edit.whole_lines)
    if match is None:
        raise EditMismatchError(_not_found(document, edit.old))
    return _changed(workspace, document, match, edit), match.how


def _filled(document: Document, text: str) -> Lines:
    """The text of a new file, or of an empty one."""
    if document.text:
        raise ToolError(
            f"{document.shown} has content, and old_str is empty; it is unchanged. Give the text to replace"
            f" as old_str ({reading_call(document.shown)} shows it). To add lines, give the line before them"
            " as old_str, and repeat it in new_str."
        )
    if document.content is not None and not text:
        raise ToolError(f"No change: {document.shown} is empty already.")
    return split_lines(with_equal_breaks(text))


def _inserted(workspace: Workspace, document: Document, edit: Edit) -> Lines:
    """The text with whole lines inserted, at a place that only who has read the file can know."""
    refuse_omission(document, edit.new, "")
    lines = split_lines(document.text)
    count = len(lines.texts) - (not lines.texts[-1])
    line = count if edit.line is None else edit.line
    if edit.line is not None and workspace.memory.knowledge(document.target, document.content or b"") in (
        "nothing",
        "outdated",
    ):
        raise ToolError(
            f"{document.shown} was not read yet as it is now, so that nobody knows what line {line} is; it is"
            f" unchanged. First: {reading_call(document.shown)}"
        )
    if not 0 <= line <= count:
        raise ToolError(f"{document.shown} has {count} lines, and no line {line}; it is unchanged.")
    text = edit.new.removesuffix("\n")
    if line < len(lines.texts):
        return splice(lines, Span(line, 0, line, 0), split_lines(f"{text}\n", like=document.text))
    last = len(lines.texts) - 1
    end = Span(last, len(lines.texts[last]), last, len(lines.texts[last]))
    return splice(lines, end, split_lines(f"\n{text}", like=document.text))


def _changed(workspace: Workspace, document: Document, match: Match, edit: Edit) -> Lines:
    """The text with the change; where the user has asked for a renaming, it is made wherever it fits."""
    lines = split_lines(document.text)
    every = edit.every and not match.how  # despite a difference, only one place is certain
    places = _apart(match.places) if every else match.places
    if len(places) > 1 and not every:
        places = _meant(lines, places, edit)
    if len(places) == 1 or every:
        for place in reversed(places):
            lines = splice(lines, place.span, match.new)
        return lines
    renaming = asked_renaming(workspace.memory.request or "")
    if renaming is None or (edit.old, edit.new) != (renaming.old, renaming.new):
        raise EditMismatchError(_ambiguous(document, match))
    return split_lines(renaming.apply(document.text))


def _apart(places: Sequence[Place]) -> list[Place]:
    """The places, in order, without those that begin inside the one before."""
    apart: list[Place] = []
    end = (-1, -1)
    for place in places:
        span = place.span
        if (span.first_line, span.first_column) >= end:
            apart.append(place)
            end = (span.last_line, span.last_column)
    return apart


def _meant(lines: Lines, places: Sequence[Place], edit: Edit) -> Sequence[Place]:
    """Those of several places that stand where the edit is meant."""
    if edit.at_end:
        end = len(lines.texts) - (not lines.texts[-1])
        return [place for place in places if place.span.last_line + (place.span.last_column > 0) >= end]
    blocks = [range(len(lines.texts))]
    for line in edit.under:
        blocks = [inner for outer in blocks for inner in _blocks(lines.texts, line.strip(), outer)]
    return [place for place in places if any(place.span.first_line in block for block in blocks)]


def _blocks(texts: Sequence[str], heading: str, within: range) -> list[range]:
    """What stands below each line that reads so: all that is farther in."""
    starts = [number for number in within if texts[number].strip() == heading]
    # Headings in a diff are cut.
    starts = starts or [number for number in within if texts[number].strip().startswith(heading)]
    return [range(start, _block_end(texts, start, within.stop)) for start in starts]


def _block_end(texts: Sequence[str], start: int, stop: int) -> int:
    depth = len(indent_of(texts[start]).expandtabs(4))
    for number in range(start + 1, stop):
        text = texts[number]
        if text.strip() not in ("", "{") and len(indent_of(text).expandtabs(4)) <= depth:
            return number
    return stop


def _ambiguous(document: Document, match: Match) -> str:
    count = f"{len(match.places)} times" if len(match.places) < MANY else f"{MANY:,} times or more"
    lines = list(dict.fromkeys(str(place.span.first_line + 1) for place in match.places))
    listed = ", ".join(lines[:10]) + (", ..." if len(lines) > 10 else "")
    return (
        f"old_str is in {document.shown} {count}, in line{'s' * (len(lines) > 1)} {listed}; the file is"
        " unchanged. Add the lines before or after it to old_str, so that it fits one place only."
    )


def _not_found(document: Document, old: str) -> str:
    lines, wanted = split_lines(document.text), split_lines(old, like=document.text)
    near = nearest_lines(lines.texts, wanted.texts)
    text = f"old_str is not in {document.shown}; the file is unchanged."
    if "\n" not in old and find_match(document.text, old.replace("\\n", "\n"), ""):
        return rf"{text} Write line breaks as \n in JSON, not as \\n: they are two characters in old_str."
    if not near:
        return f"{text} First see what is in it: {reading_call(document.shown)}"
    whole = " Or write the whole file with write_file." if len(lines.texts) <= _SMALL_FILE_LINES else ""
    return (
        f"{text} The nearest lines are:\n{near}\n"
        f"Copy old_str from them exactly, without the line numbers.{whole}"
    )
