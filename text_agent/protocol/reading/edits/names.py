"""The names of files that stand beside an edit."""

from __future__ import annotations

from text_agent.lazy_regex import late_pattern

_PATH = r"(?<![\w./@+-])(?:\.{0,2}/)?[\w.@+-]*(?:/[\w.@+-]+)*\.[A-Za-z]\w{0,9}(?![\w/]|[.:-]\w)"
_PATHS = late_pattern(_PATH)
# A line that is nothing but a name, perhaps of a file without an extension.
_ALONE = late_pattern(
    r"\W*?(?i:(?:file(?:name|path)?|path)[ \t]*:[ \t]*)?[#*_`\"' \t]*"
    r"(?P<path>[\w.@+~-]*(?:/[\w.@+-]+)+|\.?[\w@+-]+(?:\.[\w@+-]+)+|\.\w[\w-]+|[A-Z]\w*file|[A-Z]{4,})"
    r"[*_`\"': \t]*"
)
_NO_PATHS = frozenset({"e.g", "i.e", "z.B", "p.ej"})
_LONGEST = 300


def path_in(line: str) -> str:
    """The one path that a line names; empty if it names none, or several."""
    if len(line) > _LONGEST:
        return ""
    if alone := _ALONE.fullmatch(line.strip()):
        return alone["path"]
    found = dict.fromkeys(path for path in _PATHS.findall(line) if path not in _NO_PATHS)
    return next(iter(found)) if len(found) == 1 else ""


def path_above(text: str, position: int, floor: int) -> str:
    """The path that the last line before `position`, and behind `floor`, names."""
    before = text[max(floor, position - 2 * _LONGEST) : position].rstrip()
    return path_in(before[before.rfind("\n") + 1 :])


def without_name(words: str) -> str:
    """The words before an edit without a last line that only names its file."""
    lines = words.rstrip().split("\n")
    return "\n".join(lines[:-1]) if _ALONE.fullmatch(lines[-1].strip()) else words


def path_behind(info: str) -> str:
    """The path that stands behind the marks of a fence."""
    words = info.replace(":", " ").replace("=", " ").split()
    return next((word.strip("\"'") for word in words if _PATHS.fullmatch(word.strip("\"'"))), "")
