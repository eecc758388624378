"""A reply's own words: which parts of it they are, and what does not belong to them."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import END_TOKEN

_ENDED = late_pattern(rf"(?:{END_TOKEN}\s*+)++\Z")
_LEAKED = late_pattern(rf"(?:(?:{END_TOKEN}|<\|(?:call|user|assistant)\|>|<s>)\s*+)++\Z")
_LEAK_REACH = 200
_RESULT_MARK = "\ntool_result("
_INVISIBLE = late_pattern("^[\ufeff\u200b\u2060]+")
_GAP = late_pattern(r"\n(?:[ \t\r]*+\n){2,}+")


def tidy_prose(text: str) -> str:
    """The words without the gaps that calls left."""
    return _GAP.sub("\n\n", _INVISIBLE.sub("", text)).strip()


def without_leftovers(text: str, *, whole: bool) -> str:
    """Drops what a template or a stop sequence left at the end of the words.

    `text`: the kept parts of a reply. `whole`: whether they go up to the reply's end, where the beginning of
    a result mark may be left.
    """
    text = _without_tail(text.rstrip(), _LEAKED).rstrip()
    return _without_started_mark(text) if whole else text


def without_end_tokens(text: str) -> str:
    """Drops the tokens with which a template ends a reply, and which a server left at its very end."""
    return _without_tail(text, _ENDED)


def _without_tail(text: str, tail: re.Pattern[str]) -> str:
    match = tail.search(text, max(0, len(text) - _LEAK_REACH))
    return text[: match.start()] if match else text


def _without_started_mark(text: str) -> str:
    """Drops the beginning of a result mark that a stop sequence left at the very end."""
    line = text.rfind("\n")
    tail = text[line:] if line >= 0 else "\n" + text
    return text[: max(line, 0)] if len(tail) > 5 and _RESULT_MARK.startswith(tail) else text
