"""Text from models, files and commands, made safe to print."""

from __future__ import annotations

from text_agent.lazy_regex import late_pattern
from text_agent.text.revealing import code_point

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


def sanitize(text: str) -> str:
    """Takes control sequences out, and shows what could hide or reorder text by its code point."""
    text = SEQUENCE.sub("", text.replace("\r\n", "\n"))
    text = _CONTROL.sub("", text)
    text = text.encode("utf-8", "replace").decode("utf-8")
    return _BIDI.sub(lambda match: code_point(match[0]), text)


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
