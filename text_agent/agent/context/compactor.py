"""Makes a conversation shorter: gently where that is enough, by a summary of the model where not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from text_agent.agent.context.compaction import (
    Division,
    divide,
    shorten_results,
    squeeze,
    summary_of,
    summary_of_nobody,
)
from text_agent.agent.context.estimator import TokenEstimator, Window, message_units
from text_agent.agent.conversation import Conversation
from text_agent.agent.runner import ToolRunner
from text_agent.config.limits import (
    DROPPED_MAX_CHARS,
    DROPPED_REQUEST_CHARS,
    KEPT_SHARE,
    MIN_REPLY_TOKENS,
    SHORTENED_SHARES,
    SUMMARY_SHARE,
    SUMMARY_TOKENS,
)
from text_agent.errors import ProviderError
from text_agent.events import CompactionWay
from text_agent.messages import Message
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.templates import load_template
from text_agent.text.truncation import truncate

# Sends these messages, for a reply of at most so many tokens, and returns its text.
Ask = Callable[[Sequence[Message], int], str]


class Compactor:
    """Makes conversations shorter for one model.

    `ask`: sends messages to the model and returns its reply. `runner`: knows the tools, and what foreign
    texts hold. `estimator`: estimates tokens.
    """

    def __init__(self, ask: Ask, runner: ToolRunner, estimator: TokenEstimator) -> None:
        self._ask = ask
        self._runner = runner
        self._estimator = estimator

    def shorter(self, messages: Sequence[Message], window: Window) -> tuple[CompactionWay, list[Message]]:
        """The conversation in a form that fits the window, and how it was made.

        The results of old steps are shortened; if that is not enough, the model writes a summary; if it
        cannot, the middle is left out; and if even that is too long, the longest texts are cut.
        """

        def fit(shorter: Sequence[Message]) -> bool:
            return self._tokens(shorter) <= window.budget

        for whole, share in SHORTENED_SHARES:
            shortened = shorten_results(messages, whole)
            if self._tokens(shortened) <= self._estimator.system_tokens + self._room(window) * share:
                return "shortened", shortened
        division = self._divide(messages, window)
        if division is None:
            return "shortened", squeeze(shortened, fit)
        try:
            # Where the instructions alone are too long, every step would ask for a summary, and none helps.
            summary = self._summary(division, window) if self._room(window) else ""
        except ProviderError:
            summary = ""
        most = self._request_chars(window)
        head = division.head
        middle = summary_of(summary, head, most) if summary else summary_of_nobody(head, most)
        compacted = division.put_together(middle)
        return ("summarised" if summary else "dropped"), squeeze(compacted, fit)

    def summarised(self, messages: Sequence[Message], window: Window) -> list[Message] | None:
        """The conversation with a summary in the place of its middle.

        Returns None if it is too short for that, or the model has written nothing. Raises `ProviderError`:
        the model could not be asked.
        """
        division = self._divide(messages, window)
        summary = self._summary(division, window) if division else ""
        if not division or not summary:
            return None
        middle = summary_of(summary, division.head, self._request_chars(window))
        return division.put_together(middle)

    def _room(self, window: Window) -> int:
        """The tokens that the conversation may have."""
        return max(window.budget - self._estimator.system_tokens, 0)

    def _request_chars(self, window: Window) -> int:
        """The characters that the user's former requests may take: about a tenth of the room."""
        chars = self._estimator.units(self._room(window) // 10)
        return min(max(chars, 2 * DROPPED_REQUEST_CHARS), DROPPED_MAX_CHARS)

    def _tokens(self, messages: Sequence[Message]) -> int:
        return self._estimator.estimate(Conversation(messages).wire())

    def _divide(self, messages: Sequence[Message], window: Window) -> Division | None:
        room = self._estimator.units(int(self._room(window) * KEPT_SHARE))
        return divide(messages, message_units, room)

    def _summary(self, division: Division, window: Window) -> str:
        """What the model writes of the head, without calls; empty if it writes nothing."""
        length = max(min(SUMMARY_TOKENS, int(self._room(window) * SUMMARY_SHARE)), MIN_REPLY_TOKENS)
        instruction = Message("user", load_template("compact").template)

        def fit(head: Sequence[Message]) -> bool:
            return self._tokens([*head, instruction]) + length <= window.limit - window.margin

        head: Sequence[Message] = division.head
        if not fit(head):
            head = squeeze(shorten_results(head, 1), fit)
        text = self._ask(Conversation([*head, instruction]).wire(), length)
        words = parse_reply(text, self._runner.tools).prose.strip()
        return self._runner.adopt(truncate(words, max(self._estimator.units(length), 1_000)))
