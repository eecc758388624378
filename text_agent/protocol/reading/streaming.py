"""Reads a reply while it arrives.

The outcome is always that of the whole text. What is certain before that is told as events. The parser's pass
goes on with every piece behind the last step that no further text can change, so that each step is taken
about once. Only what is still open, such as a call whose end has not come, is read again and again; should
that come to cost more than the text is long, it is read again only when it has grown by an eighth. What may
come to be a call with the text that follows is held back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import inline_examples, openers, signs, word_tokens
from text_agent.protocol.reading.fences import FENCE
from text_agent.protocol.reading.forms.dialects import mark_pattern
from text_agent.protocol.reading.parser import has_only_crlf, parse_reply, parse_source
from text_agent.protocol.reading.quoting import INVENTED, INVENTED_AFTER_CALL
from text_agent.protocol.reading.reading import Reading
from text_agent.protocol.reading.reply_events import ReplyEvent
from text_agent.protocol.reading.reply_pass import Pass
from text_agent.protocol.reading.source import Source
from text_agent.protocol.reading.telling import Telling
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ParsedReply, Part, ToolCall

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
