"""What the agent expects of a model's endpoint."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from text_agent.messages import CompletionRequest, ReplyPiece
    from text_agent.providers.models import Model


class Provider(Protocol):
    """An adapter to one API, for one model."""

    @property
    def name(self) -> str:
        """Which API this speaks: `anthropic`, `openai` or `local`."""
        ...

    @property
    def model(self) -> str:
        """The model's name as the endpoint knows it."""
        ...

    @property
    def takes_grammar(self) -> bool:
        """Whether replies are to be held to a grammar: the user says so, or it is known to be obeyed."""
        ...

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Sends one request and yields the reply as it comes; the last piece is a `ReplyEnd`.

        What came before a `ReplyRestarted` is void: the request failed, and is sent again.

        Closing the iterator early ends the request.

        Raises:
            ProviderError: the endpoint gave no complete reply. Nothing of a partial one may run.
        """
        ...

    def described(self) -> Model:
        """The model as its endpoint describes it; nothing but its name where the endpoint does not tell.

        Sends nothing but `GET` requests, and raises nothing: a failure is no answer.
        """
        ...

    def context_tokens(self) -> int | None:
        """The tokens that a prompt and its reply may have together; None if the endpoint does not tell.

        Sends nothing but `GET` requests, and raises nothing: a failure is no answer.
        """
        ...

    def listed_models(self) -> tuple[Model, ...]:
        """The models that could be taken in this one's place, with what is told of them.

        Raises:
            ProviderError: the endpoint cannot be asked, or has no list.
        """
        ...

    def close(self) -> None:
        """Frees what the provider holds: connections, or a model in memory."""
        ...


class SetupListener(Protocol):
    """The person who waits while a provider is made ready."""

    def say(self, line: str) -> None:
        """Tells one line."""
        ...

    def confirm(self, question: str) -> bool:
        """Asks a yes-or-no question; without a terminal the answer is yes."""
        ...

    def progress(self, label: str, done: int, total: int) -> None:
        """Shows how far a long step is, in bytes; called with `done == total` at its end."""
        ...
