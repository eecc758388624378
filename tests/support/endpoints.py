"""Providers for tests: each speaks its API with a scripted server (or with anything at a URL)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tests.support.scripted_server import ScriptedServer
from text_agent.messages import (
    CompletionRequest,
    Message,
    ReasoningDelta,
    Reply,
    ReplyEnd,
    ReplyPiece,
    ReplyRestarted,
    TextDelta,
)
from text_agent.providers.anthropic import PATH as ANTHROPIC_PATH
from text_agent.providers.anthropic import AnthropicProvider
from text_agent.providers.anthropic_sdk import SdkProvider
from text_agent.providers.base import Provider
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.openai_compatible import PATH as OPENAI_PATH
from text_agent.providers.openai_compatible import OpenAIProvider
from text_agent.providers.remote import RemoteProvider
from text_agent.providers.transport import Patience

Api = Literal["anthropic", "openai"]
# An API, and for the vendor's own host the SDK, which must make no difference.
Speaker = Literal["anthropic", "openai", "anthropic-sdk"]

APIS: tuple[Api, ...] = ("anthropic", "openai")
SPEAKERS: tuple[Speaker, ...] = (*APIS, "anthropic-sdk")
_KINDS: Mapping[Speaker, type[RemoteProvider]] = {
    "anthropic": AnthropicProvider,
    "openai": OpenAIProvider,
    "anthropic-sdk": SdkProvider,
}
HASTE = Patience(connect_seconds=2, idle_seconds=5)
HELLO = CompletionRequest("Be brief.", (Message("user", "Hello"),), max_tokens=64)


def endpoint(url: str, api: Speaker, *, secret: str | None = None, model: str = "scripted-model") -> Endpoint:
    """The endpoint of an API at a server's URL without a path."""
    if api != "openai":
        return Endpoint(url, ANTHROPIC_PATH, model, "ANTHROPIC_API_KEY", secret)
    return Endpoint(f"{url}/v1", OPENAI_PATH, model, "OPENAI_API_KEY", secret)


def provider(
    server: ScriptedServer | str,
    api: Speaker,
    *,
    secret: str | None = None,
    patience: Patience = HASTE,
    temperature: float | None = None,
) -> RemoteProvider:
    """A provider that speaks an API with a server."""
    url = server if isinstance(server, str) else server.url
    return _KINDS[api](endpoint(url, api, secret=secret), patience=patience, temperature=temperature)


def ask(
    server: ScriptedServer | str,
    api: Speaker,
    request: CompletionRequest = HELLO,
    *,
    secret: str | None = None,
    patience: Patience = HASTE,
) -> Reply:
    """One request and its whole reply, by a provider of its own."""
    speaker = provider(server, api, secret=secret, patience=patience)
    try:
        return whole_reply(speaker, request)
    finally:
        speaker.close()


def whole_reply(speaker: Provider, request: CompletionRequest = HELLO) -> Reply:
    """All pieces of a reply, put together; of one that was started again, those since."""
    pieces: list[ReplyPiece] = []
    for piece in speaker.complete(request):
        pieces = [] if isinstance(piece, ReplyRestarted) else [*pieces, piece]
    end = pieces[-1]
    assert isinstance(end, ReplyEnd)
    assert not any(isinstance(piece, ReplyEnd) for piece in pieces[:-1])
    text = "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))
    reasoning = "".join(piece.text for piece in pieces if isinstance(piece, ReasoningDelta))
    return Reply(text, end.stop_reason, end.usage, reasoning)
