"""What all providers share that stand before another one."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from text_agent.providers.base import Provider

if TYPE_CHECKING:
    from text_agent.messages import CompletionRequest, ReplyPiece
    from text_agent.providers.models import Model


class ProviderWrapper:
    """Asks another provider; what a wrapper adds is in its subclass."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    @property
    def name(self) -> str:
        """The wrapped provider's."""
        return self._provider.name

    @property
    def model(self) -> str:
        """The wrapped provider's."""
        return self._provider.model

    @property
    def takes_grammar(self) -> bool:
        """The wrapped provider's."""
        return self._provider.takes_grammar

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Asks the wrapped provider."""
        return self._provider.complete(request)

    def described(self) -> Model:
        """Asks the wrapped provider."""
        return self._provider.described()

    def context_tokens(self) -> int | None:
        """Asks the wrapped provider."""
        return self._provider.context_tokens()

    def listed_models(self) -> tuple[Model, ...]:
        """Asks the wrapped provider."""
        return self._provider.listed_models()

    def close(self) -> None:
        """Closes the wrapped provider."""
        self._provider.close()
