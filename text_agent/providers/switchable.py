"""A provider in whose place another one can be put while a chat goes on."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from text_agent.providers.base import Provider

if TYPE_CHECKING:
    from text_agent.messages import CompletionRequest, ReplyPiece


class SwitchableProvider:
    """Asks whichever provider was put in last."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    @property
    def name(self) -> str:
        """The current provider's."""
        return self._provider.name

    @property
    def model(self) -> str:
        """The current provider's."""
        return self._provider.model

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Asks the current provider."""
        return self._provider.complete(request)

    def context_tokens(self) -> int | None:
        """The current provider's."""
        return self._provider.context_tokens()

    def close(self) -> None:
        """Closes the current provider."""
        self._provider.close()

    def switch(self, provider: Provider) -> None:
        """Takes `provider` from now on, and closes the one before."""
        self._provider, former = provider, self._provider
        former.close()
