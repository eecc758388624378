"""What of a reply that goes on is held back, because it may come to be a call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import inline_examples, openers, signs, word_tokens
from text_agent.protocol.reading.fences import FENCE
from text_agent.protocol.reading.forms.dialects import mark_pattern
from text_agent.protocol.types import Part

# A line that begins like this is no call, however it goes on: a word that begins none, and another one.
_ORDINARY = late_pattern(
    r"(?:[\s\W_]|\d{1,3}[.)]\s)*"
    r"(?:(?!tool|action|observation|user|human)[a-z][\w*_:,.;!?'\u2019)]*[ \t]+(?=[^\s({\[:=])|[^\W\d_a-z])"
    r"|\s*\|",
    re.IGNORECASE,
)
# What may be the beginning of a token that makes the rest of a line something else.
_BEGUN_WORDS = "|".join(
    re.escape(word[:count]) for word in word_tokens() for count in range(1, len(word) + 1)
)
_BEGUN_TOKEN = late_pattern(
    rf"[<\[{signs()}](?![^\n]*[>\]\u25b7][ \t]*[^\s<\[])[^\n]{{0,80}}\Z|\b(?:{_BEGUN_WORDS})\Z"
)
_OPENER = late_pattern(openers("container", "element"))
# How text begins that may turn out to be a call when it is complete.
_CALL_LIKE = late_pattern(r"\s*(?:\{|\[\s*\{|<)")
_CALL_LIKE_CODE = late_pattern(r"\s*(?:[{\[<]|tool|action|[\w.]+\(|[^\n]*\Z)", re.IGNORECASE)
# A line that a call may begin with, and the lines below it that tell whether it does: as many as may stand
# between its name and its arguments.
_MAY_BEGIN = late_pattern(
    r"[\s\W\d_]*+(?:[a-z]\)\s*+)?(?:tool|action)|[ \t]*+[\w.:-]+[ \t\r]*+$|[^\n]*[<{(\[]",
    re.IGNORECASE | re.MULTILINE,
)
_TELLING_LINES = late_pattern(r"(?:\s*+\S[^\n]*+\n){2}")


def certain_end(text: str) -> int:
    """Up to where a text that goes on is certainly not in the middle of the beginning of a call."""
    start = text.rfind("\n") + 1
    if not _ORDINARY.match(text, start):
        return start
    return min(_opener_from(text, start, len(text)), begun_token(text))


def begun_token(text: str) -> int:
    """Where a token may begin that the end of a text holds in part; the end if none does."""
    start = max(text.rfind("\n") + 1, len(text) - 81)
    token = _BEGUN_TOKEN.search(text, start)
    marks = [mark.start() for mark in mark_pattern(text).finditer(text, start)]
    begun = (at for at in marks if any(one.startswith(text[at:]) for one in inline_examples()))
    return next(begun, token.start() if token else len(text))


def may_begin(text: str, start: int, end: int) -> bool:
    """Whether the line from `start` to `end` may come to be the head of a call with what follows."""
    begins = not _ORDINARY.match(text, start) and _MAY_BEGIN.match(text, start)
    return bool(begins or _opener_from(text, start, end) < end) and not _TELLING_LINES.match(text, end)


def _opener_from(text: str, start: int, end: int) -> int:
    """Where a dialect's call begins between `start` and `end`; `end` if none does."""
    marks = mark_pattern(text).finditer(text, start, end)
    return next((mark.start() for mark in marks if _OPENER.match(text, mark.start())), end)


def held_from(text: str, parts: Iterable[Part], position: int) -> int:
    """From where a text is held back, because what begins at `position` may come to be a call.

    What is no part of the answer, such as thinking, goes on until its closing tag.
    """
    if not any(part.kind in ("prose", "call") for part in parts if part.span[1] > position):
        return begun_token(text)
    fence = FENCE.match(text, position)
    begins = _CALL_LIKE_CODE.match(text, fence.end()) if fence else _CALL_LIKE.match(text, position)
    line_end = text.find("\n", position) + 1 or len(text)
    if not begins and not may_begin(text, position, line_end):
        return certain_end(text)
    opener = _opener_from(text, position, line_end)
    return min(certain_end(text), opener if opener < line_end else position)
