"""Keeps a conversation within its model's context, and counts what it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

from text_agent.agent.context.compactor import Compactor
from text_agent.agent.context.estimator import TokenEstimator, Window, units
from text_agent.agent.conversation import Conversation
from text_agent.agent.ledger import Ledger
from text_agent.agent.repetition import find_repetition
from text_agent.agent.runner import ToolRunner
from text_agent.config.limits import CONTEXT_TOKENS, LEAST_CUT_TOKENS
from text_agent.config.settings import Settings
from text_agent.errors import ContextWindowExceededError
from text_agent.events import (
    CompactionWay,
    ContextMeasured,
    ConversationCompacted,
    EventSink,
    Notice,
    RetryScheduled,
)
from text_agent.messages import CompletionRequest, Message, Reply, ReplyEnd, ReplyRestarted, TextDelta, Usage
from text_agent.providers.base import Provider
from text_agent.providers.servers import larger_context

# How often the endpoint is asked for its size: some know it only once the model is loaded.
_QUESTIONS = 2
# What a prompt that was refused has more than was estimated, where the server does not say how much.
_UNDERESTIMATED = 1.3
# The room for a prompt must be so many times the system prompt, or there is none for the work.
_LEAST_ROOM = 1.3
# The part of a refused prompt that a server may take which does not say its limit.
_UNDER_REFUSED = 0.9


class ContextKeeper:
    """Makes the requests of a conversation, each of them short enough for the model.

    A conversation is only appended to, until a request would be too long for the model.

    Attributes:
        ledger: what the requests have cost.
        system: the system prompt.
        has_lost: the server has not read all of the last request, which would be shorter now.
    """

    def __init__(
        self, provider: Provider, runner: ToolRunner, system: str, settings: Settings, sink: EventSink
    ) -> None:
        self.ledger = Ledger(settings.costs)
        self._provider = provider
        self._runner = runner
        self.system = system
        self._write_system: Callable[[int], str] | None = None
        self._sink = sink
        self._max_reply = settings.max_tokens
        self._estimator = TokenEstimator(system)
        self._compactor = Compactor(self._ask, runner, self._estimator)
        self._configured_limit = settings.context_tokens
        self.forget_model()

    def forget_model(self) -> None:
        """Another model answers from now on: what was learnt of the size of its context counts no more."""
        self._limit = self._configured_limit
        self._questions = 0 if self._limit else _QUESTIONS
        self._told_cut = self._told_small = self.has_lost = False
        self._estimator.most_read = 0

    def fit_system(self, write: Callable[[int], str]) -> None:
        """Lets `write` write the system prompt again once the size of the context is known, in tokens."""
        self._write_system = write

    @property
    def window(self) -> Window:
        """The model's context, as far as its size is known."""
        return Window(self._limit or CONTEXT_TOKENS, self._max_reply)

    def measure(self, conversation: Conversation) -> ContextMeasured:
        """How full the context is."""
        return ContextMeasured(self._estimator.estimate(conversation.wire()), self.window.limit)

    def request(self, conversation: Conversation) -> CompletionRequest:
        """The next request; the conversation is made shorter first where it must be."""
        self._fit(conversation)
        self._sink(self.measure(conversation))
        return self._request(conversation.wire(), self._max_reply)

    def note_reply(self, request: CompletionRequest, reply: Reply) -> None:
        """Counts what a reply has cost, and learns from what the server counted."""
        self.has_lost = False
        estimate = self._estimator.estimate(request.messages)
        written = self._estimator.tokens(units(reply.text) + units(reply.reasoning))
        self.ledger.add(reply.usage, Usage(estimate, written))
        self.learn_limit()
        # A gateway that puts a long prompt of its own before ours has cut nothing.
        count = reply.usage.input_tokens
        if count and not self._is_whole(request, reply.usage) and count < estimate:
            size = self._size_of(count)
            self._take_size(size, count, estimate)
            self.has_lost = size is not None and estimate > self.window.budget

    def _is_whole(self, request: CompletionRequest, usage: Usage) -> bool:
        """Whether the server has read the whole request, by what it has counted; learns from that, if so."""
        count, cached = usage.input_tokens or 0, usage.cached_tokens or 0
        if self._limit and 0 <= self._limit - count <= 1:
            return False
        if request.system != self.system:
            return self._estimator.accepts(request.system, request.messages, count + cached)
        # Some servers leave out what they had in their cache.
        return any(self._estimator.learn(request.messages, each) for each in (count, count + cached))

    def _size_of(self, count: int) -> int | None:
        """How large the context is of a server that has read `count` tokens of more; None: not to be told."""
        told = self._provider.described().context_tokens
        least = max(count, self._estimator.most_read)
        if told and least <= told < self.window.limit:
            return told
        usual = 1 << (least - 1).bit_length()
        # A longer prompt of the very same count: so much is read, and no more.
        size = usual if usual < self.window.limit and count != self._estimator.last_count else least
        return size if least >= LEAST_CUT_TOKENS and size < self.window.limit else None

    def _take_size(self, size: int | None, read: int, sent: int) -> None:
        """Keeps the requests to a context of this size from now on; the user is told, once, why."""
        if not self._told_cut:
            self._told_cut = True
            remedy = larger_context(self._provider.described().server)
            self._sink(Notice(_cut_prompt(read, sent, size, remedy)))
        if size:
            self._limit = size
            self._fit_texts(size)

    def note_unfinished(self, request: CompletionRequest, text: str) -> None:
        """Counts what a reply has cost that was not read to its end, as far as it came."""
        written = self._estimator.tokens(units(text))
        self.ledger.add(Usage(), Usage(self._estimator.estimate(request.messages), written))

    def make_room(self, conversation: Conversation, error: ContextWindowExceededError) -> None:
        """Shortens a conversation that the server has refused as too long.

        Raises `ContextWindowExceededError`: `error`, if nothing can be made shorter.
        """
        refused = self._request(conversation.wire(), self._max_reply)
        self._believe(refused, error.limit_tokens)
        self._fit(conversation)
        if self._request(conversation.wire(), self._max_reply) == refused:
            raise error

    def compact(self, conversation: Conversation) -> ConversationCompacted | None:
        """Puts a summary in the place of all but the beginning and the end, at the user's word.

        Returns None if there is too little to summarise, or the model wrote nothing. Raises `ProviderError`:
        the model could not be asked; the conversation is as it was.
        """
        messages = self._compactor.summarised(conversation.messages, self.window)
        return None if messages is None else self._replace(conversation, "summarised", messages)

    def _fit(self, conversation: Conversation) -> None:
        if self._estimator.estimate(conversation.wire()) > self.window.budget:
            self._warn_if_small()
            way, messages = self._compactor.shorter(conversation.messages, self.window)
            if tuple(messages) != conversation.messages:
                self._sink(self._replace(conversation, way, messages))

    def _warn_if_small(self) -> None:
        """Tells the user, once, if nothing that is said can make up for the size of the context."""
        instructions = self._estimator.system_tokens
        if not self._told_small and instructions * _LEAST_ROOM > self.window.budget:
            self._told_small = True
            self._sink(Notice(_too_small(self.window.limit, instructions)))

    def _replace(
        self, conversation: Conversation, way: CompactionWay, messages: Sequence[Message]
    ) -> ConversationCompacted:
        before = self._estimator.estimate(conversation.wire())
        conversation.replace(messages)
        self._runner.forget_shown()
        after = self._estimator.estimate(conversation.wire())
        return ConversationCompacted(way, before, after)

    def _request(self, wire: Sequence[Message], max_reply: int) -> CompletionRequest:
        room = self.window.reply_tokens(self._estimator.estimate(wire))
        return CompletionRequest(self.system, tuple(wire), min(room, max_reply))

    def _ask(self, wire: Sequence[Message], max_reply: int) -> str:
        """Asks for a text that belongs to no turn."""
        self._sink(Notice("(the model is asked for a summary of the conversation ...)"))
        request = self._request(wire, max_reply)
        text: list[str] = []
        end = ReplyEnd("other")
        with closing(self._provider.complete(request)) as pieces:
            for piece in pieces:
                if isinstance(piece, TextDelta):
                    text.append(piece.text)
                elif isinstance(piece, ReplyRestarted):
                    text.clear()
                    self._sink(RetryScheduled(piece.reason, piece.seconds, piece.attempt))
                elif isinstance(piece, ReplyEnd):
                    end = piece
        reply = Reply("".join(text), end.stop_reason, end.usage)
        self.note_reply(request, reply)
        # What is said over and over would be read again with every request from then on.
        repetition = find_repetition(reply.text, was_cut=end.stop_reason == "max_tokens")
        return reply.text[: repetition.at] if repetition else reply.text

    def learn_limit(self) -> None:
        """Asks the endpoint for the size of the context, if nobody has said it: before and after a reply."""
        if self._questions and not self._limit:
            self._questions -= 1
            self._limit = self._provider.context_tokens()
        if self._limit:
            self._fit_texts(self._limit)

    def _fit_texts(self, limit: int) -> None:
        """Fits the results, and the system prompt, to the size of the context."""
        if limit == self._runner.workspace.context_tokens:
            return
        self._runner.workspace.context_tokens = limit
        system = self._write_system(limit) if self._write_system else self.system
        if system != self.system:
            self.system = system
            self._estimator.begin_with(system)

    def _believe(self, refused: CompletionRequest, limit: int | None) -> None:
        """Takes from a refusal how large the context is, or that the prompt was longer than estimated."""
        estimate = self._estimator.estimate(refused.messages)
        if limit is None:
            limit = int(min(estimate, self.window.limit) * _UNDER_REFUSED)
        elif limit >= self.window.limit:
            least = max(int(estimate * _UNDERESTIMATED), limit - refused.max_tokens)
            self._estimator.correct(refused.messages, least)
        self._limit = min(limit, self._limit or limit)
        self._fit_texts(self._limit)


def _too_small(limit: int, instructions: int) -> str:
    return (
        f"the model's context of {limit:,} tokens is too small for this work: the instructions alone take "
        f"about {instructions:,}. Give the model at least 4,096, better 16,384."
    )


def _cut_prompt(read: int, sent: int, size: int | None, remedy: str) -> str:
    kept = f" From now on requests are kept to a context of {size:,} tokens." if size else ""
    return (
        f"the server has read only {read:,} of about {sent:,} tokens: it cuts the prompt, and the model does "
        f"not know its instructions any more.{kept} {remedy}."
    )
