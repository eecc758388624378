"""How much of a model's context a prompt and a reply may take."""

from __future__ import annotations

from dataclasses import dataclass

from text_agent.config.limits import CONTEXT_MARGIN_SHARE, MIN_REPLY_TOKENS, REPLY_SHARE


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
