"""One pass over a reply, which can go on when more of it has come."""

from __future__ import annotations

import copy
import re
from typing import NamedTuple

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.reading.announcements import announces_example, words_before
from text_agent.protocol.reading.edits.reader import EditReader
from text_agent.protocol.reading.edits.takers import is_edit, is_told
from text_agent.protocol.reading.fences import FENCE, find_fence, is_last, read_block, read_call_fence
from text_agent.protocol.reading.forms.bare import read_bare
from text_agent.protocol.reading.forms.dialects import STRAY, mark_pattern, read_dialect
from text_agent.protocol.reading.forms.line_calls import read_line_call
from text_agent.protocol.reading.line_syntax import behind_separator
from text_agent.protocol.reading.outcome import Outcome
from text_agent.protocol.reading.quoting import QuotedSpans, is_invented
from text_agent.protocol.reading.reading import Found, Reading
from text_agent.protocol.reading.results import is_given, is_result
from text_agent.protocol.reading.shown import (
    element_end,
    is_code,
    is_in_item,
    is_in_sentence,
    is_left_open,
    is_possibility,
)
from text_agent.protocol.reading.thinking import (
    THINK_CLOSER,
    THINK_OPENER,
    stripped_thinking_end,
    thinking_end,
)
from text_agent.protocol.types import MalformedCall, ParsedReply, Part, Quotation, QuotationReason, ToolCall

_TOKEN = late_pattern(
    r"<\|(?:open|close)\|>\w{1,20}+<\|sep\|>|<\|[\w ]{1,40}+\|>(?:(?:assistant|final)\b)?"
    r"|</?s>|<[be]os>|<end_of_turn>"
)
_COMMENT, _COMMENT_END = "<!--", "-->"
_QUOTE_LINE = late_pattern(r"[ \t]*+>")
_BLANK = late_pattern(r"[ \t\r`*_]*+\n(?:[ \t\r]*+\n)*+")


class _Last(NamedTuple):
    """Where the call that stands last so far ends, its block included, and whether it stands in a fence."""

    end: int
    fenced: bool


