"""A text file that is to be changed, and the checks that every new text passes."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from text_agent.config.limits import EDIT_MAX_BYTES
from text_agent.errors import ToolError
from text_agent.files.encoding import Encoding, NotTextError, decode_text
from text_agent.files.lines import split_lines
from text_agent.files.workspace import FileChange, Workspace
from text_agent.tools.editing.assertions import lost_assertions, protects_tests
from text_agent.tools.editing.notation import find_edit_notation
from text_agent.tools.editing.omission import find_omission
from text_agent.tools.editing.validity import find_invalidity


@dataclass(frozen=True, slots=True)
class EditPolicy:
    """What a change of a file is held to, by what the model that makes it is known to overlook."""

    confirms: bool = True  # a text that does not parse is written if the same call is made once more
    # What a test says goes only with a person's yes, not only where the user said so.
    keeps_tests: bool = False
    keeps_members: bool = False  # so do the members of a class, not only whole definitions


PLAIN_EDITS = EditPolicy()


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it is before the change."""

    target: Path  # the file, links resolved
    shown: str  # its path as the user knows it
    content: bytes | None  # its bytes; None if it does not exist
    text: str  # its text, line breaks as they are
    encoding: Encoding  # how to write it back

    @property
    def untouched(self) -> str:
        """What is true of the file when a change is refused."""
        return f"{self.shown} {'was not created' if self.content is None else 'is unchanged'}"

    def encode(self, text: str) -> bytes:
        """The bytes of a new text in the file's own encoding.

        Raises `ToolError`: they cannot be told for certain.
        """
        if not self.encoding.certain:
            self._check_guess(text)
        try:
            data = self.encoding.encode(text)
        except UnicodeEncodeError as error:
            signs = text[error.start : error.end][:10]
            raise ToolError(
                f"{self.shown} is {self.encoding.name}, which has no {signs!a}; {self.untouched}."
            ) from error
        if len(data) > EDIT_MAX_BYTES:
            raise ToolError(
                f"{self.shown} would have {len(data):,} bytes, more than {EDIT_MAX_BYTES:,}, so"
                f" {self.untouched}."
            )
        return data

    def _check_guess(self, text: str) -> None:
        unknown = sorted({sign for sign in text if not sign.isascii()} - set(self.text))
        if unknown:
            raise ToolError(
                f"{self.shown} is not UTF-8, and its encoding cannot be told for certain"
                f" ({self.encoding.name}?), so {''.join(unknown[:10])!r} cannot be written; {self.untouched}."
                " Use ASCII, or ask the user."
            )


def open_document(workspace: Workspace, path: str) -> Document:
    """Reads a file for a change; it need not exist. Raises `ToolError`: it cannot be changed."""
    target = workspace.resolve(path)
    shown = workspace.display(target)
    content = workspace.read_for_change(target, EDIT_MAX_BYTES)
    try:
        text, encoding = decode_text(content or b"")
    except NotTextError as error:
        raise ToolError(f"{shown} cannot be changed as text: {error}; it is unchanged.") from error
    return Document(target, shown, content, text, encoding)


def refuse_omission(document: Document, new: str, old: str) -> None:
    """Raises `ToolError` if `new` holds a mark for left-out code that `old` has not."""
    mark = find_omission(new, old)
    if mark is not None:
        raise ToolError(
            f"{mark!r} stands for text that is left out; {document.untouched}."
            " Write every line in full, or replace a smaller part with edit_file."
        )


def refuse_edit_notation(document: Document, text: str) -> None:
    """Raises `ToolError` if `text`, which is to be in the file, is an edit in some notation."""
    sign = find_edit_notation(document.shown, text, split_lines(document.text).view)
    if sign is not None:
        raise ToolError(
            f"{sign}, and would stand in {document.shown} as text; {document.untouched}. To change a part,"
            " call edit_file: as old_str the lines as they are, as new_str as they are to be. To write the"
            " whole file, call write_file with its text alone. Neither has marks around its lines, or signs"
            " before them."
        )


def refuse_invalid(
    workspace: Workspace, policy: EditPolicy, document: Document, text: str, *call: str
) -> None:
    """Raises `ToolError` for a text that does not parse, unless repeating the `call` confirms it."""
    before = split_lines(document.text).view
    problem = find_invalidity(document.shown, text, before)
    if problem is None or (problem.language != "Python" and not _was_valid(document, before)):
        return
    confirmed = workspace.memory.is_repeated(document.shown, document.text, *call)
    if confirmed and policy.confirms:
        return
    repeat = "; to write it all the same, repeat the call unchanged" if policy.confirms else ""
    raise ToolError(
        f"{document.shown} would be {problem.describe(text)}; {document.untouched}. Correct the call{repeat}."
    )


def _was_valid(document: Document, before: str) -> bool:
    """Whether the file, if there is one, is valid: else it may be of a dialect, or a template."""
    return not before.strip() or not find_invalidity(document.shown, before, before)


def without_lost_assertions(
    workspace: Workspace, policy: EditPolicy, document: Document, change: FileChange, after: str
) -> FileChange:
    """The change, with what a test says no longer, if the user wants the code mended; a person must agree."""
    request = workspace.memory.request or ""
    if not policy.keeps_tests and not protects_tests(request):
        return change
    fails = document.shown in workspace.memory.failing_tests
    lost = lost_assertions(document.shown, document.text, after, request, fails=fails)
    if not lost:
        return change
    objection = (
        f"{document.shown} says what the code must do: {', '.join(lost)} stays as it is;"
        f" {document.untouched}. Change the code instead, so that the test passes."
    )
    return replace(change, loses=lost, objection=objection)


def reading_call(shown: str) -> str:
    """The call that shows a file, as it is named in errors."""
    return f"read_file({json.dumps({'path': shown})})"
