"""A provider whose errors say what has decided where requests go."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from text_agent.errors import ProviderError
from text_agent.providers.base import Provider
from text_agent.providers.wrapper import ProviderWrapper

if TYPE_CHECKING:
    from text_agent.messages import CompletionRequest, ReplyPiece


class OriginProvider(ProviderWrapper):
    """Wraps a provider; `origin` is a setting and its place, such as `OPENAI_BASE_URL in the environment`."""

    def __init__(self, provider: Provider, origin: str) -> None:
        super().__init__(provider)
        self._origin = origin

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Asks the wrapped provider."""
        with errors_with_origin(self._origin), closing(self._provider.complete(request)) as pieces:
            yield from pieces


@contextmanager
def errors_with_origin(origin: str) -> Iterator[None]:
    """Adds to the hint of what goes wrong meanwhile where the endpoint is set; nothing, if it is empty."""
    try:
        yield
    except ProviderError as error:
        if origin:
            error.hint = f"{error.hint} The endpoint is set by {origin}.".lstrip()
        raise
