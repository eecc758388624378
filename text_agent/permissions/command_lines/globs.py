"""What texts a word may become, as far as that can be seen from the word and the files.

Shells read patterns in different ways, by their options and the user's language. So a pattern is taken for
all names that some shell may take it for, and those that all shells read alike are told from the others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.words import Word

_ANSI_STRING = late_pattern(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = late_pattern(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,6}|[0-7]{1,3}|.)", re.DOTALL)
_SIGNS = dict(zip("ntreEabfv", "\n\t\r\x1b\x1b\a\b\f\v", strict=True))
# What stands for a variable that is not set, or that is.
_DEFAULT = late_pattern(r"\$\{\w+(?:\[[^]]*\])?:?[-=+]([^{}]*)\}")
_ALTERNATIVES = late_pattern(r"\{([^{}]*,[^{}]*|[^{}]*\.\.[^{}]*)\}")
# Texts that one word is looked at for; nobody means more.
_MAX_TEXTS = 100
_SPECIAL = late_pattern(r"[*?]+|\[\w+\]|[\[\]{].*", re.ASCII)
_PLAIN = late_pattern(r"(?:[^*?\[\](){}|\\]|\*(?!\*)|\?(?!\()|\[[a-zA-Z0-9_]+\])*", re.ASCII)


def texts_of(word: Word) -> Iterator[str]:
    """The word's own text, and what quotes of the form `$'...'`, defaults of variables and braces make of it.

    What a sequence in braces gives is written as the pattern `*`.
    """
    yield word.text
    if not word.computed:
        return
    waiting, count = [_ANSI_STRING.sub(lambda found: _decoded(found[1]), word.text)], 0
    while waiting and count < _MAX_TEXTS:
        text, count = waiting.pop(), count + 1
        if default := _DEFAULT.search(text):
            waiting.append(text[: default.start()] + default[1] + text[default.end() :])
        elif found := _ALTERNATIVES.search(text):
            alternatives = found[1].split(",") if "," in found[1] else ["*"]
            waiting += [text[: found.start()] + each + text[found.end() :] for each in alternatives]
        elif text != word.text:
            yield text


def is_plain_pattern(word: Word) -> bool:
    """Whether all shells read the patterns in a word alike."""
    return word.bare and _PLAIN.fullmatch(word.text) is not None


def names_of(text: str, root: Path) -> Iterator[str]:
    """The files that some shell may take a pattern for, as paths from `root` if it is one from there."""
    start = "/" if text.startswith("/") else ""
    yield from _names(start, [part for part in text.split("/") if part], root)


def _names(before: str, parts: Sequence[str], root: Path) -> Iterator[str]:
    if not parts:
        yield before
        return
    part, rest = parts[0], parts[1:]
    found = [part] if not _SPECIAL.search(part) else sorted(_fitting(part, root / before))
    for name in found:
        if os.path.lexists(root / before / name):
            yield from _names(f"{before}{name}" + ("/" if rest else ""), rest, root)


def _fitting(part: str, folder: Path) -> list[str]:
    """The names in a folder that fit a part of a pattern; a dot at the beginning must be written."""
    pieces = [re.escape(piece) for piece in _SPECIAL.split(part)]
    fits = re.compile(".*".join(pieces), re.DOTALL)
    try:
        names = os.listdir(folder)  # noqa: PTH208 - the folder may be no path that Python takes
    except (OSError, ValueError):
        return []
    return [name for name in names if (part[0] == "." or name[0] != ".") and fits.fullmatch(name)]


def _decoded(text: str) -> str:
    return _ESCAPE.sub(lambda found: _sign(found[1]), text).replace("\0", "")


def _sign(text: str) -> str:
    if text[0] in "xuU" and len(text) > 1:
        return chr(min(int(text[1:], 16), 0x10FFFF))
    return chr(int(text, 8) & 0xFF) if text[0] in "01234567" else _SIGNS.get(text, text)
