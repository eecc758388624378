"""What texts a word may become, where that can be seen from the word alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.words import Word

_ANSI_STRING = late_pattern(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = late_pattern(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,6}|[0-7]{1,3}|.)", re.DOTALL)
_SIGNS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "e": "\x1b",
    "E": "\x1b",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
}
_ALTERNATIVES = late_pattern(r"\{([^{}]*,[^{}]*)\}")
# Texts that one word is looked at for; nobody means more.
_MAX_TEXTS = 100


def texts_of(word: Word) -> Iterator[str]:
    """The word's own text, and what quotes of the form `$'...'` and alternatives in braces make of it."""
    yield word.text
    if not word.computed:
        return
    waiting, count = [_ANSI_STRING.sub(lambda found: _decoded(found[1]), word.text)], 0
    while waiting and count < _MAX_TEXTS:
        text, count = waiting.pop(), count + 1
        found = _ALTERNATIVES.search(text)
        if found:
            waiting += [text[: found.start()] + each + text[found.end() :] for each in found[1].split(",")]
        elif text != word.text:
            yield text


def _decoded(text: str) -> str:
    return _ESCAPE.sub(lambda found: _sign(found[1]), text).replace("\0", "")


def _sign(text: str) -> str:
    """What stands for the characters behind a backslash."""
    if text[0] in "xuU" and len(text) > 1:
        return chr(min(int(text[1:], 16), 0x10FFFF))
    return chr(int(text, 8) & 0xFF) if text[0] in "01234567" else _SIGNS.get(text, text)
