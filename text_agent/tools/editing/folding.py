"""Characters that look alike, made equal: only to find text, never to change what is written."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_ALIKE = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc",
    '"': "\u201c\u201d\u201e\u201f\u2033",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "...": "\u2026",
}
_FOLDED = str.maketrans({sign: plain for plain, signs in _ALIKE.items() for sign in signs})


@dataclass(frozen=True, slots=True)
class FoldedLine:
    """A folded line; `places` holds, for each folded character and the end, where its source begins."""

    text: str
    places: tuple[int, ...]

    def source(self, place: int) -> int | None:
        """Where in the source a place of the folded text is; None if inside one of its characters."""
        inside = place > 0 and self.places[place] == self.places[place - 1]
        return None if inside else self.places[place]


def fold(text: str) -> str:
    """`text` with look-alike characters as ASCII, and accents in one form."""
    return text if text.isascii() else unicodedata.normalize("NFD", text.translate(_FOLDED))


def fold_line(line: str) -> FoldedLine:
    """As `fold`, with the way back; characters and their combining marks stay together."""
    texts: list[str] = []
    places: list[int] = []
    start = 0
    for end in range(1, len(line) + 1):
        if end < len(line) and unicodedata.combining(line[end]):
            continue
        folded = fold(line[start:end])
        texts.append(folded)
        places.extend([start] * len(folded))
        start = end
    return FoldedLine("".join(texts), (*places, len(line)))


def differing_characters(shown: str, asked: str) -> list[str]:
    """The look-alikes of `shown` that `asked` has not, as code points."""
    signs = sorted({sign for sign in shown if not sign.isascii()} - set(asked))
    return [f"U+{ord(sign):04X}" for sign in signs]
