"""A provider through which no key passes: neither to the model, nor back, nor in an error."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace

from text_agent.messages import CompletionRequest, ReasoningDelta, ReplyEnd, ReplyPiece, TextDelta
from text_agent.providers.base import Provider
from text_agent.providers.growing import EachMessageOnce
from text_agent.providers.wrapper import ProviderWrapper
from text_agent.text.masking import Masker, StreamMasker, masked_errors


class MaskedProvider(ProviderWrapper):
    """Wraps a provider, and masks keys in all texts that pass."""

    def __init__(self, provider: Provider, mask: Masker) -> None:
        super().__init__(provider)
        self._mask = mask
        self._mask_messages = EachMessageOnce(lambda each: replace(each, content=mask(each.content)))

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        """Asks the wrapped provider."""
        messages = self._mask_messages(request.messages)
        request = replace(request, system=self._mask(request.system), messages=messages)
        with masked_errors(self._mask), closing(self._provider.complete(request)) as pieces:
            yield from self._masked(pieces)

    def _masked(self, pieces: Generator[ReplyPiece, None, None]) -> Generator[ReplyPiece, None, None]:
        text, reasoning = StreamMasker(self._mask), StreamMasker(self._mask)
        for piece in pieces:
            match piece:
                case TextDelta():
                    yield TextDelta(text.feed(piece.text))
                case ReasoningDelta():
                    yield ReasoningDelta(reasoning.feed(piece.text))
                case ReplyEnd():
                    yield ReasoningDelta(reasoning.finish())
                    yield TextDelta(text.finish())
                    yield piece
                case _:
                    yield piece
