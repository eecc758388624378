"""The tool that writes a whole file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from text_agent.errors import ToolError
from text_agent.files.lines import Span, splice, split_lines, with_equal_breaks
from text_agent.files.workspace import FileChange, Workspace
from text_agent.protocol.tool import EditParameters, ToolWords
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
from text_agent.tools.editing.dropped import dropped_members, dropped_parts, is_asked_for
from text_agent.tools.editing.excerpts import changed_lines
from text_agent.tools.editing.notation import LINE_NUMBER
from text_agent.tools.suggestions import namesakes
from text_agent.tools.tool import Declaration

_LEFT_OUT = "\nThe line numbers in `content` were left out."
# Characters of the request that are repeated.
_REQUEST_CHARS = 500


def is_done(workspace: Workspace, arguments: Mapping[str, Any]) -> bool:
    """Whether a call in another notation tells what was already written, as far as the file shows."""
    try:
        document = open_document(workspace, arguments["path"])
    except ToolError:
        return False
    return document.content is not None and split_lines(document.text).view == arguments["content"]


@Declaration(
    "changes",
    rank=1,
    paths=("path",),
    done=is_done,
    words=ToolWords(
        names="write create create_file create_new_file new_file save_file write_to_file file_write",
        parameters={
            "path": words.PATH,
            "content": (
                "contents text body data file_text file_content file_contents new_content file_body"
                " source code"
            ),
        },
        payload="content",
        continued_by="edit_file",
        verbs="create",
        edits=EditParameters(path="path", text="content"),
    ),
)
def write_file(
    workspace: Workspace, path: str, content: str, *, policy: EditPolicy = PLAIN_EDITS
) -> FileChange:
    """Writes a whole file: `content` is its complete text. Read a file that exists first."""
    document = open_document(workspace, path)
    given, content = content, _without_line_numbers(content)
    if document.content is None:
        _refuse_namesake_once(workspace, document, content)
    else:
        _refuse_unread(workspace, document)
    text = _with_own_line_breaks(document, content)
    if document.content is not None and text == document.text:
        raise _unchanged(workspace, document)
    view = split_lines(text).view
    refuse_edit_notation(document, view)
    refuse_omission(document, content, document.text)
    refuse_invalid(workspace, policy, document, view, "write_file", content)
    after = document.encode(text)
    drops = dropped_parts(document.shown, document.text, text)
    if policy.keeps_members:
        drops += dropped_members(document.shown, document.text, text)
    change = FileChange(
        document.shown,
        document.target,
        document.content,
        after,
        _summary(document, text, drops) + _LEFT_OUT * (content != given),
        whole=True,
    )
    change = without_lost_assertions(workspace, policy, document, change, text)
    return _with_objection(workspace, document, change, drops)


def _unchanged(workspace: Workspace, document: Document) -> ToolError:
    """A small model sends the same text again and again; naming the line takes it out of its circle."""
    if workspace.memory.former(document.target, document.content or b""):
        return ToolError(
            f"Nothing changed: {document.shown} already has exactly this content, since its last change."
            " Do what is left to do, or answer if nothing is."
        )
    request = (workspace.memory.request or "").strip()[:_REQUEST_CHARS]
    asked = f", so what the user asked for is not done:\n\n{request}\n\n" if request else ". "
    return ToolError(
        f"Nothing changed: {document.shown} already has exactly this content{asked}"
        "Use edit_file: as old_str the line that is wrong, as new_str the corrected line."
    )


def _without_line_numbers(content: str) -> str:
    """`content` without the numbers that `read_file` shows, if every line has its own."""
    lines = content.split("\n")
    found = [LINE_NUMBER.match(line) for line in (lines if lines[-1] else lines[:-1])]
    numbers = [int(match[1]) for match in found if match]
    if len(numbers) < len(found) or numbers != list(range(1, len(numbers) + 1)):
        return content
    return "\n".join(LINE_NUMBER.sub("", line) for line in lines)


def _refuse_unread(workspace: Workspace, document: Document) -> None:
    """Raises `ToolError` if the model would overwrite what it has not seen."""
    knowledge = workspace.memory.knowledge(document.target, document.content or b"")
    if knowledge == "whole" or not document.content:
        return
    reason = {
        "nothing": "was not read yet",
        "part": "was read in part only",
        "outdated": "has changed since it was read",
    }[knowledge]
    raise ToolError(
        f"{document.shown} {reason}, so that writing it could lose what is in it; it is unchanged."
        f" First: {reading_call(document.shown)}, or change a part with edit_file."
    )


def _with_objection(
    workspace: Workspace, document: Document, change: FileChange, drops: Sequence[str]
) -> FileChange:
    """The change, with what the new text lacks and the user has not named; repeating does not confirm it."""
    request = workspace.memory.request
    unasked = tuple(part for part in drops if request is not None and not is_asked_for(part, request))
    if not unasked or change.loses:
        return change
    objection = (
        f"{document.shown} would lose {', '.join(unasked)}, which the user has not asked for;"
        f" {document.untouched}. Give the whole text, with everything that is to stay; to remove a part,"
        " use edit_file."
    )
    return replace(change, loses=unasked, objection=objection)


def _refuse_namesake_once(workspace: Workspace, document: Document, content: str) -> None:
    """Raises `ToolError` if a new file has the name of one that stands somewhere else."""
    others = namesakes(workspace, document.target)
    if len(others) == 1 and not workspace.memory.is_repeated("namesake", document.shown, content):
        raise ToolError(
            f"{document.shown} does not exist, but {others[0]} does. Did you mean {others[0]}? Nothing was"
            f" written. To create {document.shown} all the same, repeat the call unchanged."
        )


def _with_own_line_breaks(document: Document, content: str) -> str:
    """`content` with the line breaks of the file that it replaces, and a line break at its end.

    Those of a new file are of one kind.
    """
    if not document.text:
        content = with_equal_breaks(content)
        ending = (*split_lines(content).breaks, "\n")[0]
        return content if not content or content.endswith(ending) else content + ending
    old = split_lines(document.text)
    new = split_lines(content, like=document.text)
    if not old.texts[-1] and new.texts[-1]:
        new = split_lines(content + "\n", like=document.text)
    everything = Span(0, 0, len(old.texts) - 1, len(old.texts[-1]))
    return splice(old, everything, new).text


def _summary(document: Document, text: str, drops: Sequence[str]) -> str:
    after = split_lines(text).texts
    count = len(after) - (not after[-1])
    length = f"{count} line{'s' * (count != 1)}."
    if document.content is None:
        return f"{document.shown} was created: {length}"
    gone = f" No longer in it: {', '.join(drops)}." if drops else ""
    lines = changed_lines(split_lines(document.text).texts, after)
    return f"{document.shown} was written: {length}{gone} Changed:\n{lines}"
