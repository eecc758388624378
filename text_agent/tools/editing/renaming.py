"""A renaming that the user asks for: one name for another, wherever it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from text_agent.lazy_regex import late_pattern

_NAME = r"(?:[`'\"\u201c\u2018]([^\W\d][\w$]*)[`'\"\u201d\u2019]|([^\W\d][\w$]*)(?:\(\))?)"
_KIND = r"(?:(?:the\s+)?(?:class|constant|field|function|method|variable|type|parameter|symbol)\s+)?"
# Everything, or the end of the sentence: `in load.py` or `but not in tests` asks for less.
_EVERYWHERE = (
    r"(?=\s*(?:[.,;!]?\s*$|[.,;!]\s|(?:everywhere|wherever|throughout|across)\b"
    r"|in (?:all|every|each|the (?:whole )?(?:project|code|folder))\b))"
)
_ASKED = late_pattern(
    rf"\brename\s+{_KIND}{_NAME}\s+(?:in)?to\s+{_NAME}{_EVERYWHERE}", re.IGNORECASE | re.MULTILINE
)
_LESS = late_pattern(r"\b(?:not|except|only|keep|unless|but)\b|n['\u2019]t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Renaming:
    """One name for another."""

    old: str  # the name as it was
    new: str  # the name as it is to be

    @property
    def pattern(self) -> str:
        """A regular expression for the old name, as a word of its own."""
        return rf"\b{re.escape(self.old)}\b"

    def apply(self, text: str) -> str:
        """`text` with the new name."""
        return re.sub(self.pattern, lambda _: self.new, text)


def asked_renaming(request: str) -> Renaming | None:
    """The renaming that `request` asks for, wherever the name stands; None if it asks for less, or more."""
    if _LESS.search(request):
        return None
    found = {(a or b, c or d) for a, b, c, d in _ASKED.findall(request)}
    return Renaming(*found.pop()) if len(found) == 1 else None
