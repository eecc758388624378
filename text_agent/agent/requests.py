"""Sends a conversation to its model, and reads the reply."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import cached_property

from text_agent.agent.context.keeper import ContextKeeper
from text_agent.agent.conversation import Conversation
from text_agent.agent.endings import STOP, judge_repetition
from text_agent.agent.repetition import RepetitionWatch, find_repetition
from text_agent.errors import ContextWindowExceededError
from text_agent.events import EventSink, Notice, ReasoningReceived, RetryScheduled, TextReceived
from text_agent.messages import (
    CompletionRequest,
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
from text_agent.providers.base import Provider


class Requests:
    """The requests of a session.

    Attributes:
        max_tokens: the limit of the last reply.
        context: keeps each request within the model's context.
    """

    def __init__(
        self, provider: Provider, tools: ToolDescriptions, context: ContextKeeper, sink: EventSink
    ) -> None:
        self.max_tokens = 0
        self._provider = provider
        self._tools = tools
        self.context = context
        self._sink = sink
        self.allow_stop()

    def allow_stop(self) -> None:
        """Lets a stop text end replies, as at the beginning: another model answers from now on."""
        self._stop: tuple[str, ...] = (STOP,)

    def avoid_stop(self) -> None:
        """Sends no stop text any more: it may have taken something that counts."""
        self._stop = ()

    def complete(
        self, conversation: Conversation, system: str = "", temperature: float | None = None
    ) -> tuple[Reply, ParsedReply]:
        """Sends the conversation; where it is too long after all, it is made shorter and sent once more.

        Raises `ProviderError`: the request failed; `KeyboardInterrupt`: the user interrupted.

        Args:
            conversation: also gets what came of a reply that the user interrupts.
            system: another system prompt than the usual one, for this request.
            temperature: for this request, where the user has set none; None leaves it to the endpoint.
        """
        try:
            return self._ask(conversation, system, temperature)
        except ContextWindowExceededError as error:
            self.context.make_room(conversation, error)
            return self._ask(conversation, system, temperature)

    def _ask(
        self, conversation: Conversation, system: str, temperature: float | None
    ) -> tuple[Reply, ParsedReply]:
        prepared = self._prepared(self.context.request(conversation), system)
        request = replace(prepared, temperature=temperature)
        self.max_tokens = request.max_tokens
        collector = ReplyCollector(self._tools, self._sink)
        try:
            reply, parsed = collector.collect(self._provider.complete(request))
        except KeyboardInterrupt:
            if collector.text:
                self.context.note_unfinished(request, collector.text)
                conversation.add_assistant(collector.text)
            raise
        self.context.note_reply(request, reply)
        return reply, parsed

    def _prepared(self, request: CompletionRequest, system: str) -> CompletionRequest:
        grammar = self._grammar if self._provider.takes_grammar else ""
        return replace(request, system=system or request.system, stop=self._stop, grammar=grammar)

    @cached_property
    def _grammar(self) -> str:
        # Imported here: most sessions need none.
        from text_agent.protocol.grammar.grammar import reply_grammar

        return reply_grammar(self._tools)


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
    """Collects one reply; one that is started again begins from nothing."""

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
        parsed = self._reader.reply()
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
                self._reader.feed(text)
                return not self._reader.ended and not self._runs_away
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
