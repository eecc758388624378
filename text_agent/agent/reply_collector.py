"""Puts a reply together from its pieces, and tells what comes."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace

from text_agent.agent.endings import judge_repetition
from text_agent.agent.repetition import RepetitionWatch, find_repetition
from text_agent.events import EventSink, Notice, ReasoningReceived, RetryScheduled, TextReceived
from text_agent.messages import (
    ReasoningDelta,
    Reply,
    ReplyEnd,
    ReplyNote,
    ReplyPiece,
    ReplyRestarted,
    TextDelta,
)
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.streaming import ReplyReader
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ParsedReply, Repetition


def _with_plain_breaks(pieces: Iterable[ReplyPiece]) -> Iterator[ReplyPiece]:
    r"""The pieces with every `\r\n` of the text as `\n`: between lines, it says nothing of what is meant."""
    held = ""
    for piece in pieces:
        match piece:
            case TextDelta(text=text):
                text = held + text
                held = "\r" if text.endswith("\r") else ""
                yield TextDelta(text.removesuffix(held).replace("\r\n", "\n"))
                continue
            case ReplyEnd() if held:
                yield TextDelta(held)
            case ReplyRestarted():
                held = ""
        yield piece


class ReplyCollector:
    """Collects one reply; one that is started again begins from nothing.

    Args:
        tools: the tools that exist, by name.
        sink: is told what comes.
    """

    def __init__(self, tools: ToolDescriptions, sink: EventSink) -> None:
        self._tools = tools
        self._sink = sink
        self._begin()

    @property
    def text(self) -> str:
        """The reply's text so far."""
        return "".join(self._text)

    def collect(self, pieces: Generator[ReplyPiece, None, None]) -> tuple[Reply, ParsedReply]:
        """Reads the reply to its end, or until nothing further of it can count."""
        end = ReplyEnd("stop_sequence")
        with closing(pieces):
            for piece in _with_plain_breaks(pieces):
                if isinstance(piece, ReplyEnd):
                    end = piece
                elif not self._take(piece):
                    break
        reply = Reply(self.text, end.stop_reason, end.usage, "".join(self._reasoning), end.may_have_stopped)
        return reply, self._parse(reply)

    def _parse(self, reply: Reply) -> ParsedReply:
        parsed = self._reader.finish()
        was_cut = reply.stop_reason == "max_tokens"
        if not self._runs_away and not was_cut:
            return parsed
        if said := find_repetition(reply.text, was_cut=was_cut):
            return judge_repetition(parsed, parse_reply(reply.text[: said.at], self._tools), said)
        if thought := find_repetition(reply.reasoning, was_cut=was_cut):
            return replace(parsed, repetition=Repetition(len(reply.text), thought.text))
        return parsed

    def _begin(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._reader = ReplyReader(self._tools)
        self._text_watch = RepetitionWatch()
        self._reasoning_watch = RepetitionWatch()
        self._runs_away = False

    def _take(self, piece: TextDelta | ReasoningDelta | ReplyNote | ReplyRestarted) -> bool:
        """Takes the next piece; False if nothing further can count."""
        match piece:
            case TextDelta(text=text):
                self._text.append(text)
                self._sink(TextReceived(text))
                self._runs_away = self._text_watch.feed(text)
                return self._reader.feed(text) and not self._runs_away
            case ReasoningDelta(text=text):
                self._reasoning.append(text)
                self._sink(ReasoningReceived(text))
                self._runs_away = self._reasoning_watch.feed(text)
                return not self._runs_away
            case ReplyNote(text=text):
                self._sink(Notice(text))
            case ReplyRestarted():
                self._begin()
                self._sink(RetryScheduled(piece.reason, piece.seconds, piece.attempt))
        return True
