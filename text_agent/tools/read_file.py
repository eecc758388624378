"""The tool that shows a file."""

from __future__ import annotations

import codecs
import functools
import json
import mimetypes
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from text_agent.config.limits import EDIT_MAX_BYTES, LINE_MAX_CHARS, READ_MAX_LINES
from text_agent.errors import ToolError
from text_agent.files.encoding import Encoding, NotTextError, detect_encoding
from text_agent.files.line_window import LineWindow
from text_agent.files.problems import reason_of
from text_agent.files.workspace import Workspace
from text_agent.protocol.tool import ToolWords
from text_agent.text.truncation import clip_line
from text_agent.tools import words
from text_agent.tools.limits import result_chars
from text_agent.tools.suggestions import missing
from text_agent.tools.tool import Declaration

_PIECE_BYTES = 1 << 18
_SAMPLE_BYTES = 1 << 20
# What the notes below the lines may take of a result.
_NOTE_CHARS = 400


@Declaration(
    "looks",
    rank=3,
    paths=("path",),
    words=ToolWords(
        verbs="view",
        names="read cat view view_file open open_file show_file get_file get_file_contents file_read",
        relatives="read_files read_many_files head tail sed fetch",
        parameters={
            "path": words.PATH,
            "start": "start_line line_start from from_line first_line begin offset",
            "end": "end_line line_end to to_line last_line stop",
        },
        payload="",
        lines=("start", "end"),
    ),
)
def read_file(workspace: Workspace, path: str, start: int = 1, end: int | None = None) -> str:
    """Shows the lines `start` to `end` of a file, numbered like `12| text`."""
    target = workspace.resolve(path, reading=True)
    shown = workspace.display(target)
    status = workspace.status(target)
    if status is None:
        raise missing(workspace, target)
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"{shown} is a folder. Use list_files({json.dumps({'path': shown})}).")
    _check_range(shown, start, end)
    first = max(start, 1)
    last = min(first + READ_MAX_LINES - 1, end or first + READ_MAX_LINES)
    with workspace.open_file(target) as file:
        try:
            part = _read_part(file, first, last)
        except NotTextError as error:
            return _describe_binary(shown, status.st_size, str(error))
        except OSError as error:
            raise ToolError(f"{shown} cannot be read: {reason_of(error)}.") from error
    return _render(workspace, target, part, end)


def _check_range(shown: str, start: int, end: int | None) -> None:
    if start < 0:
        raise ToolError(f"start is {start}, but lines are counted from 1. Nothing of {shown} was read.")
    if end is not None and end < max(start, 1):
        raise ToolError(f"end ({end}) is before start ({start}). Nothing of {shown} was read.")


@dataclass(frozen=True, slots=True)
class _Part:
    """The lines that were read, and what is known of the whole file.

    `content` is None if the file is too large to be held, and so to be edited.
    """

    window: LineWindow
    first: int
    encoding: Encoding
    content: bytes | None


def _read_part(file: BinaryIO, first: int, last: int) -> _Part:
    head = file.read(EDIT_MAX_BYTES + 1)
    is_whole = len(head) <= EDIT_MAX_BYTES
    sample = head if is_whole else head[:_SAMPLE_BYTES]
    encoding = detect_encoding(sample, is_whole=is_whole)
    window = LineWindow(first, last, LINE_MAX_CHARS)
    for piece in _pieces(file, head, encoding):
        window.feed(piece)
    window.finish()
    return _Part(window, first, encoding, head if is_whole else None)


def _pieces(file: BinaryIO, head: bytes, encoding: Encoding) -> Iterator[str]:
    """The text of a file of which `head` was read already; never much more of it at once."""
    decoder = codecs.getincrementaldecoder(encoding.name)("replace")
    has_old_breaks = b"\n" not in head and b"\r" in head
    for start in range(len(encoding.bom), len(head), _PIECE_BYTES):
        piece = decoder.decode(head[start : start + _PIECE_BYTES])
        yield piece.replace("\r", "\n") if has_old_breaks else piece
    del head
    for data in iter(functools.partial(file.read, _PIECE_BYTES), b""):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


def _describe_binary(shown: str, size: int, reason: str) -> str:
    kind = mimetypes.guess_type(shown)[0]
    return f"{shown} cannot be shown as text: {reason} ({kind or 'unknown kind'}, {size:,} bytes)."


def _render(workspace: Workspace, target: Path, part: _Part, end: int | None) -> str:
    shown, total, first = workspace.display(target), part.window.total, part.first
    if total == 0:
        _remember(workspace, target, part, 0)
        return f"{shown} is empty."
    if first > total:
        raise ToolError(f"{shown} has only {total:,} lines; start is {first:,}.")
    lines = _within_budget(part, result_chars(workspace) - _NOTE_CHARS)
    _remember(workspace, target, part, len(lines))
    return "\n".join([*lines, *_notes(shown, part, first + len(lines) - 1, end)])


def _within_budget(part: _Part, left: int) -> list[str]:
    """The numbered lines, as many as fit into `left` characters, at least one."""
    lines: list[str] = []
    for number, line in enumerate(part.window.lines, part.first):
        text = f"{number}| {clip_line(line.text, line.length)}"
        left -= len(text) + 1
        if left < 0 and lines:
            break
        lines.append(text)
    return lines


def _notes(shown: str, part: _Part, last: int, end: int | None) -> list[str]:
    notes = []
    total = part.window.total
    if part.first > 1 or last < total:
        note = f"lines {part.first}-{last} of {total}"
        if last < min(end or total, total):
            note += f"; go on with read_file({json.dumps({'path': shown, 'start': last + 1})})"
        notes.append(f"[{note}]")
    if not part.encoding.certain:
        notes.append(f"[not UTF-8: read as {part.encoding.name}, which is a guess]")
    return notes


def _remember(workspace: Workspace, target: Path, part: _Part, count: int) -> None:
    """Notes which lines the model has now seen whole."""
    if part.content is None:
        return
    seen = enumerate(part.window.lines[:count], part.first)
    numbers = [number for number, line in seen if line.is_whole]
    workspace.memory.note_shown(target, part.content, numbers, part.window.total)
