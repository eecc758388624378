"""Text from models, files and commands, made safe to print, and text in which nothing is hidden."""

from __future__ import annotations

from text_agent.lazy_regex import late_pattern
from text_agent.text.look_alikes import replace_unknown

# CSI, OSC (ended by BEL or ST), and the two-character escapes of ECMA-48.
SEQUENCE = late_pattern(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]"
)
# The beginning of one of them, at the end of a text that goes on.
_BEGUN = late_pattern(r"(?:\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)|\x9b[0-?]*[ -/]*|\r)\Z")
# Characters of a sequence that is waited for; a longer one is no sequence but a trick.
_BEGUN_MAX_CHARS = 4096
# What may stay of the control characters: tab and line feed.
_CONTROL = late_pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Characters that reorder text on the screen (Unicode bidi controls, see CVE-2021-42574).
_BIDI = late_pattern("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Letters and signs that look like a blank, or like nothing. The selectors of emoji stay: they are everywhere.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159") | {
    chr(code) for code in (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))
}
_CODE_POINT = "text-agent-code-point"


def sanitize(text: str) -> str:
    """Takes control sequences out, and shows what could hide or reorder text by its code point."""
    text = SEQUENCE.sub("", text.replace("\r\n", "\n"))
    text = _CONTROL.sub("", text)
    text = text.encode("utf-8", "replace").decode("utf-8")
    return _BIDI.sub(lambda match: code_point(match[0]), text)


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


class StreamSanitizer:
    """Sanitizes a text that comes in pieces, with a control sequence perhaps in two of them.

    Attributes:
        held: the beginning of a sequence, until its end comes.
    """

    def __init__(self) -> None:
        self.held = ""

    def feed(self, piece: str) -> str:
        """Returns what can be shown so far."""
        text = self.held + piece
        begun = _BEGUN.search(text)
        if begun and len(begun[0]) > _BEGUN_MAX_CHARS:
            begun = None
        self.held = begun[0] if begun else ""
        return sanitize(text[: len(text) - len(self.held)])
