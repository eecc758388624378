"""Paths as models write them: with decoration that belongs to no name of a file, such as `### src/a.py`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from text_agent.errors import ToolError
from text_agent.lazy_regex import late_pattern

# What stands around a path: each takes one kind of it away.
_DECORATIONS = tuple(
    late_pattern(pattern, re.DOTALL)
    for pattern in (
        r"file:(?://(?:localhost)?)?(?P<path>/.+)",
        r"file:/*+(?P<path>.+)",
        r"\[(?P<path>[^\]]+)\]\(\w+://[^()]*\)",
        r"\[[^\]]*\]\((?P<path>[^()]+)\)",
        r"(?P<around>[\"'`*_~|]+)(?P<path>.+?)(?P=around)",
        r"<(?P<path>[^<>]+)>",
        r"\((?P<path>[^()]+)\)",
        r"\[(?P<path>[^\[\]]+)\]",
        r"(?:\+{3}|-{3})\s+[ab]/(?P<path>.+)",
        r"(?!(?:\+{3}|-{3})\s+[ab]/)(?:[#*+\-\u2022\u2013\u2014>;%!|]+|//+|/\*+|<!-+|\d{1,3}[.)])\s+(?P<path>.+)",
        r"(?:[A-Za-z][\w ]{0,20}:|\([^()]*\))\s+(?P<path>.+)",
        r"[#@<>\"'`\u2018\u201c\u00ab]+(?P<path>[\w.(\[].*)",
        r"\*+(?P<path>[\w(\[].*)",
        r"(?P<path>.*\S)\s*(?:\*/|-+>)",
        r"(?P<path>.*[^\s:;,*\"'`<>#|\u2019\u201d\u00bb])[\s:;,*\"'`<>#|\u2019\u201d\u00bb]+",
        r"(?P<path>.*\S)\s+\([^()]*\)",
        r"(?P<path>.*\.\w+)(?::\d[\d:,-]*|#L\d[\dL-]*)",
        r"(?P<path>.*\.[A-Za-z]\w*)\s+(?:[-#\u2013\u2014]|//)[^./]*",
    )
)
_BACKSLASH = late_pattern(r"\\(?!u[0-9a-f]{4})")
_BLANKS_AT_SLASH = late_pattern(r"\s*(?<!/)/(?!/)\s*")
# Names that a file may have, and no new file of a project gets.
_ODD = late_pattern(
    r"[\x00-\x1f\x7f<>|*\"`\u2192]|\\(?!u[0-9a-f]{4})|[/\s]\s|\s[/]|\A\s|\s\Z"
    r"|\A(?:@|#(?!.+#\Z)|['\u2018\u201c\u00ab]|~~|\w+:/|file:)"
    r"|['\u2019\u201d\u00bb:;,]\Z|\s\([^()/]*\)\Z|\.\w+:\d[\d:,-]*\Z|\#L\d[\dL-]*\Z"
    r"|\A\[[^\]]*[./][^\]]*\]\Z|\A\([^)]*\)\Z|\A\[[^\]]*\]\(.*\)\Z|\A_{1,2}[^_].*\.\w+_{1,2}\Z"
    r"|\A(?:[-+\u2022\u2013\u2014;%!]+|//+)\s|\A\d{1,3}[.)]\s[^/]*/|\A(?:[A-Za-z][\w ]{0,20}:|\([^()]*\))\s"
    r"|\.[A-Za-z]\w*\s+(?:[-#\u2013\u2014]|//)[^./]*\Z",
    re.DOTALL,
)
# In a tree with one of these, `@scope/` is the name of a folder.
_WITH_SCOPES = ("package.json", "node_modules")
_MAX_FORMS = 60
# No longer path is looked into.
_MAX_CHARS = 1000


def spell(root: Path, path: str) -> str:
    """The path that is meant by what a model wrote: itself if it exists, or could be a new file's.

    Else it is the one that is left without the decoration, and exists; or the only one that a new file could
    have. What can be neither stays as it is.

    Args:
        root: what it is relative to.
        path: as it was written, without blanks around.

    Raises:
        ToolError: it may mean several files.
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
    return bool(new) and _ODD.search(new) is not None


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
    if form.startswith("file:"):
        yield unquote(form)
    yield _BACKSLASH.sub("/", form)
    yield _BLANKS_AT_SLASH.sub("/", form)
