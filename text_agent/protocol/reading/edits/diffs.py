"""Unified diffs with the names of their files, and their hunks: what stays, what goes, and what is new."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.edits.values import Cursor, FileEdit, Hunk, NotationError

_GIT = late_pattern(r"diff (?:--git|-\S+) (?P<old>\"[^\"]+\"|\S.*?) (?P<new>\"[^\"]+\"|\S+)[ \t]*")
_INDEX = late_pattern(r"Index: .*")
_OLD = late_pattern(r"---[ \t]+(?P<path>\S.*)")
_NEW = late_pattern(r"\+\+\+[ \t]+(?P<path>\S.*)")
_MOVED = late_pattern(r"(?:rename|copy) (?P<which>from|to) (?P<path>.+)")
_EXTENDED = late_pattern(
    r"(?:index|(?:dis)?similarity index|(?P<mode>old|new) mode|(?P<which>new|deleted) file mode) \S.*|={20,}"
)
_NOT_TEXT = late_pattern(r"Binary files .*|GIT binary patch|@@@.*")
_TIME = late_pattern(r"\t.*|[ ]+\d{4}-\d\d-\d\d[ T]\d\d:.*|[ ]+\((?:revision|working copy|original)\b.*")
_NOTHING = "/dev/null"
_NUMBERED = late_pattern(r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@[ \t]?(?P<heading>.*)")
_HEADED = late_pattern(r"@@(?:[ \t](?P<heading>.*?))?(?:[ \t]+@@)?[ \t]*")
_NO_HEADING = late_pattern(r"[\s.\u2026-]*|-\S* \+\S*")
_NO_BREAK = late_pattern(r"\\ ?No newline at end of file.*")
_END_OF_FILE = late_pattern(r"\*\*\* End of File[ \t]*")
_SIGNATURE = "-- "


def begins_diff(cursor: Cursor, *, first: bool = False) -> bool:
    """Whether a file's part begins at the present line; that of the `first` may lack heads of hunks."""
    if _GIT.fullmatch(cursor.line) or _INDEX.fullmatch(cursor.line):
        return True
    if not _OLD.fullmatch(cursor.line) or not _NEW.fullmatch(cursor.ahead(1)):
        return False
    return first or cursor.ahead(2).startswith("@@")


def read_diff(cursor: Cursor, *, one: bool = False) -> list[FileEdit]:
    """The edits of the diff that begins at the present line.

    `cursor`: stands there, and then behind the diff. `one`: to read the first file only. Raises
    `NotationError`: it has not exactly one sensible reading.
    """
    edits = [_file(cursor)]
    while not one:
        position = cursor.position
        cursor.pass_blank()
        if cursor.over or not begins_diff(cursor):
            cursor.go_to(position)
            break
        edits.append(_file(cursor))
    return edits


def _file(cursor: Cursor) -> FileEdit:
    names = {"old": "", "new": ""}
    moved: dict[str, str] = {}
    kind = ""
    while not cursor.over:
        line = cursor.line
        if match := _GIT.fullmatch(line):
            if names["old"]:
                break
            names = {"old": match["old"], "new": match["new"]}
        elif match := _MOVED.fullmatch(line):
            moved[match["which"]] = match["path"]
        elif match := _EXTENDED.fullmatch(line):
            kind = match["which"] or kind or ("mode" if match["mode"] else "")
        elif _NOT_TEXT.fullmatch(line):
            raise NotationError("a diff that is not of text cannot be applied", path=_path(names))
        elif (old := _OLD.fullmatch(line)) and (new := _NEW.fullmatch(cursor.ahead(1))):
            names = {"old": old["path"], "new": new["path"]}
            cursor.advance()
            cursor.advance()
            break
        elif not _INDEX.fullmatch(line):
            break
        cursor.advance()
    hunks = read_hunks(cursor, begins_diff, bounded=bool(cursor.marks))
    return _edit(_cleaned(names), kind, moved, tuple(hunks), cut=cursor.ended)


def _edit(
    names: dict[str, str], kind: str, moved: dict[str, str], hunks: tuple[Hunk, ...], *, cut: bool
) -> FileEdit:
    path = _path(names)
    if names["old"] == _NOTHING or kind == "new":
        if any(hunk.old for hunk in hunks):
            raise NotationError("a new file has no lines that could stay or go", path=path)
        return FileEdit(path, hunks, text="".join(hunk.texts[1] for hunk in hunks))
    if names["new"] == _NOTHING or kind == "deleted":
        return FileEdit(path, hunks, deleted=True)
    target = moved.get("to", "") or (names["new"] if names["new"] != names["old"] else "")
    if not hunks and not target and kind == "mode":
        raise NotationError("only the text of a file can be changed, not its mode", path=path)
    if not hunks and not target:
        raise NotationError("it changes no line: each has to have a + or a - before it", path=path, cut=cut)
    return FileEdit(moved.get("from", path), hunks, target=target)


def _path(names: dict[str, str]) -> str:
    return names["old"] if names["old"] not in ("", _NOTHING) else names["new"]


def _cleaned(names: dict[str, str]) -> dict[str, str]:
    """The paths without times, quotes, and the letters that tell the two sides."""
    plain = {side: _TIME.sub("", name).strip().strip("\"'`") for side, name in names.items()}
    old, new = plain["old"], plain["new"]
    sides = [each[:2] for each in (old, new) if each != _NOTHING]
    if sides in (["a/", "b/"], ["i/", "w/"], ["c/", "w/"]) or (len(sides) == 1 and sides[0] in ("a/", "b/")):
        return {side: name if name == _NOTHING else name[2:] for side, name in plain.items()}
    if old.removesuffix(".orig") == new or old == "a" or not old:
        return {"old": new, "new": new}
    return plain


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
