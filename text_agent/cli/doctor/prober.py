"""Puts small questions to a model, and notes how it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field

from text_agent.config.limits import PROBE_TOKENS, THINKING_PROBE_TOKENS
from text_agent.messages import (
    CompletionRequest,
    Message,
    ReasoningDelta,
    ReplyEnd,
    ReplyPiece,
    ReplyRestarted,
    TextDelta,
)
from text_agent.protocol import ToolDescriptions, parse_reply
from text_agent.protocol.types import ParsedReply
from text_agent.providers.base import Provider


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to a question.

    Attributes:
        text: of the reply.
        reasoning: what the endpoint reported apart from it.
        parsed: what the text says.
        is_cut: the limit of the reply ended it.
        pieces: in how many it came.
        first_seconds: until the first one.
    """

    text: str
    reasoning: str
    parsed: ParsedReply
    is_cut: bool
    pieces: int
    first_seconds: float

    @property
    def thinks_in_text(self) -> bool:
        """Whether it holds thinking."""
        return any(part.kind == "thinking" for part in self.parsed.parts)

    @property
    def is_unfinished(self) -> bool:
        """Whether the limit came before anything was said; hidden thinking takes tokens, too."""
        return self.is_cut and not self.parsed.calls and not self.parsed.prose.strip()


class Prober:
    """Asks a model, with short limits; one that thinks gets a longer one from then on.

    Args:
        provider: the model.
        system: the system prompt.
        tools: that it tells of.
        clock: in seconds.
    """

    def __init__(
        self,
        provider: Provider,
        system: str,
        tools: ToolDescriptions,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider = provider
        self._system = system
        self._tools = tools
        self._clock = clock
        self._limit = PROBE_TOKENS

    @property
    def limit(self) -> int:
        """The tokens that an answer may have."""
        return self._limit

    def ask(self, *texts: str, stop: tuple[str, ...] = (), grammar: str = "") -> Answer:
        """Asks a question.

        Args:
            texts: the user's and the model's in turn; the last is the question.
            stop: texts at which the reply may end.
            grammar: that the reply must keep to.

        Raises:
            ProviderError: there was no answer.
        """
        answer = self._ask(texts, stop, grammar)
        if answer.is_unfinished and self._limit < THINKING_PROBE_TOKENS:
            self._limit = THINKING_PROBE_TOKENS
            answer = self._ask(texts, stop, grammar)
        return answer

    def _ask(self, texts: tuple[str, ...], stop: tuple[str, ...], grammar: str) -> Answer:
        messages = tuple(
            Message("assistant" if number % 2 else "user", text) for number, text in enumerate(texts)
        )
        request = CompletionRequest(self._system, messages, self._limit, stop, grammar)
        came = _Came(self._clock, self._clock())
        came.collect(self._provider.complete(request))
        return came.answer(self._tools)


@dataclass(slots=True)
class _Came:
    """What has come of a reply."""

    clock: Callable[[], float]
    began: float
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    first: float | None = None
    is_cut: bool = False

    def collect(self, pieces: Generator[ReplyPiece, None, None]) -> None:
        with closing(pieces):
            for piece in pieces:
                match piece:
                    case TextDelta(text=text) if text:
                        self._take(self.text, text)
                    case ReasoningDelta(text=text) if text:
                        self._take(self.reasoning, text)
                    case ReplyRestarted():
                        self.text, self.reasoning = [], []
                    case ReplyEnd(stop_reason=reason):
                        self.is_cut = reason == "max_tokens"
                    case _:
                        pass

    def _take(self, into: list[str], text: str) -> None:
        into.append(text)
        self.first = self.clock() if self.first is None else self.first

    def answer(self, tools: ToolDescriptions) -> Answer:
        text = "".join(self.text)
        return Answer(
            text,
            "".join(self.reasoning),
            parse_reply(text, tools),
            self.is_cut,
            len(self.text) + len(self.reasoning),
            (self.clock() if self.first is None else self.first) - self.began,
        )
