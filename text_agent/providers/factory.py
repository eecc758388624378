"""From the settings to a provider; a vendor's SDK is imported for its own host alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from text_agent.config.settings import Settings
from text_agent.errors import ConfigError
from text_agent.providers.base import Provider, SetupListener
from text_agent.providers.defaults import ANTHROPIC_MODEL
from text_agent.providers.deferred import DeferredProvider
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.known import NOTHING_KNOWN, KnownEndpoint, KnownEndpoints
from text_agent.providers.urls import (
    ANTHROPIC_HOST,
    OPENAI_HOST,
    anthropic_base_url,
    is_same_host,
    openai_base_url,
    query_of,
)
from text_agent.text.masking import Masker

if TYPE_CHECKING:
    from text_agent.providers.request_log import RequestLog
    from text_agent.providers.transport import Patience


def create_provider(
    settings: Settings,
    listener: SetupListener,
    *,
    known: KnownEndpoints | None = None,
    patience: Patience | None = None,
) -> Provider:
    """Makes the provider that the settings name.

    Sends nothing, except a `GET` for the list of models where no model is named; `local` may fetch one.

    Args:
        settings: name it.
        listener: the person who waits.
        known: what is known of endpoints; None: nothing.
        patience: how long to wait for an endpoint; None takes the usual.

    Raises:
        ConfigError: a key or a model is missing, or a setting cannot be right.
        ProviderError: the endpoint could not tell its models.
    """
    match settings.provider:
        case "anthropic":
            return _create_anthropic(settings, known, patience)
        case "openai":
            return _create_openai(settings, listener, known, patience)
        case "local":
            from text_agent.providers.local.provider import create_local_provider

            return create_local_provider(settings, listener, create_log(settings))


def adapter_modules(settings: Settings) -> list[str]:
    """What `create_provider` will import that takes long; a local model is made at once."""
    match settings.provider:
        case "anthropic":
            is_vendor = is_same_host(settings.base_url or ANTHROPIC_HOST, ANTHROPIC_HOST)
            return ["text_agent.providers." + ("anthropic_sdk" if is_vendor else "anthropic")]
        case "openai":
            return ["text_agent.providers.openai_compatible"]
        case "local":
            return []


def _create_anthropic(
    settings: Settings, known: KnownEndpoints | None, patience: Patience | None
) -> Provider:
    url = settings.base_url or ANTHROPIC_HOST
    base_url = anthropic_base_url(url)
    is_vendor = is_same_host(base_url, ANTHROPIC_HOST)
    secret = settings.api_key or settings.auth_token
    _check_key(secret, "ANTHROPIC_API_KEY", is_needed=is_vendor)
    model = settings.model or ANTHROPIC_MODEL
    log = create_log(settings)

    def make() -> Provider:
        from text_agent.providers.anthropic import PATH, AnthropicProvider
        from text_agent.providers.transport import PATIENCE

        kind = AnthropicProvider
        if is_vendor:
            from text_agent.providers.anthropic_sdk import SdkProvider as kind
        endpoint = _with_extras(Endpoint(base_url, PATH, model, "ANTHROPIC_API_KEY", secret), url, settings)
        endpoint = replace(endpoint, is_token=not settings.api_key and bool(secret))
        return kind(
            endpoint,
            known=_known(endpoint, known),
            patience=patience or PATIENCE,
            temperature=settings.endpoint.temperature,
            log=log,
        )

    return _deferred(settings, model, make)


def _create_openai(
    settings: Settings, listener: SetupListener, known: KnownEndpoints | None, patience: Patience | None
) -> Provider:
    url = settings.base_url or OPENAI_HOST
    base_url = openai_base_url(url)
    is_vendor = is_same_host(base_url, OPENAI_HOST)
    _check_key(settings.api_key, "OPENAI_API_KEY", is_needed=is_vendor)
    if is_vendor and not settings.model:
        raise ConfigError(
            "no model is named for the openai provider.",
            hint="Name one with --model or TEXT_AGENT_MODEL.",
        )

    log = create_log(settings)

    def make() -> Provider:
        from text_agent.providers.openai_compatible import PATH, OpenAIProvider, find_model
        from text_agent.providers.transport import PATIENCE

        endpoint = Endpoint(base_url, PATH, settings.model or "", "OPENAI_API_KEY", settings.api_key)
        endpoint = _with_extras(endpoint, url, settings)
        if not settings.model:
            endpoint = find_model(endpoint, patience=patience or PATIENCE, log=log, tell=listener.say)
        if endpoint.base_url != base_url:
            listener.say(f"The endpoint is at {endpoint.shown}.")
        return OpenAIProvider(
            endpoint,
            known=_known(endpoint, known),
            patience=patience or PATIENCE,
            temperature=settings.endpoint.temperature,
            grammar=settings.endpoint.grammar,
            log=log,
        )

    return _deferred(settings, settings.model, make)


def _deferred(settings: Settings, model: str | None, make: Callable[[], Provider]) -> Provider:
    """The provider; one that is made later where nothing has to be found out or checked before."""
    if model is None or settings.endpoint.ca_file:
        return make()
    return DeferredProvider(settings.provider, model, make)


def create_log(settings: Settings) -> RequestLog | None:
    """The log that the settings name, if they do.

    Raises:
        ConfigError: it cannot be written.
    """
    if not settings.endpoint.log:
        return None
    from text_agent.providers.request_log import RequestLog

    return RequestLog(settings.endpoint.log, Masker(settings.keys))


def _with_extras(endpoint: Endpoint, url: str, settings: Settings) -> Endpoint:
    """The endpoint with what the user has added to it."""
    return replace(
        endpoint,
        query=query_of(url),
        headers=settings.endpoint.headers,
        ca_file=settings.endpoint.ca_file,
    )


def _known(endpoint: Endpoint, known: KnownEndpoints | None) -> KnownEndpoint:
    return known.find(endpoint) if known else NOTHING_KNOWN


def _check_key(key: str | None, variable: str, *, is_needed: bool) -> None:
    if is_needed and not key:
        raise ConfigError(
            f"{variable} is not set, and the vendor's own host needs a key.",
            hint="Without a key: --provider local, or --provider openai with the --base-url of a local "
            "server, such as Ollama's http://localhost:11434/v1.",
        )
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigError(
            "the key has a character that no key has (a space, a line break, or one outside ASCII).",
            hint=f"Copy it again into {variable} or TEXT_AGENT_API_KEY.",
        )
