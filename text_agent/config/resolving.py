"""Puts the settings together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from text_agent.config.secret_values import secrets_in_headers, secrets_in_url
from text_agent.config.settings import (
    SETTINGS,
    CostSettings,
    EndpointSettings,
    ProviderName,
    Settings,
    rows_of,
)
from text_agent.config.sources import Finder, Found, Source, Wish
from text_agent.config.table import Row, shown
from text_agent.errors import ConfigError

_ROWS = rows_of(Settings)
_HEADERS = rows_of(EndpointSettings)["headers"]
# What is read apart from the others: each depends on the provider.
_BY_PROVIDER = ("provider", "base_url", "api_key", "auth_token")
_KEYED: tuple[ProviderName, ...] = ("anthropic", "openai")
# What shows that a provider is meant although none is named, in this order.
_SIGNS: tuple[tuple[Row, ProviderName, str], ...] = (
    *(
        (_ROWS[name], provider, _ROWS[name].vendors[provider])
        for provider in _KEYED
        for name in ("api_key", "auth_token", "base_url")
        if provider in _ROWS[name].vendors
    ),
    (_ROWS["base_url"], "openai", _ROWS["base_url"].variable),
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings, and what the user has to agree to before they are used."""

    settings: Settings
    wishes: tuple[Wish, ...]


def resolve_settings(sources: Sequence[Source]) -> Resolved:
    """Puts the settings together: the first of `sources` that has a value wins.

    Args:
        sources: flags, environment, the project's `.env`, the user's files, in this order, and a profile
            behind the one that chooses it.

    Raises:
        ConfigError: no provider; or a setting cannot be right, or comes from where it must not.
    """
    finder = Finder(sources)
    named, decided = _provider(finder)
    endpoint = EndpointSettings(**_values(finder, EndpointSettings))
    costs = _checked(CostSettings(**_values(finder, CostSettings)))
    values = _values(finder, Settings)
    provider = named or "local"
    access = _access(finder, provider) if provider != "local" else {}
    values |= {name: found.value for name, found in access.items()}
    url = access.get("base_url")
    origin = url or decided
    settings = Settings(
        provider=provider,
        endpoint=endpoint,
        costs=costs,
        keys=(
            *_keys(sources),
            *(found.value for found in access.values() if found.row.is_secret),
            *secrets_in_headers(endpoint.headers),
            *secrets_in_url(url.value if url else ""),
        ),
        is_fallback=decided is None,
        endpoint_origin=origin.origin if origin else "",
        **{"project_view": True, **values},
    )
    return Resolved(settings, tuple(finder.wishes.values()))


def _access(finder: Finder, provider: ProviderName) -> dict[str, Found]:
    """Where the provider is, and the key to it, by attribute, as far as they are set."""
    found = {name: finder.find(_ROWS[name], provider) for name in _BY_PROVIDER[1:]}
    url, key, token = found.values()
    if key and token:  # are not sent together: the stronger source's is, the key within one source
        sources = finder.sources
        weaker = "auth_token" if sources.index(key.source) <= sources.index(token.source) else "api_key"
        found[weaker] = None
    _guard_secrets(finder, url, (found["api_key"], found["auth_token"], finder.find(_HEADERS)))
    return {name: each for name, each in found.items() if each}


def _values(finder: Finder, cls: type) -> dict[str, Any]:
    """What is set of a dataclass, by attribute."""
    found = {name: finder.find(row) for name, row in rows_of(cls).items() if name not in _BY_PROVIDER}
    return {name: each.parsed() for name, each in found.items() if each}


def _provider(finder: Finder) -> tuple[ProviderName | None, Found | None]:
    """The provider that is named or implied, and what has done so."""
    if named := finder.find(_ROWS["provider"]):
        return named.parsed(), named
    model = finder.find(_ROWS["model"])
    if model and model.value.lower().endswith(".gguf"):
        return "local", model
    return _implied(finder)


def _implied(finder: Finder) -> tuple[ProviderName | None, Found | None]:
    """The provider that the strongest source with any sign points to."""
    for source in finder.sources:
        for row, provider, variable in _SIGNS:
            if source.sets(variable):
                # A URL that was copied with its end tells the API.
                value = source.values.get(variable, "").strip()
                copied = value.rstrip("/").endswith("/messages")
                return "anthropic" if copied else provider, finder.used(Found(row, variable, value, source))
    return None, None


def _guard_secrets(finder: Finder, url: Found | None, secrets: Sequence[Found | None]) -> None:
    """Asks for what the user's own keys and headers would be sent to, where a project's file names it."""
    for secret in secrets if url and not url.source.trusted else ():
        if url and secret and secret.source.trusted:
            where = shown(url.row, url.value)
            finder.wish(url.variable, f"{secret.origin} sent to {where}", f"{secret.variable} {url.value}")


def _keys(sources: Sequence[Source]) -> tuple[str, ...]:
    names = [name for row in SETTINGS if row.is_secret for name in row.variables()]
    return tuple(
        value for source in sources for name in names if (value := source.values.get(name, "").strip())
    )


def _checked(costs: CostSettings) -> CostSettings:
    if costs.max_cost is not None and costs.price_in is costs.price_out is None:
        raise ConfigError(
            "the cost is limited (--max-cost), but no price is known.",
            hint="Set --price-in and --price-out, per million tokens, or limit --max-session-tokens.",
        )
    return costs
