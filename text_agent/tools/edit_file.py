"""The tool that changes a part of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from text_agent.errors import ToolError
from text_agent.files.encoding import decode_text
from text_agent.files.lines import Lines, split_lines
from text_agent.files.workspace import FileChange, Workspace
from text_agent.protocol.tool import EditParameters, ToolWords
from text_agent.tools import words
from text_agent.tools.editing.documents import (
    PLAIN_EDITS,
    Document,
    EditPolicy,
    open_document,
    refuse_edit_notation,
    refuse_invalid,
    without_lost_assertions,
)
from text_agent.tools.editing.edits import Edit, apply_edits, is_made, read_edit
from text_agent.tools.editing.excerpts import changed_lines
from text_agent.tools.editing.validity import find_invalidity
from text_agent.tools.suggestions import missing
from text_agent.tools.tool import Declaration


def is_done(workspace: Workspace, arguments: Mapping[str, Any]) -> bool:
    """Whether a call in another notation tells what was already done, as far as the files show."""
    try:
        document = open_document(workspace, arguments["path"])
        target = arguments.get("move_to")
        gone = bool(target or arguments.get("delete"))
        if gone != (document.content is None):
            return False
        if target:
            document = open_document(workspace, target)
        edits = _edits(arguments.get("old_str", ""), arguments.get("new_str", ""), arguments)
    except (KeyError, ToolError):
        return False
    return is_made(document.text, edits) if edits else gone


_TEXT, _SWITCH = {"type": "string"}, {"type": "boolean"}
# What a part of an edit may say beside its two texts, and what is said of the file as a whole.
_PART: Mapping[str, Any] = {
    "replace_all": _SWITCH,
    "insert_line": {"type": "integer"},
    "under": {"type": "array", "items": _TEXT},
    "at_end": _SWITCH,
}
_PARTS: Mapping[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"old_str": _TEXT, "new_str": _TEXT, **_PART},
        "required": ["new_str"],
    },
}
_WHOLE: Mapping[str, Any] = {"whole_lines": _SWITCH, "move_to": _TEXT, "delete": _SWITCH}


@Declaration(
    "changes",
    rank=2,
    paths=("path", "move_to"),
    done=is_done,
    words=ToolWords(
        names=(
            "edit str_replace string_replace replace replace_in_file search_replace search_and_replace"
            " file_edit multi_edit"
        ),
        relatives=(
            "write_file create_file write create patch apply_patch apply_diff insert"
            " insert_text append append_file append_to_file delete_lines modify_file update_file"
            " str_replace_editor str_replace_based_edit_tool text_editor file_editor editor"
        ),
        parameters={
            "path": words.PATH,
            "old_str": (
                "old old_string old_text old_content old_code search search_text search_string search_str"
                " find find_text original original_text before from from_text"
            ),
            "new_str": (
                "new new_string new_text new_content new_code replace replacement replace_with replace_text"
                " replacement_text replace_string with updated updated_text after to to_text insert_text"
            ),
            "edits": "edit_list changes replacements operations",
            "replace_all": "all global replace_all_occurrences allow_multiple all_occurrences",
            "insert_line": "insert_after insert_at line_number after_line",
        },
        payload="new_str",
        further={**_PART, "edits": _PARTS, **_WHOLE},
        verbs="str_replace insert",
        edits=EditParameters(
            path="path",
            old="old_str",
            new="new_str",
            parts="edits",
            whole="whole_lines",
            under="under",
            at_end="at_end",
            target="move_to",
            delete="delete",
        ),
    ),
)
def edit_file(
    workspace: Workspace,
    path: str,
    old_str: str = "",
    new_str: str = "",
    *,
    policy: EditPolicy = PLAIN_EDITS,
    **more: Any,
) -> FileChange:
    """Replaces `old_str`, which must be in the file exactly once, by `new_str`.

    Copy `old_str` from the file, without line numbers. An empty `old_str` creates the file.
    """
    document, target = open_document(workspace, path), more.get("move_to", "")
    goes = bool(target or more.get("delete"))
    edits = _edits(old_str, new_str, more)
    if document.content is None and (goes or (edits and edits[0].old)):
        raise ToolError(f"{missing(workspace, document.target)} To create it, use write_file.")
    if goes:
        _refuse_link(workspace, document, path)
    if goes and not target:
        return _removal(document, edits)
    changed, how = apply_edits(workspace, document, edits or ([] if goes else [Edit()]))
    texts = [text for edit in edits for text in (edit.old, edit.new) if text]
    if not goes or edits:
        _check(workspace, policy, document, changed, texts)
    return (
        _moved(workspace, document, target, changed)
        if goes
        else _change(workspace, policy, document, changed, how)
    )


def _edits(old_str: str, new_str: str, more: Mapping[str, Any]) -> list[Edit]:
    """What a call asks for: the edits of its list, behind the one that its own arguments are."""
    own = {name: more[name] for name in _PART if name in more}
    is_given = old_str or new_str or "insert_line" in more
    parts = [{"old_str": old_str, "new_str": new_str, **own}] if is_given else []
    whole_lines = more.get("whole_lines", False)
    return [read_edit(part, whole_lines=whole_lines) for part in (*parts, *more.get("edits", ()))]


def _check(
    workspace: Workspace, policy: EditPolicy, document: Document, changed: Lines, texts: Sequence[str]
) -> None:
    """Raises `ToolError` if the new text is an edit itself, or if it does not parse."""
    refuse_edit_notation(document, changed.view)
    before = split_lines(document.text).view
    if not find_invalidity(document.shown, before, before):
        refuse_invalid(workspace, policy, document, changed.view, "edit_file", *texts)


def _change(
    workspace: Workspace, policy: EditPolicy, document: Document, changed: Lines, how: str
) -> FileChange:
    after = _former_bytes(workspace, document, changed) or document.encode(changed.text)
    if after == document.content:
        raise ToolError(f"No change: {document.shown} already reads like that.")
    change = FileChange(
        document.shown,
        document.target,
        document.content,
        after,
        _summary(document, how, changed),
        whole=not document.text,
    )
    return without_lost_assertions(workspace, policy, document, change, changed.text)


def _moved(workspace: Workspace, document: Document, path: str, changed: Lines) -> FileChange:
    """The change that gives a file another path, and perhaps another text."""
    target = open_document(workspace, path)
    if target.content is not None:
        raise ToolError(f"{target.shown} exists already; {document.shown} is unchanged, and was not moved.")
    after = document.content if changed.text == document.text else document.encode(changed.text)
    summary = f"{document.shown} is now {target.shown}."
    if after != document.content:
        lines = changed_lines(split_lines(document.text).texts, changed.texts)
        summary = f"{summary[:-1]}, and was changed. Its lines are now:\n{lines}"
    return FileChange(target.shown, target.target, None, after, summary, moved=_gone(document))


def _removal(document: Document, edits: Sequence[Edit]) -> FileChange:
    if edits:
        raise ToolError(f"{document.shown} cannot be deleted and edited by one call; it is unchanged.")
    return _gone(document)


def _gone(document: Document) -> FileChange:
    return FileChange(
        document.shown, document.target, document.content, None, f"{document.shown} was deleted."
    )


def _refuse_link(workspace: Workspace, document: Document, path: str) -> None:
    if (workspace.root / workspace.spell(path)).is_symlink():
        raise ToolError(
            f"{path} is a link to {document.shown}; both are unchanged. Use run_command for the link."
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


def _summary(document: Document, how: str, changed: Lines) -> str:
    if not document.text:
        count = len(changed.texts) - (not changed.texts[-1])
        verb = "was created" if document.content is None else "was filled"
        return f"{document.shown} {verb}: {count} line{'s' * (count != 1)}."
    found = f" (found despite a difference in {how})" if how else ""
    lines = changed_lines(split_lines(document.text).texts, changed.texts)
    return f"{document.shown} was changed{found}. Its lines are now:\n{lines}"
