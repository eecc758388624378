"""Tells a text that breaks off from one that only lacks its full stop."""

from __future__ import annotations

import re
import unicodedata

from text_agent.agent.words import words
from text_agent.lazy_regex import late_pattern

_FENCE_LINE = late_pattern(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
# What ends a sentence, in the scripts that have a sign of their own for it.
_TERMINALS = ".!?\u2026\u3002\uff01\uff1f\uff0e\uff61\u0964\u0965\u061f\u06d4\u0589\u1362\u17d4\u104b"
_SENTENCE_END = late_pattern(
    rf"[{_TERMINALS}][)\]}}\"'\u00bb\u201d\u2019\u300d\u300f*_`]*(?=\s|$)|[\u3002\uff01\uff1f]"
)
# What never ends a text: more was to come.
_OPENERS = ",;:([{<=+/\\\u2013\u2014\uff0c\u3001\uff1b\uff1a\uff08\u300c\u300e\u201c\u201e\u00ab\u060c\u061b"
# Marks around words, and those of a row of a table.
_MARKS = "*_~\"'\u201d\u2019\u00bb\u300d\u300f)]}\uff09>|"
_ITEM = late_pattern(r"(?:[-*+\u2022]|\d+[.)]|#{1,6}|\|)\s")
# The head of a call, up to its name, and the beginning of a tag of one.
_CALL_HEAD = late_pattern(
    r"[\s*_`>#-]*tool[*_`]*\s*:[\s*_`]*[\w.-]*|.*<[|\uff5c]?/?(?:tool|func|invo|param|arg)[\w:|\u2581-]*",
    re.IGNORECASE,
)
# Words from which on a line without an end is the beginning of a sentence, not a name or a number.
_SENTENCE_WORDS = 4
# The same in characters of scripts that write no blanks between words.
_SENTENCE_CHARS = 8
_UNSPACED = late_pattern("[\u3040-\u30ff\u3400-\u9fff]")


def has_open_fence(text: str) -> bool:
    """Whether a fenced block of `text` is not closed."""
    fence = ""
    for match in _FENCE_LINE.finditer(text):
        if not fence:
            fence = match[1]
        elif match[1].startswith(fence):
            fence = ""
    return bool(fence)


def breaks_off(text: str) -> bool:
    """Whether a text ends in the middle of a sentence, a block or a word.

    A number, a name, a path and a few words need no full stop; nor does an item of a list whose other items
    have none.
    """
    text = text.rstrip()
    *before, line = text.split("\n")
    line = line.strip()
    if has_open_fence(text):
        return True
    if not line or line.startswith(("```", "~~~")):
        return False
    if line.count("`") % 2 or _CALL_HEAD.fullmatch(line):
        return True
    bare = line.rstrip(_MARKS)
    if not bare or _is_end(bare[-1]):
        return False
    if bare[-1] in _OPENERS:
        return True
    if _ITEM.match(line) and any(_ITEM.match(each.strip()) and not _ends(each) for each in before):
        return False
    return _is_sentence(line.removesuffix("`"))


def _is_sentence(line: str) -> bool:
    """Whether a line that does not end is the beginning of a sentence."""
    tail = _SENTENCE_END.split(line)[-1].strip()
    if tail != line.strip() and any(letter.isalpha() for letter in tail):
        return True
    if len(_UNSPACED.findall(tail)) >= _SENTENCE_CHARS:
        return True
    told = tail.strip("-*+#|> ").split()
    spoken = [word for word in told if word.strip("'\u2019,;*_").replace("'", "").isalpha()]
    if len(told) < 2:
        return False
    return len(spoken) >= _SENTENCE_WORDS or any(words("small").fullmatch(told[end]) for end in (0, -1))


def _ends(line: str) -> bool:
    bare = line.rstrip().rstrip(_MARKS)
    return not bare or _is_end(bare[-1])


def _is_end(character: str) -> bool:
    """Whether a sentence may end with it: a full stop of any script, or a picture."""
    return character in f"{_TERMINALS}\ufe0f" or unicodedata.category(character) in ("So", "Sk", "Cf")
