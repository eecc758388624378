"""Text in which nothing is hidden, for what a person decides on or looks for later."""

from __future__ import annotations

import codecs

# Letters and signs that look like a blank, or like nothing. The selectors of emoji stay: they are everywhere.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159") | {
    chr(code) for code in (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))
}


def reveal(text: str, encoding: str = "utf-8") -> str:
    """Shows every character that could hide or reorder text, or pass for a blank, by its code point.

    For what a person decides on: nothing of it may vanish, nor look like something else because
    `encoding` cannot show it.
    """
    shown = (
        char if (char.isprintable() and char not in _BLANK) or char in "\t\n" else f"<U+{ord(char):04X}>"
        for char in text
    )
    known = "".join(shown).encode(encoding, _CODE_POINT)
    return known.decode(encoding)


def _name_code_point(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unknown = error.object[error.start : error.end]
    return "".join(f"<U+{ord(char):04X}>" for char in unknown), error.end


_CODE_POINT = "text-agent-code-point"
codecs.register_error(_CODE_POINT, _name_code_point)
