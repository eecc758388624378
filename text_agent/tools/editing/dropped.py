"""What a new version of a whole file has no longer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePath

from text_agent.files.python_text import parse_python
from text_agent.lazy_regex import late_pattern

# A definition at the margin, in the languages that name it by a word before.
_DEFINITION = late_pattern(
    r"^(?:(?:export|default|public|async|abstract|final|pub(?:\([^)\n]*\))?) +)*"
    r"(?:def|class|function\*?|fn|func|struct|enum|interface|trait|type) +(?:\([^)\n]*\) *)?([\w$]+)",
    re.MULTILINE,
)
_ASSIGNED_FUNCTION = late_pattern(
    r"^(?:export +)?(?:const|let|var) +([\w$]+) *= *(?:async *)?(?:function\b|\([^)\n]*\) *=>|[\w$]+ *=>)",
    re.MULTILINE,
)
_MAIN_BLOCK = late_pattern(r"^if +__name__ *== *[\"']__main__[\"']", re.MULTILINE)
_PYTHON = frozenset({".py", ".pyi"})
_PROSE = frozenset({"", ".md", ".rst", ".txt"})
# Shorter files are rewritten as a whole too often for their length to tell anything.
_LINES_THAT_COUNT = 10


_MAIN = "the main block"
_HALF = "more than half of its lines"
_SHORTENING = late_pattern(
    r"\b(?:rewrite|replace|delete|remove|clear|empty|shorten|simplify|reduce|only|strip|drop)", re.IGNORECASE
)


def dropped_parts(name: str, before: str, after: str) -> tuple[str, ...]:
    """Top-level definitions by name, the main block, and whether more than half of the lines are gone."""
    dropped: list[str] = []
    if PurePath(name).suffix.lower() not in _PROSE:
        remaining = set(_definitions(after))
        dropped += [definition for definition in _definitions(before) if definition not in remaining]
        if _MAIN_BLOCK.search(before) and not _MAIN_BLOCK.search(after):
            dropped.append(_MAIN)
    if _LINES_THAT_COUNT <= _filled_lines(before) > 2 * _filled_lines(after):
        dropped.append(_HALF)
    return tuple(dropped)


def dropped_members(name: str, before: str, after: str) -> tuple[str, ...]:
    """What Python classes that are still there have no longer, as `Class.member`."""
    if PurePath(name).suffix.lower() not in _PYTHON:
        return ()
    old, new = dict(_members(before)), dict(_members(after))
    return tuple(
        f"{kind}.{member}"
        for kind, members in old.items()
        for member in members
        if member not in new.get(kind, members)
    )


def is_asked_for(part: str, request: str) -> bool:
    """Whether the user's `request` speaks of a dropped part."""
    if part == _HALF:
        return _SHORTENING.search(request) is not None
    name = "main" if part == _MAIN else part.rpartition(".")[2]
    return re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", request) is not None


def _definitions(text: str) -> list[str]:
    names = [*_DEFINITION.findall(text), *_ASSIGNED_FUNCTION.findall(text)]
    return list(dict.fromkeys(names))


def _members(text: str) -> Iterator[tuple[str, list[str]]]:
    """The classes of a Python text with what their bodies define; none if it is not valid."""
    tree = parse_python(text)
    for each in tree.body if tree else ():
        if isinstance(each, ast.ClassDef):
            yield each.name, list(dict.fromkeys(name for part in each.body for name in _names(part)))


def _names(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def _filled_lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.split("\n"))
