"""Puts small questions to a model, and notes how it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass

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
from text_agent.protocol import parse_reply
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ParsedReply
from text_agent.providers.base import Provider


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to a question.

    Attributes:
        reasoning: what the endpoint reported apart from the text.
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
    """Asks a model, with short limits; one that thinks gets a longer one from then on."""

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
        return self._collect(self._provider.complete(request), self._clock())

    def _collect(self, pieces: Generator[ReplyPiece, None, None], began: float) -> Answer:
        text: list[str] = []
        reasoning: list[str] = []
        first: float | None = None
        is_cut = False
        with closing(pieces):
            for piece in pieces:
                match piece:
                    case TextDelta(text=said) | ReasoningDelta(text=said) if said:
                        (text if isinstance(piece, TextDelta) else reasoning).append(said)
                        first = self._clock() if first is None else first
                    case ReplyRestarted():
                        text, reasoning = [], []
                    case ReplyEnd(stop_reason=reason):
                        is_cut = reason == "max_tokens"
                    case _:
                        pass
        whole, seconds = "".join(text), (self._clock() if first is None else first) - began
        parsed, count = parse_reply(whole, self._tools), len(text) + len(reasoning)
        return Answer(whole, "".join(reasoning), parsed, is_cut, count, seconds)
