"""How many tokens a prompt has, as the server counted it and estimated in between, and may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from text_agent.config.limits import CONTEXT_MARGIN_SHARE, MIN_REPLY_TOKENS, REPLY_SHARE, UNITS_PER_TOKEN
from text_agent.messages import Message

# What a chat template puts around a message, in units.
_MESSAGE_UNITS = 20
# An estimate is so much above what was learnt: new text may be denser than what the server has counted.
_CAUTION = 1.1
# No tokenizer makes tokens of fewer, or of more, units on average; a count that says so is none of the
# whole prompt.
_FEWEST_UNITS, _MOST_UNITS = 0.8, 8.0
# A token has fewer units in text of all but the wide scripts. Contexts are multiples of so many tokens: where
# exactly such a number is counted for a text that should have more, the context is full.
_PLAIN_UNITS, _CONTEXT_STEP = 5.0, 1024
# The part of an earlier count that a longer prompt has for certain.
_STEADY = 0.98


def units(text: str) -> int:
    """The size of a text in units, of which a token has about three, whatever the language.

    A unit is a byte of UTF-8. Wide scripts count for a third more, since tokenizers differ most in them.
    """
    size = len(text.encode("utf-8", "replace"))
    return size + (size - len(text)) // 2


def message_units(message: Message) -> int:
    """The size of a message in units, with what a chat template puts around it."""
    return units(message.content) + _MESSAGE_UNITS


@dataclass(frozen=True, slots=True)
class _Prompt:
    """Messages and their size in units, of which only the last message may still grow."""

    wire: tuple[Message, ...] = ()
    size: int = 0

    def is_start_of(self, wire: Sequence[Message]) -> bool:
        last = len(self.wire) - 1
        return (
            0 <= last < len(wire)
            and tuple(wire[:last]) == self.wire[:last]
            and wire[last].content.startswith(self.wire[last].content)
        )


class TokenEstimator:
    """Estimates the prompts of one model, and learns from what its server counts.

    `system`: the system prompt, with which every prompt begins.

    Attributes:
        last_count: the last count of a whole prompt.
        most_read: the largest one.
    """

    def __init__(self, system: str) -> None:
        self._units_per_token = UNITS_PER_TOKEN / _CAUTION
        self._measured = _Prompt()
        self.last_count = 0
        self.most_read = 0
        self.begin_with(system)

    def begin_with(self, system: str) -> None:
        """Every prompt begins with another system prompt from now on: what was counted counts no more."""
        self._system_units = units(system) + _MESSAGE_UNITS
        self._counted = _Prompt()

    @property
    def system_tokens(self) -> int:
        """About how many tokens the system prompt has."""
        return self.tokens(self._system_units)

    def estimate(self, wire: Sequence[Message]) -> int:
        """The tokens of the prompt with these messages: those that were counted, and the rest estimated."""
        size = self._size(wire)
        if self._counted.is_start_of(wire):
            return self.last_count + self.tokens(size - self._counted.size)
        return self.tokens(self._system_units + size)

    def tokens(self, size: int) -> int:
        """About how many tokens so many units are; rather more than fewer."""
        return int(size / self._units_per_token) + 1

    def units(self, tokens: int) -> int:
        """How many units fit into so many tokens; rather fewer than more."""
        return int(tokens * self._units_per_token)

    def learn(self, wire: Sequence[Message], count: int) -> bool:
        """Takes the server's count of a prompt.

        Returns whether it can be one of the whole prompt. It cannot if the server has cut it; then nothing is
        learnt.
        """
        size = self._size(wire)
        whole = self._system_units + size
        if not _can_be_whole(whole, count) or self._shrank(wire, count):
            return False
        self._units_per_token = whole / count / _CAUTION
        self._counted, self.last_count = _Prompt(tuple(wire), size), count
        self.most_read = max(self.most_read, count)
        return True

    def accepts(self, system: str, wire: Sequence[Message], count: int) -> bool:
        """Whether the server's count can be one of the whole prompt with another system prompt."""
        return _can_be_whole(units(system) + _MESSAGE_UNITS + self._size(wire), count)

    def correct(self, wire: Sequence[Message], tokens: int) -> None:
        """A prompt has at least `tokens`, more than was estimated."""
        whole = self._system_units + self._size(wire)
        self._counted = _Prompt()
        self._units_per_token = min(self._units_per_token, whole / tokens)

    def _size(self, wire: Sequence[Message]) -> int:
        """The units of the messages; those that were measured last time are not measured again."""
        start, size = 0, 0
        if self._measured.is_start_of(wire):
            start = len(self._measured.wire) - 1
            size = self._measured.size - message_units(self._measured.wire[-1])
        size += sum(map(message_units, wire[start:]))
        self._measured = _Prompt(tuple(wire), size)
        return size

    def _shrank(self, wire: Sequence[Message], count: int) -> bool:
        """Whether a prompt that only grew is said to be shorter than it can be.

        Only what the user's side added counts: templates may leave out the thinking of former replies.
        """
        if not self._counted.is_start_of(wire):
            return False
        new = wire[len(self._counted.wire) :]
        added = sum(units(message.content) for message in new if message.role == "user")
        if added and count == self.last_count:
            return True
        return count < _STEADY * self.last_count + added / _MOST_UNITS


def _can_be_whole(size: int, count: int) -> bool:
    """Whether so many tokens can be all of a prompt of so many units."""
    is_full = count % _CONTEXT_STEP == 0 and size > _PLAIN_UNITS * count
    return _FEWEST_UNITS * count <= size <= _MOST_UNITS * count and not is_full


@dataclass(frozen=True, slots=True)
class Window:
    """A context of a known size, in tokens."""

    limit: int  # what prompt and reply may have together
    max_reply: int  # the most that a reply may have

    @property
    def margin(self) -> int:
        """What stays free, since estimates err."""
        return int(self.limit * CONTEXT_MARGIN_SHARE)

    @property
    def budget(self) -> int:
        """What a prompt may have, so that there is room for a reply."""
        return self.limit - self.margin - min(self.max_reply, int(self.limit * REPLY_SHARE))

    def reply_tokens(self, prompt: int) -> int:
        """What a reply to a prompt of so many tokens may have."""
        return max(min(self.max_reply, self.limit - self.margin - prompt), MIN_REPLY_TOKENS)
