"""What is printed in place of a character that the encoding cannot show: one that looks like it."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping

LOOK_ALIKE = "text-agent-look-alike"
"""The name of the encoding error handler."""

# One character each, of one cell: lines keep their width.
_LOOK_ALIKES: Mapping[str, str] = {
    **dict.fromkeys("\u2018\u2019\u201a\u2032\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2500\u2501\u2550", "-"),
    **dict.fromkeys("\u2502\u2503\u2551\u258c\u258e", "|"),
    **dict.fromkeys("\u250c\u2510\u2514\u2518\u251c\u2524\u252c\u2534\u253c\u256d\u256e\u256f\u2570", "+"),
    **dict.fromkeys("\u2022\u25cf\u25e6\u00b7\u2219\u25aa", "*"),
    **dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f", " "),
    "\u2026": ".",
    "\u2192": ">",
    "\u2190": "<",
    "\u2713": "+",
    "\u2714": "+",
    "\u2717": "x",
    "\u2718": "x",
    "\u00d7": "x",
    "\u2264": "<",
    "\u2265": ">",
}


def replace_unknown(name: str, replacement: Callable[[str], str]) -> None:
    """Makes an encoding error handler known that puts another text in the place of each character."""

    def replace(error: UnicodeError) -> tuple[str | bytes, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        return "".join(map(replacement, error.object[error.start : error.end])), error.end

    codecs.register_error(name, replace)


replace_unknown(LOOK_ALIKE, lambda character: _LOOK_ALIKES.get(character, "?"))


def is_ascii_locale(environment: Mapping[str, str]) -> bool:
    """Whether the user's locale is C, in so many words: the terminal may know no more than ASCII.

    Python itself takes UTF-8 then. Whoever tells it an encoding for this program has said it, though.
    """
    if environment.get("PYTHONIOENCODING") or environment.get("PYTHONUTF8"):
        return False
    names = (environment.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    return next((name for name in names if name), "") in ("C", "POSIX")
