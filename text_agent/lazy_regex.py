"""Patterns that are compiled when they are first used.

The program has hundreds of them, and a start uses a few: compiling all would take a third of our imports.
"""

from __future__ import annotations

import re
import sys
from typing import Any, AnyStr, cast


def late_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, but compiled by its first use; only `match.re` is another object.

    Args:
        source: the regular expression; that it is none is found out by the first use, too.
        flags: as for `re.compile`.
    """
    return cast("re.Pattern[AnyStr]", _LatePattern(source, flags))


def past(pattern: re.Pattern[str], text: str, position: int, end: int = sys.maxsize) -> int:
    """The place behind what `pattern` matches at `position`; that itself where it matches nothing."""
    match = pattern.match(text, position, end)
    return match.end() if match else position


class _LatePattern:
    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        """Takes a method of the pattern over for good: each is looked up once."""
        method = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, method)
        return method
