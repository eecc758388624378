"""A renaming that the user asks for: one name for another, wherever it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from text_agent.patterns import late_pattern

_QUOTE = "[`'\"\u201c\u201d\u2018\u2019]?"
_NAME = rf"{_QUOTE}([^\W\d][\w$]*){_QUOTE}(?:\(\))?"
_ASKED = late_pattern(
    rf"\brenam(?:e|ing)\b[^.\n]*?{_NAME}\s+(?:in)?to\s+{_NAME}(?![\w/-]|\.\w)", re.IGNORECASE
)
# `rename the file to ...`: no names, but what has one.
_NO_NAMES = frozenset(
    {"class", "constant", "file", "folder", "function", "it", "method", "module", "variable"}
)


@dataclass(frozen=True, slots=True)
class Renaming:
    """One name for another.

    Attributes:
        old: the name as it was.
        new: the name as it is to be.
    """

    old: str
    new: str

    @property
    def pattern(self) -> str:
        """A regular expression for the old name, as a word of its own."""
        return rf"\b{re.escape(self.old)}\b"

    def apply(self, text: str) -> str:
        """`text` with the new name."""
        return re.sub(self.pattern, lambda _: self.new, text)


def asked_renaming(request: str) -> Renaming | None:
    """The renaming that `request` asks for; None if it asks for none, or for several."""
    found = {
        (old, new) for old, new in _ASKED.findall(request) if old != new and old.lower() not in _NO_NAMES
    }
    return Renaming(*found.pop()) if len(found) == 1 else None
