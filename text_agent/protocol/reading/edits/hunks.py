"""The lines of a diff: what stays, what goes, and what is new."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.edits.values import Cursor, Hunk

_NUMBERED = late_pattern(r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@[ \t]?(?P<heading>.*)")
_HEADED = late_pattern(r"@@(?:[ \t](?P<heading>.*?))?(?:[ \t]+@@)?[ \t]*")
_NO_HEADING = late_pattern(r"[\s.\u2026-]*|-\S* \+\S*")
_NO_BREAK = late_pattern(r"\\ ?No newline at end of file.*")
_END_OF_FILE = late_pattern(r"\*\*\* End of File[ \t]*")
_SIGNATURE = "-- "


@dataclass(slots=True)
class _Open:
    """A hunk that is being read; `left` has the numbers of lines that its header announces."""

    under: list[str] = field(default_factory=list)
    left: tuple[int, int] | None = None
    lines: list[tuple[str, str]] = field(default_factory=list)
    open_ends: tuple[bool, bool] = (False, False)
    at_end: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether there are as many lines as announced."""
        signs = [sign for sign, _ in self.lines]
        added, removed = signs.count("+"), signs.count("-")
        return self.left == (len(signs) - added, len(signs) - removed)

    def note_open_end(self) -> None:
        """Notes that the last line has no line break."""
        sign = self.lines[-1][0] if self.lines else ""
        old, new = self.open_ends
        self.open_ends = (old or sign != "+", new or sign != "-")

    def add(self, line: str) -> None:
        """Adds a line; one without a sign stays as it is."""
        self.lines.append((line[0], line[1:]) if line[:1] in ("+", "-", " ") else ("", line))

    def closed(self) -> Iterator[Hunk]:
        """The hunk, if it changes anything."""
        while self.lines and self.lines[-1] == ("", ""):
            self.lines.pop()
        old = tuple(text for sign, text in self.lines if sign != "+")
        new = tuple(text for sign, text in self.lines if sign != "-")
        if old != new or self.open_ends[0] != self.open_ends[1]:
            yield Hunk(old, new, tuple(self.under), self.at_end, self.open_ends, self.is_complete)


def read_hunks(cursor: Cursor, ends: Callable[[Cursor], bool], *, bounded: bool) -> list[Hunk]:
    """The hunks from the present line on.

    Args:
        cursor: stands at the first line behind the headers of a file, and then behind the hunks.
        ends: whether something else begins at the present line.
        bounded: whether a mark says where the hunks end, so that a line without a sign belongs to them.
    """
    hunks: list[Hunk] = []
    now = _Open()
    while not cursor.over and not ends(cursor):
        line = cursor.line
        if line.startswith("@@"):
            hunks += now.closed()
            # Headings without lines between them lie one inside the other.
            now = _headed(line, [] if now.lines else now.under)
        elif _END_OF_FILE.fullmatch(line):
            now.at_end = True
        elif _NO_BREAK.fullmatch(line):
            now.note_open_end()
        elif not bounded and _is_behind(cursor, now):
            break
        else:
            now.add(line)
        cursor.advance()
    return [*hunks, *now.closed()]


def _headed(line: str, outer: list[str]) -> _Open:
    match, left = _NUMBERED.fullmatch(line), None
    if match:
        left = int(match["old"] or 1), int(match["new"] or 1)
    else:
        match = _HEADED.fullmatch(line)
    heading = (match["heading"] or "").strip() if match else line.strip("@ \t")
    return _Open([*outer, *([] if _NO_HEADING.fullmatch(heading) else [heading])], left)


def _is_behind(cursor: Cursor, now: _Open) -> bool:
    """Whether a line that no fence holds stands behind the diff."""
    line = cursor.line
    if line == _SIGNATURE or line[:1] not in ("", "+", "-", " "):
        return True
    return not line and (now.is_complete or cursor.ahead(1)[:1] not in ("+", "-", " ", "@"))
