"""Globs as people write them for file names: `*.py`, `src/**/test_*.py`, `*.{js,ts}`."""

from __future__ import annotations

import re

from text_agent.errors import ToolError

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|[{},]|\\?.", re.DOTALL)
_MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")"}


def compile_glob(glob: str) -> re.Pattern[str]:
    """A pattern for paths with `/`; a glob without a `/` matches in every folder.

    Raises:
        ToolError: the glob's brackets or braces do not fit together.
    """
    depth = 0
    parts = []
    for token in _TOKEN.findall(glob.strip().removeprefix("./").removeprefix("/")):
        depth += (token == "{") - (token == "}")
        parts.append(_translate(token, inside_braces=depth > 0))
    try:
        return re.compile(("" if "/" in glob else "(?:.*/)?") + "".join(parts) + r"\Z", re.DOTALL)
    except re.error as error:
        raise ToolError(f"The glob {glob!r} cannot be read: {error}. Example: *.py") from error


def _translate(token: str, *, inside_braces: bool) -> str:
    if token in _MEANINGS:
        return _MEANINGS[token]
    if token == "," and inside_braces:
        return "|"
    if token.startswith("[") and len(token) > 1:
        return "[^" + _class_body(token[2:]) if token[1] == "!" else "[" + _class_body(token[1:])
    return re.escape(token.removeprefix("\\") or token)


def _class_body(body: str) -> str:
    return body.replace("\\", r"\\").replace("[", r"\[")
