"""Edits with marks of their own: `*** Begin Patch` and `<<<<<<< SEARCH`.

In a patch, headings stand for line numbers; in a block, the lines themselves say where they are.
"""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.edits.diffs import read_hunks
from text_agent.protocol.reading.edits.values import Cursor, FileEdit, Hunk, NotationError

_FILE = late_pattern(r"\*\*\* (?P<what>Add|Update|Delete) File: *(?P<path>.*?)[ \t]*")
_MOVE = late_pattern(r"\*\*\* Move to: *(?P<path>.*?)[ \t]*")
_BEGIN = late_pattern(r"\*\*\* Begin Patch[ \t]*")
_END = late_pattern(r"\*\*\* End Patch[ \t]*")
_HEREDOC = late_pattern(
    r"(?:[$>] )?(?:apply_?patch)[ \t]+<<-?[ \t]*(?P<quote>['\"]?)(?P<word>\w+)(?P=quote)[ \t]*"
)
BLOCK = late_pattern(r"[ \t]*(?:<{5,9}|-{5,9}) ?(?:SEARCH|ORIGINAL)\b[ \t>]*(?P<path>[^\n]*?)[ \t\r]*$")
_DIVIDER = late_pattern(r"[ \t]*={5,9}[ \t]*")
_BLOCK_END = late_pattern(r"[ \t]*(?:>{5,9}|\+{5,9}) ?(?:REPLACE|UPDATED)\b.*")
# What some editors want above the lines: where they are, which the lines say better.
_PLACE = late_pattern(r":(?:start|end)_line: ?\d+[ \t]*")
_RULE = late_pattern(r"-{5,9}[ \t]*")
_ESCAPED = late_pattern(r"\\(?=<{5}|={5}|>{5}|-{5}|\+{5}|:(?:start|end)_line:)")


def read_patch(cursor: Cursor, *, one: bool = False) -> list[FileEdit]:
    """The edits of the patch that begins at the present line.

    `cursor`: stands there, and then behind the patch. `one`: to read the first file only. Raises
    `NotationError`: it has not exactly one sensible reading.
    """
    heredoc = _HEREDOC.fullmatch(cursor.line)
    if heredoc:
        cursor.advance()
    begun = _BEGIN.fullmatch(cursor.line) is not None
    if begun:
        cursor.advance()
    edits: list[FileEdit] = []
    while True:
        cursor.pass_blank()
        if cursor.over or (one and edits):
            break
        if _END.fullmatch(cursor.line.strip()):
            cursor.advance()
            if heredoc and cursor.line.strip() == heredoc["word"]:
                cursor.advance()
            return _complete(edits)
        if not (header := _FILE.fullmatch(cursor.line.strip())):
            if edits and not begun:
                break
            raise NotationError(f"the patch has a line that says nothing, {cursor.line[:60]!r}")
        cursor.advance()
        edits.append(_READERS[header["what"]](cursor, header["path"], bounded=begun or bool(cursor.marks)))
    if begun and cursor.ended and not one:
        raise NotationError("the text ends inside the patch", path=edits[-1].path if edits else "", cut=True)
    return _complete(edits)


def _complete(edits: list[FileEdit]) -> list[FileEdit]:
    if not edits:
        raise NotationError("the patch names no file: write `*** Update File: ` and its path above the lines")
    return edits


def _added(cursor: Cursor, path: str, *, bounded: bool) -> FileEdit:
    lines: list[str] = []
    while not cursor.over and not _ends(cursor) and (bounded or cursor.line.startswith("+")):
        lines.append(cursor.advance())
    while lines and not lines[-1]:
        lines.pop()
    signed = [line for line in lines if line.startswith("+")]
    if signed and any(line and not line.startswith("+") for line in lines):
        raise NotationError("some lines of the new file have a + before them, and some have none", path=path)
    text = "\n".join(line[1:] if signed else line for line in lines)
    return FileEdit(path, text=text + "\n" if lines else "")


def _updated(cursor: Cursor, path: str, *, bounded: bool) -> FileEdit:
    move = _MOVE.fullmatch(cursor.line)
    if move:
        cursor.advance()
    hunks = read_hunks(cursor, _ends, bounded=bounded)
    if not hunks and not move:
        raise NotationError(
            "it changes no line: each has to have a + or a - before it", path=path, cut=cursor.ended
        )
    return FileEdit(path, tuple(hunks), target=move["path"] if move else "")


def _deleted(cursor: Cursor, path: str, *, bounded: bool) -> FileEdit:  # noqa: ARG001
    while not cursor.over and cursor.line.startswith("-"):  # some show what goes
        cursor.advance()
    return FileEdit(path, deleted=True)


def _ends(cursor: Cursor) -> bool:
    return any(pattern.fullmatch(cursor.line) for pattern in (_FILE, _END, _BEGIN))


_READERS = {"Add": _added, "Update": _updated, "Delete": _deleted}


def read_block(cursor: Cursor) -> Hunk:
    """The block that begins at the present line.

    Raises `NotationError`: it has not exactly one sensible reading.
    """
    cursor.advance()
    placed = False
    while _PLACE.fullmatch(cursor.line):
        placed = True
        cursor.advance()
    if placed and _RULE.fullmatch(cursor.line):
        cursor.advance()
    old, new = _block_lines(cursor, _DIVIDER, "======="), _block_lines(cursor, _BLOCK_END, ">>>>>>> REPLACE")
    if old == new:
        raise NotationError("both parts of the SEARCH/REPLACE block are equal, so that it changes nothing")
    return Hunk(tuple(old) if any(map(str.strip, old)) else (), tuple(new))


def _block_lines(cursor: Cursor, end: re.Pattern[str], name: str) -> list[str]:
    lines: list[str] = []
    while not cursor.ended:
        line = cursor.line
        if end.fullmatch(line):
            cursor.advance()
            return lines
        if BLOCK.match(line) or _BLOCK_END.fullmatch(line) or _DIVIDER.fullmatch(line):
            raise NotationError(
                f"`{line.strip()[:40]}` stands in the SEARCH/REPLACE block where `{name}` must be"
            )
        lines.append(
            _ESCAPED.sub("", cursor.advance(), count=1) if line.startswith("\\") else cursor.advance()
        )
    raise NotationError(f"the text ends inside the SEARCH/REPLACE block, before `{name}`", cut=True)
