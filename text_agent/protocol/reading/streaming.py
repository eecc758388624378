"""Reads a reply while it arrives, and says when nothing more of it can count.

The outcome is always that of the whole text. The only question while streaming is whether an invented
result has begun: what follows it is discarded, so the request may stop. That is asked only when a new
piece holds something that could be the beginning of one, and then of the parser itself: the answer
counts if the parse so far did not depend on where the text ends. Should such pieces come so often that
the questions would cost more than the text is long, only every doubling of the text is looked at.
"""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.parser import parse_reply, parse_source
from text_agent.protocol.reading.quoting import INVENTED, INVENTED_AFTER_CALL
from text_agent.protocol.reading.source import Source
from text_agent.protocol.reading.transport import has_only_crlf
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ParsedReply

# A fence behind a call that lacks nothing is an invented result too; it needs its whole line.
_TRIGGER = late_pattern(
    rf"(?:{INVENTED.pattern}|{INVENTED_AFTER_CALL.pattern}|[ \t]*+(?:`{{3,}}+|~{{3,}}+)[^`\n]*+\n)(?=[\s\S])",
    re.IGNORECASE | re.MULTILINE,
)
_OVERLAP = 200
_FREE_CHARACTERS = 65536
_WORK_PER_CHARACTER = 4


class ReplyReader:
    """Collects the pieces of one reply.

    Args:
        tools: the tools that exist, by name.
    """

    def __init__(self, tools: ToolDescriptions) -> None:
        self._tools = tools
        self._pieces: list[str] = []
        self._length = 0
        self._tail = ""
        self._work = 0
        self._last_look = 0
        self._ended = False

    def feed(self, piece: str) -> bool:
        """Adds the next piece; False as soon as nothing further can count."""
        self._pieces.append(piece)
        self._length += len(piece)
        if self._ended:
            return False
        recent = self._tail + piece
        triggers = list(_TRIGGER.finditer(recent))
        seen = triggers[-1].start() + 1 if triggers else 0
        self._tail = recent[max(seen, len(recent) - _OVERLAP) :]
        if triggers and self._may_look():
            self._ended = self._look()
        return not self._ended

    def finish(self) -> ParsedReply:
        """What the whole reply says."""
        return parse_reply("".join(self._pieces), self._tools)

    def _may_look(self) -> bool:
        allowed = _FREE_CHARACTERS + _WORK_PER_CHARACTER * self._length
        return self._work + self._length <= allowed or self._length >= 2 * self._last_look

    def _look(self) -> bool:
        text = "".join(self._pieces)
        self._pieces = [text]
        self._work += self._length
        self._last_look = self._length
        if has_only_crlf(text):
            return False
        source = Source(text)
        parsed = parse_source(source, self._tools)
        return parsed.invented_at is not None and not source.reached_end
