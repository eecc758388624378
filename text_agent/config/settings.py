"""Settings: what they are, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar, get_args

from text_agent.config.costs import CostSettings, read_cost_settings
from text_agent.config.endpoint import EndpointSettings, Find, read_endpoint_settings, switch, whole_number
from text_agent.config.limits import MAX_STEPS, MAX_TOKENS
from text_agent.config.secret_values import secrets_in
from text_agent.errors import ConfigError

ProviderName = Literal["anthropic", "openai", "local"]
ThemeName = Literal["auto", "dark", "light"]
EditingModeName = Literal["emacs", "vi"]
SandboxMode = Literal["auto", "require", "off"]
_Choice = TypeVar("_Choice", bound=str)

# --- The variables, in the environment, in a project's `.env` and in the user's config file. ---

VARIABLES: Mapping[str, str] = {
    "TEXT_AGENT_PROVIDER": "anthropic, openai or local",
    "TEXT_AGENT_MODEL": "the model's name at the endpoint, or the path of a GGUF file for local",
    "TEXT_AGENT_BASE_URL": "where the endpoint is",
    "TEXT_AGENT_API_KEY": "the key for the endpoint",
    "TEXT_AGENT_CONTEXT_TOKENS": "how many tokens the model takes at once",
    "TEXT_AGENT_SMALL_MODEL": "on or off: it drafts whole files, hears what it left undone, and is tested",
    "TEXT_AGENT_PROJECT_VIEW": "on or off: whether the model is shown the project before its first reply",
    "TEXT_AGENT_TEMPERATURE": "the model's temperature",
    "TEXT_AGENT_HEADERS": "headers that every request carries",
    "TEXT_AGENT_RETRIES": "how often a failed request is sent again",
    "TEXT_AGENT_CA_FILE": "certificates to trust beside the system's",
    "TEXT_AGENT_GRAMMAR": "on or off: whether a grammar holds the model to well-formed calls",
    "TEXT_AGENT_LOG": "a file that requests and answers are written to",
    "TEXT_AGENT_PRICE_IN": "what a million tokens of prompts cost",
    "TEXT_AGENT_PRICE_OUT": "what a million tokens of replies cost",
    "TEXT_AGENT_PRICE_CACHED": "what a million tokens of prompts cost that the server has cached",
    "TEXT_AGENT_MAX_COST": "what a session may cost",
    "TEXT_AGENT_MAX_SESSION_TOKENS": "how many tokens a session may take",
    "TEXT_AGENT_THEME": "the colours of the chat: auto, dark or light",
    "TEXT_AGENT_EDITING_MODE": "whose keys edit the prompt: emacs or vi",
    "ANTHROPIC_API_KEY": "the key, for anthropic",
    "ANTHROPIC_AUTH_TOKEN": "a bearer token instead of a key, for anthropic",
    "ANTHROPIC_BASE_URL": "where the endpoint is, for anthropic",
    "OPENAI_API_KEY": "the key, for openai",
    "OPENAI_BASE_URL": "where the endpoint is, for openai",
}
_BASE_URLS = {
    "anthropic": ("TEXT_AGENT_BASE_URL", "ANTHROPIC_BASE_URL"),
    "openai": ("TEXT_AGENT_BASE_URL", "OPENAI_BASE_URL"),
    "local": (),
}
_API_KEYS = {
    "anthropic": ("TEXT_AGENT_API_KEY", "ANTHROPIC_API_KEY"),
    "openai": ("TEXT_AGENT_API_KEY", "OPENAI_API_KEY"),
    "local": (),
}
# What a folder that came from somebody else must not decide: whom to trust, and which file to write.
_OWN_ONLY = ("TEXT_AGENT_CA_FILE", "TEXT_AGENT_LOG")
_WHAT = {"TEXT_AGENT_HEADERS": "the headers were"}
# What shows that a provider is meant although none is named, in this order.
_SIGNS: Sequence[tuple[str, ProviderName]] = (
    ("ANTHROPIC_API_KEY", "anthropic"),
    ("ANTHROPIC_AUTH_TOKEN", "anthropic"),
    ("ANTHROPIC_BASE_URL", "anthropic"),
    ("OPENAI_API_KEY", "openai"),
    ("OPENAI_BASE_URL", "openai"),
    ("TEXT_AGENT_BASE_URL", "openai"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A place that settings come from, strongest first in a list of them.

    Attributes:
        name: how the user knows it.
        values: by variable; flags stand here under the variable that they replace.
        trusted: the user wrote it; a project's `.env` may come with somebody else's repository.
    """

    name: str
    values: Mapping[str, str]
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration after flags, environment and files were put together.

    Attributes:
        provider: which API is spoken.
        model: its name, or None: the provider chooses.
        base_url: None for the vendor's own host.
        api_key: None where none is set.
        auth_token: a bearer token in a key's place (anthropic).
        foreign_base_url: a sentence, if the key and the base URL must not meet without the user's word,
            because the URL came from the project's `.env` and the key did not; else None.
        keys: every key that is configured, whichever is used: none may be seen.
        theme: for which background the chat has its colours.
        editing_mode: whose keys edit the prompt.
        is_fallback: nothing named or implied a provider.
        max_steps: model requests a turn.
        max_tokens: a reply's limit.
        context_tokens: how many tokens the model takes at once; None: not told.
        endpoint: what requests carry or obey beyond the usual.
        costs: what tokens cost, and how much a session may spend.
        project_view: the first message of a conversation shows the model the project.
        is_small_model: the model drafts whole files first, and is told more often what it has left undone.
        unattended: nobody reads a turn as it goes on: the model is told what a person would tell it.
    """

    provider: ProviderName
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = None
    auth_token: str | None = None
    foreign_base_url: str | None = None
    keys: tuple[str, ...] = ()
    theme: ThemeName = "auto"
    editing_mode: EditingModeName = "emacs"
    is_fallback: bool = False
    max_steps: int = MAX_STEPS
    max_tokens: int = MAX_TOKENS
    context_tokens: int | None = None
    endpoint: EndpointSettings = field(default_factory=EndpointSettings)
    costs: CostSettings = field(default_factory=CostSettings)
    project_view: bool = False
    is_small_model: bool = False
    unattended: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    variable: str
    value: str
    source: Source


def resolve_settings(
    sources: Sequence[Source],
    *,
    fallback: ProviderName | None = None,
    max_steps: int = MAX_STEPS,
    max_tokens: int = MAX_TOKENS,
) -> Settings:
    """Puts the settings together: the first of `sources` that has a value wins.

    Args:
        sources: flags, environment, the project's `.env`, the user's config file, in this order.
        fallback: the provider to take when nothing names or implies one.
        max_steps: model requests a turn.
        max_tokens: a reply's limit.

    Raises:
        ConfigError: no provider, or one that does not exist; or another setting cannot be right.
    """
    meant = _provider(sources)
    provider = meant or fallback
    if provider is None:
        raise ConfigError(
            "no model is configured: no provider, no key and no base URL is set.",
            hint="Try --provider local for a model on this machine, or set TEXT_AGENT_BASE_URL, "
            "ANTHROPIC_API_KEY or OPENAI_API_KEY.",
        )
    model = _find(sources, ("TEXT_AGENT_MODEL",))
    base_url = _find(sources, _BASE_URLS[provider])
    api_key = _find(sources, _API_KEYS[provider])
    token = _find(sources, ("ANTHROPIC_AUTH_TOKEN",)) if provider == "anthropic" else None
    if api_key and token:
        api_key, token = _stronger(sources, api_key, token)
    endpoint = read_endpoint_settings(find := _finder(sources))
    return Settings(
        provider=provider,
        model=model.value if model else None,
        base_url=base_url.value if base_url else None,
        api_key=api_key.value if api_key else None,
        auth_token=token.value if token else None,
        foreign_base_url=_foreign(base_url, api_key or token, _find(sources, ("TEXT_AGENT_HEADERS",))),
        keys=(*_keys(sources), *endpoint.secrets, *secrets_in(base_url.value if base_url else "")),
        theme=_choice(sources, "TEXT_AGENT_THEME", "theme", get_args(ThemeName)) or "auto",
        editing_mode=_choice(sources, "TEXT_AGENT_EDITING_MODE", "editing mode", get_args(EditingModeName))
        or "emacs",
        is_fallback=meant is None,
        max_steps=max_steps,
        max_tokens=max_tokens,
        context_tokens=whole_number(find, "TEXT_AGENT_CONTEXT_TOKENS", at_least=1),
        endpoint=endpoint,
        costs=read_cost_settings(find),
        project_view=_switch(find, "TEXT_AGENT_PROJECT_VIEW", default=True),
        is_small_model=_switch(find, "TEXT_AGENT_SMALL_MODEL", default=provider == "local"),
    )


def _switch(find: Find, variable: str, *, default: bool) -> bool:
    value = switch(find, variable)
    return default if value is None else value


def _finder(sources: Sequence[Source]) -> Find:
    def find(variable: str) -> tuple[str, str] | None:
        found = _find(sources, (variable,))
        if found and variable in _OWN_ONLY and not found.source.trusted:
            raise ConfigError(
                f"{variable} must not stand in {found.source.name}: the folder may come from somebody else.",
                hint="Set it in the environment or in your user's config file.",
            )
        return (found.value, found.source.name) if found else None

    return find


def _keys(sources: Sequence[Source]) -> tuple[str, ...]:
    names = [name for name in VARIABLES if name.endswith(("_KEY", "_TOKEN"))]
    return tuple(
        source.values[name].strip() for source in sources for name in names if source.values.get(name)
    )


def _choice(
    sources: Sequence[Source], variable: str, what: str, choices: tuple[_Choice, ...]
) -> _Choice | None:
    """The one of `choices` that a variable names, in letters of any case; None where it is not set."""
    named = _find(sources, (variable,))
    if named is None:
        return None
    for choice in choices:
        if named.value.lower() == choice:
            return choice
    raise ConfigError(
        f"the {what} {named.value!r} (from {named.source.name}) does not exist.",
        hint=f"Choose {', '.join(choices[:-1])} or {choices[-1]}.",
    )


def _find(sources: Sequence[Source], variables: Sequence[str]) -> _Found | None:
    """The value from the strongest source; an empty value is an unset one."""
    for source in sources:
        for variable in variables:
            value = source.values.get(variable, "").strip()
            if value:
                return _Found(variable, value, source)
    return None


def _provider(sources: Sequence[Source]) -> ProviderName | None:
    providers: tuple[ProviderName, ...] = get_args(ProviderName)
    if named := _choice(sources, "TEXT_AGENT_PROVIDER", "provider", providers):
        return named
    model = _find(sources, ("TEXT_AGENT_MODEL",))
    if model and model.value.lower().endswith(".gguf"):
        return "local"
    return _implied(sources)


def _implied(sources: Sequence[Source]) -> ProviderName | None:
    """The provider that the strongest source with any sign points to."""
    for source in sources:
        for variable, provider in _SIGNS:
            if value := source.values.get(variable, "").strip():
                # A URL that was copied with its end tells the API.
                return "anthropic" if value.rstrip("/").endswith("/messages") else provider
    return None


def _stronger(
    sources: Sequence[Source], api_key: _Found, token: _Found
) -> tuple[_Found | None, _Found | None]:
    """A key and a token are not sent together: the stronger source's is, the key within one source."""
    if sources.index(api_key.source) <= sources.index(token.source):
        return api_key, None
    return None, token


def _foreign(base_url: _Found | None, *secrets: _Found | None) -> str | None:
    if base_url is None or base_url.source.trusted:
        return None
    for secret in secrets:
        if secret and secret.source.trusted:
            return (
                f"{secret.variable} comes from {secret.source.name}, but the base URL {base_url.value} "
                f"from {base_url.source.name}: {_WHAT.get(secret.variable, 'the key was')} not sent there."
            )
    return None


def read_env_file(path: Path) -> Mapping[str, str]:
    """Reads a file of `NAME=value` lines; a file that does not exist is empty.

    Values are taken as they are: `${OTHER}` is not expanded, so that a project's file cannot pick up
    what is in the user's environment.

    Raises:
        ConfigError: the file is there and cannot be read.
    """
    from dotenv import dotenv_values

    if not path.is_file():
        return {}
    try:
        values = dotenv_values(path, interpolate=False, encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"cannot read {path}: it is not UTF-8 text.") from error
    return {name: value for name, value in values.items() if value is not None}
