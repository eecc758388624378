"""A provider that is made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import cached_property
from typing import TYPE_CHECKING

from text_agent.providers.base import Provider

if TYPE_CHECKING:
    from text_agent.messages import CompletionRequest, ReplyPiece
    from text_agent.providers.models import Model


class DeferredProvider:
    """Stands for a provider whose imports take longer than anybody should wait for a prompt.

    Args:
        name: which API it speaks.
        model: its model.
        make: makes it.
    """

    def __init__(self, name: str, model: str, make: Callable[[], Provider]) -> None:
        self.name = name
        self.model = model
        self._make = make

    @cached_property
    def _provider(self) -> Provider:
        return self._make()

    def made(self) -> Provider:
        """The provider itself, made now if it was not yet."""
        return self._provider

    @property
    def takes_grammar(self) -> bool:
        """Whether replies are to be held to a grammar; see `Provider.takes_grammar`."""
        return self._provider.takes_grammar

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Sends one request and yields the reply as it comes; see `Provider.complete`."""
        return self._provider.complete(request)

    def described(self) -> Model:
        """The model; see `Provider.described`."""
        return self._provider.described()

    def context_tokens(self) -> int | None:
        """The size of the context; see `Provider.context_tokens`."""
        return self._provider.context_tokens()

    def listed_models(self) -> tuple[Model, ...]:
        """The models of the endpoint; see `Provider.listed_models`."""
        return self._provider.listed_models()

    def close(self) -> None:
        """Closes the provider, if it was made."""
        if "_provider" in vars(self):
            self._provider.close()
