"""Numbers that the user types behind a command."""

from __future__ import annotations

# More digits name nothing that there is, and Python refuses to read very many.
_MAX_DIGITS = 9


def typed_number(word: str) -> int:
    """The whole number that `word` is; 0 if it is none, or too long to be meant."""
    return int(word) if word.isascii() and word.isdecimal() and len(word) <= _MAX_DIGITS else 0
