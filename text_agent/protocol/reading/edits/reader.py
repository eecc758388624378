"""Reads what stands at a place of a reply, or in one of its fences, as edits in other programs' notations.

    patch  = "*** Begin Patch" { "*** Add|Update|Delete File: " PATH lines } "*** End Patch"
    diff   = { "--- " PATH "+++ " PATH { "@@" lines } }
    block  = [ PATH ] "<<<<<<< SEARCH" lines "=======" lines ">>>>>>> REPLACE"
    fence  = "```" { patch | diff | block } "```"

Each edit becomes a call of the tool that takes edits; what certainly is one and cannot be read, or has no
name, becomes a `BrokenEdit`.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import closers, openers
from text_agent.protocol.reading.edits.diffs import begins_diff, read_diff, read_hunks
from text_agent.protocol.reading.edits.names import path_above, path_behind, path_in, without_name
from text_agent.protocol.reading.edits.patches import BLOCK, read_block, read_patch
from text_agent.protocol.reading.edits.takers import BrokenEdit, takers_among
from text_agent.protocol.reading.edits.values import Cursor, FileEdit, NotationError
from text_agent.protocol.reading.reading import Found, Reading
from text_agent.protocol.types import MalformedCall, ToolCall

if TYPE_CHECKING:
    from text_agent.protocol.reading.fences import Fence

_BEGINS = late_pattern(openers("edit"))
_DASHES = late_pattern(r"---[ \t]")
# Characters before an edit that all of its lines may have.
_MAX_PREFIX = 100
_CLOSES = late_pattern(rf"^(?:{closers('edit')})[^\n]*$", re.MULTILINE)
_NAMELESS = "the edit names no file: write the path of the file on the line above it"
_MORE = "the block holds more than edits, {line!r}: only edits may stand in it"


class EditReader:
    """Reads the edits of one reply.

    Attributes:
        name: the file that was named last, which further blocks are for.
        reads: whether edits in notations are calls here.
        named_until: where a fence ends that only names a file; -1 if there was none.
    """

    def __init__(self, reading: Reading) -> None:
        self.name = ""
        self.named_until = -1
        self._notes: tuple[str, ...] = ()
        self._reading = reading
        self._takers = takers_among(reading.tools)
        self.reads = reading.notations and self._takers.exist

    def continued(self, reading: Reading) -> EditReader:
        """The same reader over a longer text."""
        other = copy.copy(self)
        other._reading = reading
        return other

    def at(self, position: int, floor: int = 0) -> Found | None:
        """The edits that begin at `position`, the start of a line; None if none do.

        `floor`: the name of a file may stand behind it.
        """
        cursor = Cursor(self._reading.text, position)
        if not self._begins(cursor):
            return None
        self.name = path_above(self._reading.text, position, floor) or self.name
        return self._read(cursor)

    def in_fence(self, fence: Fence, floor: int) -> Found | None:
        """The edits of a fence that holds nothing else; None if it holds none."""
        if not self.reads:
            return None
        text = self._reading.text
        cursor = Cursor(text, fence.opener.end(), fence.opener["fence"])
        above = path_behind(fence.opener["info"]) or path_above(text, fence.start, floor)
        items = self.all_of(cursor, above or self.name)
        if not items:
            self._note_name(fence)
            return None
        if cursor.closes:
            cursor.advance()
        return Found(tuple(items), fence.start, _line_end(text, cursor.position))

    def words_behind(self, shown: int, found: Found) -> str:
        """What stands between a shown text that ends at `shown` and what was found; a dash without such."""
        if shown in (-1, self.named_until):
            return "-"
        return without_name(self._reading.text[shown : found.start]).strip()

    def _note_name(self, fence: Fence) -> None:
        """Takes down the name of a file that is all that a fence holds."""
        if fence.closing.line and (name := path_in(fence.text.strip())):
            self.name, self.named_until = name, fence.closing.line.end

    def all_of(self, cursor: Cursor, name: str) -> list[ToolCall | MalformedCall] | None:
        """The edits from the cursor on, up to its end; None if something else begins there."""
        former, self.name = self.name, name
        items: list[ToolCall | MalformedCall] = []
        cursor.pass_blank()
        while not cursor.over:
            start = cursor.position
            found = self.element(cursor)
            if found is None and not items:
                self.name = former
                return None
            if found is None:
                error = NotationError(_MORE.format(line=cursor.line[:60]), path=self.name)
                return [*self._broken(error, cursor, start).items]
            items += found.items
            cursor.pass_blank()
        return items

    def element(self, cursor: Cursor) -> Found | None:
        """An edit, perhaps below the name of its file, or a hunk without the name above it."""
        if (named := path_in(cursor.line)) and BLOCK.match(cursor.ahead(1)):
            self.name = named
            cursor.advance()
        if self._begins(cursor):
            return self._read(cursor)
        position = cursor.position
        hunks = read_hunks(cursor, begins_diff, bounded=True) if cursor.line.startswith("@@") else []
        self._notes = ("diff",)
        return self._found([FileEdit(self.name, tuple(hunks))], cursor, position) if hunks else None

    def _begins(self, cursor: Cursor) -> bool:
        """Whether a notation begins at the present line; a diff is known by two lines."""
        if not self.reads or not _BEGINS.match(self._reading.text, cursor.position):
            return False
        return not _DASHES.match(cursor.line) or begins_diff(cursor, first=True)

    def _read(self, cursor: Cursor) -> Found:
        position = cursor.position
        try:
            edits = self._edits(cursor)
        except NotationError as error:
            return self._broken(error, cursor, position)
        self.name = edits[-1].path
        return self._found(edits, cursor, position)

    def _edits(self, cursor: Cursor) -> list[FileEdit]:
        one = self._reading.anywhere
        if block := BLOCK.match(cursor.line):
            self.name = path_in(block["path"]) or self.name
            self._notes = ()
            return [FileEdit(self.name, (read_block(cursor),))]
        self._notes = ("diff",) if begins_diff(cursor, first=True) else ()
        return (read_diff if self._notes else read_patch)(cursor, one=one)

    def _found(self, edits: list[FileEdit], cursor: Cursor, position: int) -> Found:
        text, source = self._reading.text, self._reading.source
        end = _line_end(text, cursor.position)
        source.reached_end |= cursor.ended
        # Nothing says that a diff without numbers, or a patch without its last line, ends there.
        closed = (bool(self._notes) and edits[-1].is_complete) or _CLOSES.fullmatch(
            text, text.rfind("\n", 0, end) + 1, end
        )
        repairs = (*self._notes, *(("missing end",) if cursor.ended and not closed else ()))
        return Found(tuple(self._item(edit, (position, end), repairs) for edit in edits), position, end)

    def _item(
        self, edit: FileEdit, span: tuple[int, int], repairs: tuple[str, ...]
    ) -> ToolCall | MalformedCall:
        if edit.path or self._reading.anywhere:
            return self._takers.call(edit, span, repairs)
        return BrokenEdit(_NAMELESS, self._takers.editing[0], span=span)

    def _broken(self, error: NotationError, cursor: Cursor, position: int) -> Found:
        """The attempt that cannot be read: all up to its end belongs to it, and holds no call."""
        self.name = error.path or self.name
        source = self._reading.source
        closer = source.search(_CLOSES, cursor.position)
        if error.cut or closer is None:
            source.reached_end = True
        while not (self._reading.anywhere or cursor.over) and not (
            closer and cursor.position > closer.start()
        ):
            cursor.advance()
        end = _line_end(self._reading.text, cursor.position)
        item = BrokenEdit(
            str(error), self._takers.editing[0], cut=error.cut, span=(position, end), path=self.name
        )
        return Found((item,), position, end)


def read_edit_anywhere(reading: Reading, position: int) -> Found | None:
    """The edit of one file, or the hunk, that begins in a foreign text; its file may have no name."""
    before = reading.text[max(0, position - _MAX_PREFIX) : position]
    cursor = Cursor(reading.text, position, prefix=before[before.rfind("\n") + 1 :])
    reader = EditReader(reading)
    return reader.element(cursor) if reader.reads else None


def _line_end(text: str, position: int) -> int:
    """The end of the line before the one that begins at `position`."""
    return position - 1 if text.endswith("\n", 0, position) else position
