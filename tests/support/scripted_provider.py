"""A provider in the process, for tests of the loop that need no HTTP."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

from text_agent.messages import CompletionRequest, Reply, ReplyEnd, ReplyPiece, TextDelta
from text_agent.providers.models import Model

Entry = str | Reply | BaseException | Callable[[CompletionRequest], "str | Reply"]


class ScriptedProvider:
    """Replies with the entries of a script, one a request; an exception is raised after its reply began.

    Attributes:
        requests: what was asked.
        closed_early: how many replies were not read to their end.
    """

    name = "scripted"
    model = "scripted-model"

    def __init__(
        self,
        script: Iterable[Entry],
        *,
        piece: int = 7,
        context_tokens: int | None = None,
        takes_grammar: bool = False,
    ) -> None:
        self.takes_grammar = takes_grammar
        self.requests: list[CompletionRequest] = []
        self.closed_early = 0
        self._script = list(script)
        self._piece = piece
        self._context_tokens = context_tokens

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Yields the next entry in small pieces."""
        self.requests.append(request)
        assert self._script, "one request more than the script has entries"
        entry = self._script.pop(0)
        if isinstance(entry, BaseException):
            yield TextDelta("It begins")
            raise entry
        entry = entry(request) if callable(entry) else entry
        reply = entry if isinstance(entry, Reply) else None
        text = reply.text if reply else str(entry)
        try:
            for start in range(0, len(text), self._piece):
                yield TextDelta(text[start : start + self._piece])
        except GeneratorExit:
            self.closed_early += 1
            raise
        yield ReplyEnd(reply.stop_reason, reply.usage) if reply else ReplyEnd("end_turn")

    def listed_models(self) -> tuple[Model, ...]:
        """Knows of no other."""
        return ()

    def described(self) -> Model:
        """Tells what it was made with."""
        return Model(self.model, context_tokens=self._context_tokens)

    def context_tokens(self) -> int | None:
        """Tells the size that it was made with."""
        return self._context_tokens

    def close(self) -> None:
        """Has nothing to free."""
