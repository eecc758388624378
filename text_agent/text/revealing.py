"""Text in which nothing is hidden, for what a person decides on or looks for later."""

from __future__ import annotations

from text_agent.text.look_alikes import replace_unknown

# Letters and signs that look like a blank, or like nothing. The selectors of emoji stay: they are everywhere.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159") | {
    chr(code) for code in (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))
}


_CODE_POINT = "text-agent-code-point"


def reveal(text: str, encoding: str = "utf-8") -> str:
    """Shows every character that could hide or reorder text, or pass for a blank, by its code point.

    For what a person decides on: nothing of it may vanish, nor look like something else because
    `encoding` cannot show it.
    """
    shown = (
        char if (char.isprintable() and char not in _BLANK) or char in "\t\n" else code_point(char)
        for char in text
    )
    return "".join(shown).encode(encoding, _CODE_POINT).decode(encoding)


def code_point(char: str) -> str:
    """The name of a character: `<U+200B>`."""
    return f"<U+{ord(char):04X}>"


replace_unknown(_CODE_POINT, code_point)
