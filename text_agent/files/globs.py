"""Globs as people write them for file names: `*.py`, `src/**/test_*.py`, `*.{js,ts}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from text_agent.errors import ToolError
from text_agent.lazy_regex import late_pattern

_TOKEN = late_pattern(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|[{},]|\\?.", re.DOTALL)
_MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")"}


@dataclass(frozen=True, slots=True)
class Glob:
    """A compiled glob; one without a `/` is about names, in whatever folder."""

    pattern: re.Pattern[str]
    is_name: bool

    def matches(self, path: str) -> bool:
        """Whether it fits a path with `/`."""
        return self.pattern.match(path.rpartition("/")[2] if self.is_name else path) is not None


def compile_glob(glob: str) -> Glob:
    """Reads a glob. Raises `ToolError`: its brackets or braces do not fit together."""
    depth = 0
    parts = []
    for token in _TOKEN.findall(glob.strip().removeprefix("./").removeprefix("/")):
        depth += (token == "{") - (token == "}")
        parts.append(_translate(token, inside_braces=depth > 0))
    try:
        return Glob(re.compile("".join(parts) + r"\Z", re.DOTALL), "/" not in glob)
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
