"""Sends a conversation to its model, and reads the reply."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from text_agent.agent.context.keeper import ContextKeeper
from text_agent.agent.conversation import Conversation
from text_agent.agent.endings import STOP
from text_agent.agent.reply_collector import ReplyCollector
from text_agent.errors import ContextWindowExceededError
from text_agent.events import EventSink
from text_agent.messages import CompletionRequest, Reply
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ParsedReply
from text_agent.providers.base import Provider


class Requests:
    """The requests of a session.

    Attributes:
        max_tokens: the limit of the last reply.
    """

    def __init__(
        self, provider: Provider, tools: ToolDescriptions, context: ContextKeeper, sink: EventSink
    ) -> None:
        self.max_tokens = 0
        self._provider = provider
        self._tools = tools
        self._context = context
        self._sink = sink
        self.allow_stop()

    def allow_stop(self) -> None:
        """Lets a stop text end replies, as at the beginning: another model answers from now on."""
        self._stop: tuple[str, ...] = (STOP,)

    def avoid_stop(self) -> None:
        """Sends no stop text any more: it may have taken something that counts."""
        self._stop = ()

    def learn_limit(self) -> None:
        """Learns the size of the model's context, if nobody has said it."""
        self._context.learn_limit()

    def complete(self, conversation: Conversation, system: str = "") -> tuple[Reply, ParsedReply]:
        """Sends the conversation; where it is too long after all, it is made shorter and sent once more.

        Args:
            conversation: also gets what came of a reply that the user interrupts.
            system: another system prompt than the usual one, for this request.

        Raises:
            ProviderError: the request failed.
            KeyboardInterrupt: the user interrupted.
        """
        try:
            return self._ask(conversation, system)
        except ContextWindowExceededError as error:
            self._context.make_room(conversation, error)
            return self._ask(conversation, system)

    def _ask(self, conversation: Conversation, system: str) -> tuple[Reply, ParsedReply]:
        request = self._prepared(self._context.request(conversation), system)
        self.max_tokens = request.max_tokens
        collector = ReplyCollector(self._tools, self._sink)
        try:
            reply, parsed = collector.collect(self._provider.complete(request))
        except KeyboardInterrupt:
            if collector.text:
                self._context.note_unfinished(request, collector.text)
                conversation.add_assistant(collector.text)
            raise
        self._context.note_reply(request, reply)
        return reply, parsed

    def _prepared(self, request: CompletionRequest, system: str) -> CompletionRequest:
        grammar = self._grammar if self._provider.takes_grammar else ""
        return replace(request, system=system or request.system, stop=self._stop, grammar=grammar)

    @cached_property
    def _grammar(self) -> str:
        # Imported here: most sessions need none.
        from text_agent.protocol.grammar.grammar import reply_grammar

        return reply_grammar(self._tools)
