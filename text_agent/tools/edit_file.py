"""The tool that changes a part of a file."""

from __future__ import annotations

from text_agent.errors import EditMismatchError, ToolError
from text_agent.files.encoding import decode_text
from text_agent.files.lines import Lines, splice, split_lines, with_equal_breaks
from text_agent.files.workspace import FileChange, Workspace
from text_agent.protocol.tool import ToolWords
from text_agent.tools import words
from text_agent.tools.editing.documents import (
    PLAIN_EDITS,
    Document,
    EditPolicy,
    open_document,
    reading_call,
    refuse_edit_notation,
    refuse_invalid,
    refuse_omission,
    without_lost_assertions,
)
from text_agent.tools.editing.excerpts import changed_lines, nearest_lines
from text_agent.tools.editing.matching import Match, find_match
from text_agent.tools.editing.places import MANY
from text_agent.tools.editing.renaming import asked_renaming
from text_agent.tools.editing.validity import find_invalidity
from text_agent.tools.suggestions import missing
from text_agent.tools.tool import Declaration

# Lines of a file that a small model can write whole without losing any.
_SMALL_FILE_LINES = 60


@Declaration(
    "changes",
    rank=2,
    paths=("path",),
    words=ToolWords(
        names=(
            "edit str_replace string_replace replace replace_in_file search_replace search_and_replace"
            " file_edit"
        ),
        relatives=(
            "write_file create_file write create patch apply_patch apply_diff multi_edit insert"
            " insert_text append append_file append_to_file delete_lines modify_file update_file"
            " str_replace_editor str_replace_based_edit_tool"
        ),
        parameters={
            "path": words.PATH,
            "old_str": (
                "old old_string old_text old_content old_code search search_text search_string search_str"
                " find find_text original original_text before from from_text"
            ),
            "new_str": (
                "new new_string new_text new_content new_code replace replacement replace_with replace_text"
                " replacement_text replace_string with updated updated_text after to to_text"
            ),
        },
        payload="new_str",
    ),
)
def edit_file(
    workspace: Workspace, path: str, old_str: str, new_str: str, *, policy: EditPolicy = PLAIN_EDITS
) -> FileChange:
    """Replaces `old_str`, which must be in the file exactly once, by `new_str`.

    Copy `old_str` from the file, without line numbers. An empty `old_str` creates the file.
    """
    document = open_document(workspace, path)
    if not old_str:
        return _fill(workspace, policy, document, new_str)
    if document.content is None:
        raise ToolError(f"{missing(workspace, document.target)} To create it, use write_file.")
    if old_str == new_str:
        raise ToolError(
            f"No change: old_str equals new_str. {document.shown} is unchanged. First say in one sentence"
            " which line is wrong and what it must be; then change that line."
        )
    refuse_omission(document, new_str, old_str)
    match = find_match(document.text, old_str, new_str)
    if match is None:
        raise EditMismatchError(_not_found(document, old_str))
    lines = split_lines(document.text)
    changed = _changed(workspace, document, match, old_str, new_str)
    refuse_edit_notation(document, changed.view)
    if not find_invalidity(document.shown, lines.view, lines.view):
        refuse_invalid(workspace, policy, document, changed.view, "edit_file", old_str, new_str)
    after = _former_bytes(workspace, document, changed) or document.encode(changed.text)
    if after == document.content:
        raise ToolError(f"No change: {document.shown} already reads like that.")
    summary = _summary(document, match, lines, changed)
    change = FileChange(document.shown, document.target, document.content, after, summary)
    return without_lost_assertions(workspace, policy, document, change, changed.text)


def _fill(workspace: Workspace, policy: EditPolicy, document: Document, text: str) -> FileChange:
    """The change that creates a file or fills an empty one."""
    if document.text:
        raise ToolError(
            f"{document.shown} has content, and old_str is empty; it is unchanged. Give the text to replace"
            f" as old_str ({reading_call(document.shown)} shows it). To add lines, give the line before them"
            " as old_str, and repeat it in new_str."
        )
    if document.content is not None and not text:
        raise ToolError(f"No change: {document.shown} is empty already.")
    text = with_equal_breaks(text)
    refuse_edit_notation(document, text)
    refuse_omission(document, text, "")
    refuse_invalid(workspace, policy, document, text, "edit_file", text)
    count = len(text.split("\n")) - (not text or text.endswith("\n"))
    verb = "was created" if document.content is None else "was filled"
    summary = f"{document.shown} {verb}: {count} line{'s' * (count != 1)}."
    return FileChange(
        document.shown, document.target, document.content, document.encode(text), summary, whole=True
    )


def _changed(workspace: Workspace, document: Document, match: Match, old: str, new: str) -> Lines:
    """The text with the change; where the user has asked for a renaming, it is made wherever it fits."""
    if len(match.places) == 1:
        return splice(split_lines(document.text), match.places[0].span, match.new)
    renaming = asked_renaming(workspace.memory.request or "")
    if renaming is None or (old, new) != (renaming.old, renaming.new):
        raise EditMismatchError(_ambiguous(document, match))
    return split_lines(renaming.apply(document.text))


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


def _former_bytes(workspace: Workspace, document: Document, changed: Lines) -> bytes | None:
    """The file as it was before its last change, if the edit leads back there.

    Line breaks of lines that were taken away would be lost otherwise, where a file mixes them.
    """
    former = workspace.memory.former(document.target, document.content or b"")
    if former is None:
        return None
    text, _ = decode_text(former)
    return former if split_lines(text).texts == changed.texts else None


def _summary(document: Document, match: Match, before: Lines, after: Lines) -> str:
    how = f" (found despite a difference in {match.how})" if match.how else ""
    return (
        f"{document.shown} was changed{how}. Its lines are now:\n{changed_lines(before.texts, after.texts)}"
    )
