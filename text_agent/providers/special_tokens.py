"""End tokens of chat templates that a server leaves at the end of a reply."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import END_TOKENS

_ANY = "|".join(map(re.escape, END_TOKENS))
_BEGUN = "|".join(
    re.escape(token[:length]) for token in sorted(END_TOKENS) for length in range(len(token) - 1, 0, -1)
)
# From here to the end there is nothing but end tokens, perhaps with the last one begun.
_ENDING = late_pattern(rf"(?:(?:{_ANY})\s*)*(?:{_BEGUN})?")
_WHOLE = late_pattern(rf"(?:(?:{_ANY})\s*)+")
# Characters that are held back at most.
_WINDOW = 200
# A `</s>` may close a `<s>` of the text itself, which strikes a word through.
_STRIKE, _STRIKE_END = "<s>", "</s>"


class EndTrimmer:
    """Holds back what may be end tokens, until the text goes on or ends."""

    def __init__(self) -> None:
        self._held = ""
        self._recent = ""
        self._strikes = False

    def feed(self, piece: str) -> str:
        """Returns what is certain so far."""
        self._strikes = self._strikes or _STRIKE in self._recent + piece
        self._recent = (self._recent + piece)[1 - len(_STRIKE) :]
        text = self._held + piece
        start = self._ending(text)
        self._held = text[start:]
        return text[:start]

    def finish(self) -> str:
        """Returns the rest: what was held back, unless it is end tokens."""
        held, self._held = self._held, ""
        if self._strikes and held.startswith(_STRIKE_END):
            kept = len(_STRIKE_END)
            return held if not _WHOLE.fullmatch(held, kept) else held[:kept]
        return "" if _WHOLE.fullmatch(held) else held

    def _ending(self, text: str) -> int:
        """Where the end tokens begin that the text ends with; its length if it does not."""
        start = text.find("<", max(0, len(text) - _WINDOW))
        while start >= 0 and not _ENDING.fullmatch(text, start):
            start = text.find("<", start + 1)
        return len(text) if start < 0 else start
