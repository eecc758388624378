"""Text from models, files and commands, made safe to print."""

from __future__ import annotations

import re

# CSI, OSC (ended by BEL or ST), and the two-character escapes of ECMA-48.
_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]"
)
# What may stay of the control characters: tab and line feed.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Characters that reorder text on the screen (Unicode bidi controls, see CVE-2021-42574).
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def sanitize(text: str) -> str:
    """Takes control sequences out, and shows what could hide or reorder text by its code point."""
    text = _SEQUENCE.sub("", text.replace("\r\n", "\n"))
    text = _CONTROL.sub("", text)
    text = text.encode("utf-8", "replace").decode("utf-8")
    return _BIDI.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)
