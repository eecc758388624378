"""Marks that stand for code instead of being it: "... rest unchanged ..."."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.text.truncation import CUT_MARK

# What opens a comment, or a bracket around the mark.
_OPENER = late_pattern(r"(?:#+|//+|/\*+|<!--|--+|;+|%+|\{/\*|[\[(<*])\s*")
_DOTS = ("...", "\u2026")
_CODE = r"(?:code|file|function|class|method|content|implementation|module|script|logic|body|test|line)s?"
# After dots, every such word names what is left out.
_LEFT_OUT = late_pattern(
    r"\b(?:rest|remain\w*|unchanged|existing|previous|omitted|truncated|snip\w*|same|before|other|here)\b",
    re.IGNORECASE,
)
# Without dots before it, only what can hardly mean anything else.
_SURELY_LEFT_OUT = late_pattern(
    rf"(?:the )?(?:(?:rest|remainder) of (?:the |your |this )?(?:\w+ )?{_CODE}"
    rf"|(?:existing|remaining|previous|other) {_CODE})"
    r"(?: (?:is|are|goes|stays?|remains?|was|were)\b.*| (?:unchanged|omitted|here|as before)\b.*)?[\s.)]*",
    re.IGNORECASE,
)
# A longer line says more than that something is left out.
_MARK_CHARS = 160


def find_omission(new: str, old: str) -> str | None:
    """The first line of `new` that marks an omission and is not in `old`; None without one."""
    known = {line.strip() for line in old.split("\n")}
    for line in map(str.strip, new.split("\n")):
        if line and line not in known and (CUT_MARK.search(line) or _marks_omission(line)):
            return line
    return None


def _marks_omission(line: str) -> bool:
    opener = _OPENER.match(line)
    words = line[opener.end() :] if opener else line
    words = re.sub(r"\s*(?:\*/\}?|-->|[\])>])$", "", words)
    if len(line) > _MARK_CHARS:
        return False
    if words.startswith(_DOTS):
        # `...rest` at the beginning of a line spreads a value in some languages.
        is_spread = opener is None and not words.lstrip(".\u2026").startswith((" ", "["))
        return not is_spread and bool(_LEFT_OUT.search(words))
    return opener is not None and bool(_SURELY_LEFT_OUT.fullmatch(words.rstrip(".\u2026 ")))
