"""Reads a reply while it arrives.

The outcome is always that of the whole text. What is certain before that is told as events. The parser's pass
goes on with every piece behind the last step that no further text can change, so that each step is taken
about once. Only what is still open, such as a call whose end has not come, is read again and again; should
that come to cost more than the text is long, it is read again only when it has grown by an eighth.
"""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.holding import held_from, may_begin
from text_agent.protocol.reading.parser import parse_reply, parse_source
from text_agent.protocol.reading.quoting import INVENTED, INVENTED_AFTER_CALL
from text_agent.protocol.reading.reading import Reading
from text_agent.protocol.reading.reply_events import ReplyEvent
from text_agent.protocol.reading.reply_pass import Pass
from text_agent.protocol.reading.source import Source
from text_agent.protocol.reading.telling import Telling
from text_agent.protocol.reading.transport import has_only_crlf
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ParsedReply, ToolCall

# A fence behind a call that lacks nothing is an invented result too; it needs its whole line.
_TRIGGER = late_pattern(
    rf"(?:{INVENTED.pattern}|{INVENTED_AFTER_CALL.pattern}|[ \t]*+(?:`{{3,}}+|~{{3,}}+)[^`\n]*+\n)(?=[\s\S])",
    re.IGNORECASE | re.MULTILINE,
)
_OVERLAP = 200
# What reading again may cost, in characters: for any reply, for each character of it, and for one look. Where
# an invented result may begin, it may cost more: nothing is worth reading behind it.
_FREE_WORK = 1 << 20
_WORK_PER_CHARACTER = 8
_WORK_PER_LOOK = 200
_MORE_FOR_TRIGGERS = 4

# More of the line that decides nothing, unless the end of it may be the beginning of a token that is a word.
_DULL = late_pattern(r"(?!.*\b[ctf]\w{0,10}\Z)[\w ,.;!?']+", re.ASCII)


class ReplyReader:
    r"""Reads one reply from its pieces, of any size. No method raises.

    Args:
        tools: the tools that exist, by name.

    Attributes:
        ended: whether nothing further can count: an invented result has begun, and the request may stop.

    >>> reader = ReplyReader(tools)
    >>> for piece in ("I look", ".\ntool: read_note(", '{"name": "a"})'):
    ...     for event in reader.feed(piece):
    ...         print(type(event).__name__)
    Prose
    Prose
    CallBegun
    ArgumentsSoFar
    ArgumentsSoFar
    >>> reader.finish()[-1].call.arguments
    {'name': 'a'}
    """

    def __init__(self, tools: ToolDescriptions) -> None:
        self.ended = False
        self._tools = tools
        self._pieces: list[str] = []
        self._length = 0
        self._tail = ""
        self._work = 0
        self._open = 0
        self._certain = Pass(Reading(Source(""), tools))
        self._events = Telling()

    def feed(self, piece: str) -> list[ReplyEvent]:
        """Adds the next piece.

        Returns:
            What it makes certain, in order; nothing once the reply has ended.
        """
        self._pieces.append(piece)
        self._length += len(piece)
        recent = self._tail + piece
        self._tail = recent[-_OVERLAP:]
        if self.ended or not piece:
            return []
        if _DULL.fullmatch(piece) and (event := self._events.go_on(piece, self._length)):
            return [event]
        return self._look() if self._may_look(recent, len(piece)) else []

    def finish(self, reply: ParsedReply | None = None) -> list[ReplyEvent]:
        """The events that were left, once all of the reply has come.

        Args:
            reply: what the whole reply says, where that is known already.
        """
        text = self._joined()
        reply = reply or parse_reply(text, self._tools)
        self._events.tell_parts(text, reply.parts, len(text), is_open=False)
        self._events.tell_all(text, reply)
        return self._events.take()

    def reply(self) -> ParsedReply:
        """What all that has come says: equal to `parse_reply` of it, wherever it was cut into pieces."""
        return parse_reply(self._joined(), self._tools)

    def _joined(self) -> str:
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def _may_look(self, recent: str, new: int) -> bool:
        still_open = self._length - self._certain.position
        cost, allowed = self._work + still_open, _FREE_WORK + _WORK_PER_CHARACTER * self._length
        if cost > allowed and still_open < self._open + self._open // 8:
            triggers = (match for match in _TRIGGER.finditer(recent) if match.end() >= len(recent) - new)
            if cost > _MORE_FOR_TRIGGERS * allowed or not any(triggers):
                return False
        self._open, self._work = still_open, cost + _WORK_PER_LOOK
        return True

    def _look(self) -> list[ReplyEvent]:
        """Takes the pass on as far as the text goes."""
        text = self._joined()
        source = Source(text)
        current = self._certain.continued(Reading(source, self._tools))
        self._certain = current.copy()
        last_line = text.rfind("\n") + 1
        while current.goes_on:
            start, count = current.position, len(current.calls)
            current.step()
            if source.reached_end or current.position > last_line:
                continue
            is_call = len(current.calls) > count and isinstance(current.calls[-1], ToolCall)
            if is_call or not may_begin(text, start, current.position):
                self._certain = current.copy()
        self._tell(current)
        if current.invented_at is not None and not source.reached_end:
            self._end(text)
        return self._events.take()

    def _end(self, text: str) -> None:
        """Ends the reply if the whole of it says so too: what is behind its end is never read."""
        source = Source(text)
        parsed = parse_source(source, self._tools)
        self.ended = (
            parsed.invented_at is not None
            and not source.reached_end
            and not has_only_crlf(text.removesuffix("\r"))
        )
        self._work += len(text)

    def _tell(self, current: Pass) -> None:
        certain, text = self._certain, current.text
        self._events.drop_gone(current.calls)
        if "\r" not in text:  # a call that holds a text in CRLF may yet be read in LF
            self._events.tell_settled(certain)
        open_calls = current.calls[certain.settled_calls :]
        parts = current.parts(min(self._events.text_to, certain.position))
        held = held_from(text, parts, certain.position)
        limit = max(certain.position, min([held, *(call.span[0] for call in open_calls)]))
        self._events.tell_parts(text, parts, len(text[:limit].rstrip()), is_open=True)
        self._events.tell_open(text, open_calls)