class Pass:
    """One pass over a reply.

    Attributes:
        position: how far it has come: where a call may begin.
        invented_at: the character at which an invented result begins, behind which nothing counts.
        restarts: how often all that was found turned out to be thinking.
    """

    def __init__(self, reading: Reading) -> None:
        self.position = 0
        self.invented_at: int | None = None
        self.restarts = 0
        self._outcome = Outcome()
        self._edits = EditReader(reading)
        self._last: _Last | None = None
        self._paragraph_floor = 0
        self._shown_end = -1
        self._has_example = False
        self._weak = True
        self._begin(reading)

    def _begin(self, reading: Reading) -> None:
        self._reading = reading
        self._source = reading.source
        self.text = reading.text
        self._quoted = QuotedSpans(reading.source)
        self._mark = mark_pattern(reading.text)

    def continued(self, reading: Reading) -> Pass:
        """The same pass over a longer text."""
        other = self.copy()
        other._edits = self._edits.continued(reading)
        other._begin(reading)
        return other

    def copy(self) -> Pass:
        """The pass as it is now."""
        other = copy.copy(self)
        other._outcome = self._outcome.copy()
        other._edits = copy.copy(self._edits)
        return other

    @property
    def calls(self) -> list[ToolCall | MalformedCall]:
        """The calls and attempts so far."""
        return self._outcome.calls

    @property
    def settled_calls(self) -> int:
        """How many calls nothing more can belong to: the last one may lack a block that follows."""
        last = self.calls[-1] if self._last_before(self.position) else None
        return len(self.calls) - (self._reading.lacks_block(last) is not None)

    @property
    def goes_on(self) -> bool:
        """Whether there is a next step."""
        return self.position < self._source.end and self.invented_at is None

    def step(self) -> None:
        """Reads what begins at the position."""
        start = self.position
        end = (start == 0 and self._stripped_thinking()) or self._step(start)
        self.position = end if self.invented_at is not None else max(end, start + 1)

    def reply(self) -> ParsedReply:
        """What the reply says, once the pass is over."""
        return self._outcome.reply(self._reading, self.invented_at, has_example=self._has_example)

    def parts(self, start: int) -> tuple[Part, ...]:
        """What the reply consists of so far, from the part that holds `start` on."""
        return self._outcome.parts(self._reading, self.invented_at, start)

    def quotations(self, start: int) -> list[Quotation]:
        """What looks like a call and is none, from `start` to the position."""
        return self._outcome.quotations(self._reading, start, self.position)

    def _step(self, position: int) -> int:
        """Reads what begins at the fresh `position`; where the next fresh position is."""
        if self.text.startswith("\n", position):
            return position + 1
        if is_invented(self._source, position, after_call=bool(self.calls)):
            self.invented_at = position
            return position
        if match := FENCE.match(self.text, position):
            return self._fence(match)
        if found := self._call_at(position):
            return self._take_line(found)
        directly = self._last_before(position) is not None
        if self.calls and is_result(self._source, position, directly=directly):
            self.invented_at = position
            return position
        return self._rest_of_line(position)

    def _call_at(self, position: int) -> Found | None:
        found = read_line_call(self._reading, position)
        if found is None and self._weak:
            found = read_bare(self._reading, position)
        found = found or self._edits.at(position, self._paragraph_floor)
        if found is None:
            self._source.charge(position)
        return found

    def _take(self, found: Found, *, fenced: bool = False) -> int:
        """Adds what was found; where the text behind it goes on."""
        self._outcome.add(self._reading, found)
        self._paragraph_floor = found.end
        if found.items:
            self._last = _Last(found.end, fenced)
        return behind_separator(self.text, found.end)

    def _rest_of_line(self, position: int) -> int:
        """Looks for dialect tokens and thinking in the line; where the next fresh position is."""
        line_end = self._source.line_end(position)
        if _QUOTE_LINE.match(self.text, position):
            return self._source.next_line(position)
        mark = self._source.search(self._mark, position)
        while mark and mark.start() < line_end:
            if not self._quoted.holds(mark.start(), position):
                end = self._marked(mark.start())
                if end is not None:
                    return end
            mark = self._source.search(self._mark, mark.end())
        return self._source.next_line(position)

    def _marked(self, position: int) -> int | None:
        """Reads what begins with a token; None if the token means nothing."""
        if opener := THINK_OPENER.match(self.text, position):
            return self._pass_over(position, thinking_end(self._source, opener), "thinking")
        if closer := THINK_CLOSER.match(self.text, position):
            return self._orphan_closer(closer)
        if self.text.startswith(_COMMENT, position):
            end = self._source.find(_COMMENT_END, position)
            return None if end < 0 else self._pass_over(position, end + len(_COMMENT_END), "comment")
        if found := read_dialect(self._reading, position):
            return self._take_line(found)
        shown = element_end(self._source, position)
        if shown is not None:
            return self._show(position, shown)
        self._source.charge(position)
        token = STRAY.match(self.text, position) or _TOKEN.match(self.text, position)
        if token is None:
            return None
        self._outcome.removed.append(token.span())
        return token.end()

    def _stripped_thinking(self) -> int:
        end = stripped_thinking_end(self._source)
        return self._pass_over(0, end, "thinking") if end else 0

    def _pass_over(self, start: int, end: int, reason: QuotationReason) -> int:
        self._outcome.removed.append((start, end))
        self._outcome.inert.append((start, end, reason))
        self._last = None
        return end

    def _orphan_closer(self, closer: re.Match[str]) -> int:
        """All before a closer without an opener was thinking: the opener stood in the prompt."""
        self.calls.clear()
        self._outcome.inert.clear()
        self.restarts += 1
        self._paragraph_floor = closer.end()
        self._weak = True
        return self._pass_over(0, closer.end(), "thinking")

    def _fence(self, match: re.Match[str]) -> int:
        last = self._last_before(match.start())
        result = last is not None and self._lacks_nothing() and not is_last(self._source, match)
        if result and last and not last.fenced:
            self.invented_at = match.start()
            return match.start()
        if last and (end := self._block(last, match)) is not None:
            return end
        fence = find_fence(self._reading, match)
        words = words_before(self._source, fence.start, self._paragraph_floor)
        if announces_example(words):
            self._has_example = True
            return self._show(fence.start, fence.end)
        found = read_call_fence(self._reading, fence) or self._edits.in_fence(fence, self._paragraph_floor)
        if found and not (result and fence.closing.line is None):
            if self._is_shown(found, words) or is_in_item(self._source, fence.start, fence.column):
                return self._show(fence.start, fence.end)
            return self._take(found, fenced=True)
        self._source.charge(fence.start)
        between = self.text[self._last.end : fence.start] if self._last else None
        if result or (between is not None and is_given(between, fence, complete=self._lacks_nothing())):
            self.invented_at = fence.start
            return fence.start
        return self._show(fence.start, fence.end) if fence.closing.line else self._pass_stray_fence(match)

    def _is_shown(self, found: Found, words: str) -> bool:
        """Whether what stands before a fenced or indented call, or behind it, treats it as shown."""
        between = self._edits.words_behind(self._shown_end, found)
        # Behind an edit stands what it is for: only clear words make it a shown one.
        harmless = self._reading.only_look(found.items) or is_edit(found)
        return (
            not (words or between)
            or is_told(found, words)
            or is_in_sentence(self._source, words, found.end)
            or is_possibility(words, harmless=harmless)
            or is_left_open(self._source, found.end, harmless=harmless)
        )

    def _take_line(self, found: Found) -> int:
        """Adds a call that stands on a line of its own, unless it is shown."""
        start = self.text.rfind("\n", 0, found.start) + 1
        words = words_before(self._source, start, self._paragraph_floor)
        # An edit that stands in the text as it is, is often shown: as often as one in a fence.
        indented = is_code(self.text, start) or is_edit(found)
        adjacent = not self.text[start - 2 : start].isspace() or not start
        said = bool(words) and adjacent and is_possibility(words)
        shown = self._is_shown(found, words) if indented else said
        return self._show(found.start, found.end) if shown else self._take(found)

    def _pass_stray_fence(self, match: re.Match[str]) -> int:
        """A fence that is never closed hides nothing, but what it shows is no bare call."""
        self._weak = False
        self._paragraph_floor = match.end()
        return match.end()

    def _show(self, start: int, end: int) -> int:
        """Notes that the text from `start` to `end` is shown, and that no call in it runs."""
        self._outcome.inert.append((start, end, "example fence"))
        self._last, self._shown_end, self._paragraph_floor = None, end, end
        return end

    def _last_before(self, position: int) -> _Last | None:
        """The last call, if nothing but blank lines stands between it and `position`."""
        if self._last is None or isinstance(self.calls[-1], MalformedCall):
            return None
        return self._last if past(_BLANK, self.text, self._last.end) == position else None

    def _lacks_nothing(self) -> bool:
        """Whether the last call could be run as it is."""
        call = self.calls[-1]
        return isinstance(call, ToolCall) and self._reading.is_known(call) and not self._reading.missing(call)

    def _block(self, last: _Last, opener: re.Match[str]) -> int | None:
        """Makes the fence the text that the last call lacks; None if it lacks none."""
        call = self.calls[-1]
        parameter = self._reading.lacks_block(call)
        if parameter is None or not isinstance(call, ToolCall):
            return None
        self.calls[-1], end = read_block(self._reading, call, parameter, opener)
        self._outcome.removed.append((opener.start(), end))
        self._paragraph_floor = end
        self._last = _Last(end, last.fenced)
        return end
