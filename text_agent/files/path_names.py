"""Paths as models write them: with decoration that belongs to no name of a file, such as `### src/a.py`."""

from __future__ import annotations

import html
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from text_agent.errors import ToolError
from text_agent.lazy_regex import late_pattern

_BRACKETS = tuple(zip("([{\u00ab\u201c\uff08\u300c\u3010", ")]}\u00bb\u201d\uff09\u300d\u3011", strict=True))
# A sign that follows the ending of a name, and no further ending behind it.
_BEHIND = r"(?!~\Z)(?:[^\w\s.+/-]|//)(?:[^./]|\.(?!\w))*"
# What stands around a path: each takes one kind of it away.
_DECORATIONS = tuple(
    late_pattern(pattern, re.DOTALL)
    for pattern in (
        r"file:(?://(?:localhost)?)?(?P<path>/.+)",
        r"file:/*+(?P<path>.+)",
        r"\[(?P<path>[^\]]+)\]\(\w+://[^()]*\)",
        r"\[[^\]]*\]\((?P<path>[^()]+)\)",
        r"(?P<around>[\"'`*_~|]+)(?P<path>.+?)(?P=around)",
        *(rf"\{one}(?P<path>[^\{one}\{other}]+)\{other}" for one, other in (("<", ">"), *_BRACKETS)),
        r"(?:\+{3}|-{3})\s+[ab]/(?P<path>.+)",
        r"(?!(?:\+{3}|-{3})\s+[ab]/)(?:[^\w\s]+|\d{1,3}[.)])\s+(?P<path>.+)",
        r"(?:[^\W\d][\w ]{0,20}:|\([^()]*\))\s+(?P<path>.+)",
        r"[^/]*[^\w\s./$%}-](?P<path>[\w.][\w.-]*/.+)",
        r"[#@<>\"'`\u2018\u201c\u00ab]+(?P<path>[\w.(\[].*)",
        r"\*+(?P<path>[\w(\[].*)",
        r"(?P<path>.*\S)\s*(?:\*/|-+>)",
        r"(?P<path>.*[^\s:;,*\"'`<>#|\u2019\u201d\u00bb])[\s:;,*\"'`<>#|\u2019\u201d\u00bb]+",
        r"(?P<path>.*\S)\s+\([^()]*\)",
        r"(?P<path>.*\.\w+)(?::\d[\d:,-]*|\.+)",
        rf"(?P<path>.*\.[A-Za-z]\w*)(?:\s*{_BEHIND}|\s+[-\u2013\u2014][^./]*)",
        r"(?P<path>.*\.[A-Za-z]\w*?)(?:\\[nrt])+",
    )
)
_BACKSLASH = late_pattern(r"\\(?!u[0-9a-f]{4})")
_BLANKS_AT_SLASH = late_pattern(r"\s*(?<!/)/(?!/)\s*")
# Signs that nobody sees, or that turn the direction of writing.
_UNSEEN = late_pattern(r"[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
# Names that a file may have, and no new file of a project gets.
_ODD = late_pattern(
    r"[\x00-\x1f\x7f<>|*\"`\u2192]|\\(?!u[0-9a-f]{4})|[/\s]\s|\s[/]|\A\s|\s\Z"
    rf"|{_UNSEEN.pattern}|%(?:2[Ff]|5[Cc])|&(?:\#\w+|lt|gt|amp|quot|apos|nbsp);"
    r"|['\u2019\u201d\u00bb:;,]\Z|\s\([^()/]*\)\Z|\.\w+(?::\d[\d:,-]*|\.+)\Z"
    rf"|\.[A-Za-z]\w*\s*{_BEHIND}\Z|\.[A-Za-z]\w*\s[^./]*\Z"
    r"|\A\[[^\]]*[./][^\]]*\]\Z|\A\([^)]*\)\Z|\A\[[^\]]*\]\(.*\)\Z|\A_{1,2}[^_].*\.\w+_{1,2}\Z"
    r"|\A(?:[^\w\s]+\s|\d{1,3}[.)]\s[^/]*/|(?:[^\W\d][\w ]{0,20}:|\([^()]*\))\s)",
    re.DOTALL,
)
# How no path begins.
_ODD_START = late_pattern(
    r"\A(?:@|\#(?!.+\#\Z)|['\u2018]|~~|\w+:/|file:|diff --git\s"
    r"|(?:\$[A-Z_]+|\$\{[^/]*\}|\$\([^/]*\)|%\w+%|\.{3,}|\u2026)/)",
    re.DOTALL,
)
# The first folder of a path, behind signs or words.
_FIRST_FOLDER = late_pattern(r"(?:[^/]*[^\w./-]|[ab]/)(?P<folder>[\w.][\w.-]*)/")
# In a tree with one of these, `@scope/` is the name of a folder.
_WITH_SCOPES = ("package.json", "node_modules")
_MAX_FORMS = 60
# No longer path is looked into.
_MAX_CHARS = 1000


def spell(root: Path, path: str) -> str:
    """The path, from `root`, that a model means: itself if it exists, or could be a new file's.

    Else it is the one that is left without the decoration, and exists; or the only one that a new file could
    have. What can be neither stays as it is. Raises `ToolError`: it may mean several files.
    """
    if len(path) > _MAX_CHARS or os.path.lexists(root / path) or not is_odd(root, path):
        return path
    forms = list(_forms(path))
    existing = {os.path.realpath(root / form): form for form in forms if os.path.lexists(root / form)}
    if len(existing) > 1:
        raise ToolError(f"{path!r} may mean {' or '.join(sorted(existing.values()))}. Give one path alone.")
    if existing:
        return existing.popitem()[1]
    above, new = _divide(root, path)
    forms += [above + form for form in _forms(new)]
    plain = {form for form in forms if not form.startswith("/") and not is_odd(root, form)}
    longest = [form for form in plain if not any(other != form and other.endswith(form) for other in plain)]
    return longest[0] if len(longest) == 1 else path


def is_odd(root: Path, path: str) -> bool:
    """Whether that part of a path which does not exist yet is no plain name of a file."""
    above, new = _divide(root, path)
    if new.startswith("@") and "/" in new and (above or _has_scopes(root, new)):
        new = new[1:]
    is_odd_itself = bool(_ODD.search(new)) or any(map(_is_unbalanced, new.split("/")))
    return is_odd_itself or (not above and _is_begun_oddly(root, new))


def _is_unbalanced(name: str) -> bool:
    return any(name.count(one) != name.count(other) for one, other in _BRACKETS)


def _is_begun_oddly(root: Path, new: str) -> bool:
    """Whether something that is no name stands before a path, most of all before a folder that exists."""
    plain = unicodedata.normalize("NFKC", new)
    first = _FIRST_FOLDER.match(new)
    folder = first["folder"] if first else plain.partition("/")[0] if plain != new and "/" in plain else ""
    return bool(_ODD_START.match(new)) or (folder != "" and (root / folder).is_dir())


def _has_scopes(root: Path, new: str) -> bool:
    decorates = os.path.lexists(root / new[1:].partition("/")[0])
    return not decorates and any(os.path.lexists(root / name) for name in _WITH_SCOPES)


def _divide(root: Path, path: str) -> tuple[str, str]:
    """The part of a path that exists, with a `/` at its end, and the rest."""
    parts = path.split("/")
    for count in range(len(parts), 0, -1):
        above = "/".join(parts[:count])
        if above and os.path.lexists(root / above):
            return f"{above}/", "/".join(parts[count:])
    return "", path


def _forms(path: str) -> Iterator[str]:
    """What is left of a path without its decoration, one kind of it after another, in every order."""
    found, waiting = {path}, [path]
    while waiting and len(found) < _MAX_FORMS:
        form = waiting.pop(0)
        for shorter in _undecorated(form):
            if shorter and shorter not in found:
                found.add(shorter)
                waiting.append(shorter)
                yield shorter


def _undecorated(form: str) -> Iterator[str]:
    for decoration in _DECORATIONS:
        if match := decoration.fullmatch(form):
            yield match["path"].strip()
    seen, narrow = _UNSEEN.sub("", form), unicodedata.normalize("NFKC", form)
    for plain in (unquote(form), html.unescape(form), seen, narrow):
        if plain != form and "\ufffd" not in plain:
            yield plain.strip()
    yield _BACKSLASH.sub("/", form)
    yield _BLANKS_AT_SLASH.sub("/", form)
