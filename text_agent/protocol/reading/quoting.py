# ruff: noqa: RUF001 - the tokens of some models are made of such characters
"""What in a reply is not the model's own request: invented results and quotations.

invented result   a line `tool_result...`, or a result or role marker of another dialect; an
                  `Observation:` or a user's line once a call was written
quotation         what stands between backticks or quotation marks of one line
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import openers
from text_agent.protocol.reading.source import Source
from text_agent.protocol.types import Quotation, QuotationReason

INVENTED = late_pattern(rf"[ \t]*+(?:{openers('result', 'turn')})", re.MULTILINE | re.IGNORECASE)
_AFTER_CALL = (
    r"(?:#{1,6}[ \t]++)?[*_#]*+(?:observations?(?:[ \t]*+\d{1,3})?|user|human)[*_]*+[ \t]*+:",
    r"[*_#\[]*+[ \t]?tool[ _](?:outputs?|responses?|results?)(?:\]|[*_]*+[ \t]*+[:(])",
    r"<(?:observation|results?|output)>",
    r"#\d{1,4} \w{1,40} (?:ok|error|denied|not run)\b",
)
INVENTED_AFTER_CALL = late_pattern(rf"[ \t]*+(?:{'|'.join(_AFTER_CALL)})", re.IGNORECASE)

_CALL_SHAPE = late_pattern(
    r"\btool[*_`]{0,3}[ \t]{0,8}:[ \t*`_]{0,8}(?P<taught>[^\W\d][\w.-]{0,99}+)[`*]{0,3}[ \t]{0,8}[({]"
    r"|\b(?P<bare>[^\W\d]\w{0,99}+)\((?=\s{0,9}[{\"'\w)])"
    r"|[\"'](?:name|tool|tool_name|action)[\"']\s{0,9}:\s{0,9}[\"'](?P<json>\w{1,99}+)[\"']"
    r"|<function=(?P<function>[\w.-]{1,99}+)>|<invoke name=\"(?P<invoke>[\w.-]{1,99}+)\">"
    r"|<(?P<cline>[^\W\d]\w{0,99}+)>\s{0,9}<\w|\bAction:[ \t]{0,8}(?P<action>\w{1,99}+)[ \t]*\n"
    r"|<tool_call>\s{0,9}(?P<glm>\w{1,99}+)",
    re.IGNORECASE,
)
_WEAK_SHAPES = frozenset({"bare", "json", "cline", "glm", "action"})


def is_invented(source: Source, position: int, *, after_call: bool) -> bool:
    """Whether the line at `position` begins a result or a turn that is not the model's to write."""
    match = INVENTED.match(source.text, position) or (
        INVENTED_AFTER_CALL.match(source.text, position) if after_call else None
    )
    if match and match.end() == source.end:
        source.reached_end = True
    return match is not None


def quotations(
    source: Source, start: int, end: int, reason: QuotationReason, names: frozenset[str]
) -> Iterator[Quotation]:
    """The lines between `start` and `end` that look like calls, each once.

    `names` are those of the tools that exist: a shape that also other text has needs one of them.
    """
    position = start if _may_hold_call(source.text[start:end], names) else end
    while match := _CALL_SHAPE.search(source.text, position, end):
        position = match.end()
        kind = match.lastgroup or ""
        if kind in _WEAK_SHAPES and match.group(kind) not in names:
            continue
        first = max(start, source.text.rfind("\n", max(start, match.start() - 400), match.start()) + 1)
        position = max(position, min(source.line_end(match.start()), end))
        shown = source.text[max(first, match.start() - 400) : min(position, match.start() + 400)]
        yield Quotation(shown.strip(), reason, (match.start(), position))


def _may_hold_call(text: str, names: frozenset[str]) -> bool:
    """A fast look for the words without which no shape matches."""
    folded = text.casefold()
    return any(word in folded for word in ("tool", "function=", "invoke name=", "action")) or any(
        name in text for name in names
    )


class QuotedSpans:
    """What stands between backticks or quotation marks, found in one pass over each line."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._line_end = -1
        self._position = 0
        self._quoted_until = 0
        self._runs: dict[int, list[int]] = {}

    def holds(self, position: int, fresh: int) -> bool:
        """Whether `position` is quoted, on a line that was read up to `fresh`."""
        line_end = self._source.line_end(position)
        if line_end != self._line_end:
            self._begin_line(fresh, line_end)
        self._position = max(self._position, fresh)
        while self._quoted_until <= position and self._next_span(position):
            pass
        return self._position <= position < self._quoted_until or self._source.text[
            position - 1 : position
        ] in tuple("'‘`\"“")

    def _begin_line(self, fresh: int, line_end: int) -> None:
        self._line_end, self._position, self._quoted_until = line_end, fresh, fresh
        self._runs = {}
        for run in _BACKTICKS.finditer(self._source.text, fresh, line_end):
            self._runs.setdefault(len(run.group()), []).append(run.start())

    def _next_span(self, before: int) -> bool:
        """Moves to the next quoted span that begins before `before`; whether there is one."""
        mark = _QUOTE_MARK.search(self._source.text, max(self._position, self._quoted_until), before)
        if mark is None:
            self._position = self._quoted_until = max(self._quoted_until, before)
            return False
        closing = self._closing(mark)
        self._position = mark.start()
        self._quoted_until = mark.end() if closing is None else closing
        if closing is None and self._line_end == self._source.end:
            self._source.reached_end = True
        return True

    def _closing(self, mark: re.Match[str]) -> int | None:
        if mark.group()[0] == "`":
            runs = self._runs.get(len(mark.group()), [])
            index = bisect_right(runs, mark.start())
            return runs[index] + 1 if index < len(runs) else None
        at = self._source.find("”" if mark.group() == "“" else '"', mark.end(), decides=False)
        return at + 1 if 0 <= at < self._line_end else None


_BACKTICKS = late_pattern("`+")
_QUOTE_MARK = late_pattern(r"`++|“|(?<![\w\\])\"")
