"""`/model`, `/provider` and `/profile`: another model in the same conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from text_agent.config.settings import ProviderName
from text_agent.config.sources import nearest
from text_agent.errors import ProviderError, TextAgentError
from text_agent.providers.base import Provider
from text_agent.providers.models import Model, find_model, told_of
from text_agent.terminal.slash.chat import Chat
from text_agent.text.sanitize import sanitize

# With fewer models there is nothing to choose; more are not named in a sentence.
_FEWEST, _MOST_NAMED = 2, 10
# How alike a name and a listed one are, from 0 to 1, where it is a slip: no list has to be complete.
_LIKENESS = 0.8
_PROVIDERS: tuple[ProviderName, ...] = get_args(ProviderName)


def switch_model(chat: Chat, argument: str) -> str:
    """Takes the model that `argument` names, or lets the user choose one of those that are there."""
    name, current = argument.strip(), _provider(chat.agent.provider.name)
    if current is None:
        return f"{_told(chat)}."
    models = chat_models(chat.agent.provider)
    if not name:
        return _chosen(chat, current, models)
    near = nearest(name, [model.name for model in models], _LIKENESS)
    if near and not find_model(models, name):
        return f"There is no model {name!r}; did you mean {near}? There are: {_names(models)}."
    return _switched(chat, current, name)


def _chosen(chat: Chat, provider: ProviderName, models: Sequence[Model]) -> str:
    advice = f"{_told(chat)}. /model NAME takes another one of the same provider"
    if len(models) < _FEWEST or chat.pick is None:
        return f"{advice}: {_names(models)}." if models else f"{advice}."
    lines = [sanitize(f"{model.name}  {told_of(model)}").rstrip() for model in models]
    try:
        chosen = models[chat.pick(f"{_told(chat)}. Which one from now on?", lines)]
    except KeyboardInterrupt:
        return f"{_told(chat)} as before."
    return _switched(chat, provider, chosen.name)


def chat_models(provider: Provider) -> list[Model]:
    """The models that could be taken in this one's place; none where the endpoint does not tell."""
    try:
        return [model for model in provider.listed_models() if model.is_chat]
    except ProviderError:
        return []


def _names(models: Sequence[Model]) -> str:
    more = ", ..." if len(models) > _MOST_NAMED else ""
    return sanitize(", ".join(model.name for model in models[:_MOST_NAMED])) + more


def switch_provider(chat: Chat, argument: str) -> str:
    """Takes the provider that `argument` names, and perhaps its model, or tells which one it is."""
    wanted, *model = argument.split() or [""]
    name = _provider(wanted.lower())
    if not wanted:
        return f"{_told(chat)}. /provider NAME, or NAME MODEL, takes another one: {', '.join(_PROVIDERS)}."
    if name is None or len(model) > 1:
        choices = ", ".join(_PROVIDERS)
        return f"There is no provider {argument.strip()!r}. Choose {choices}; a model may follow."
    return _switched(chat, name, model[0] if model else None)


def switch_profile(chat: Chat, argument: str) -> str:
    """Takes the profile that `argument` names, or lets the user choose one of those that there are."""
    try:
        name = argument.strip() or _chosen_profile(chat, chat.profiles.known())
    except KeyboardInterrupt:
        return f"{_told(chat)} as before."
    except TextAgentError as error:
        return str(error)
    return _taken(chat, lambda: chat.profiles.take(name)) if name else _no_profile(chat)


def _chosen_profile(chat: Chat, known: Mapping[str, str]) -> str:
    if not known or chat.pick is None:
        return ""
    lines = [sanitize(f"{name}  {line}").rstrip() for name, line in known.items()]
    return list(known)[chat.pick(f"{_told(chat)}. Which profile from now on?", lines)]


def _no_profile(chat: Chat) -> str:
    known = sanitize(", ".join(chat.profiles.known()))
    make = "`text-agent config set NAME.model MODEL` makes one"
    return (
        f"{_told(chat)}. /profile NAME takes a profile: {known}."
        if known
        else f"There is no profile: {make}."
    )


def _switched(chat: Chat, provider: ProviderName, model: str | None) -> str:
    return _taken(chat, lambda: chat.switch(provider, model))


def _taken(chat: Chat, take: Callable[[], None]) -> str:
    try:
        take()
    except TextAgentError as error:
        return " ".join(filter(None, [f"Not taken: {error}", error.hint, f"{_told(chat)} as before."]))
    chat.agent.note_other_model()
    return f"{_told(chat)} from now on."


def _told(chat: Chat) -> str:
    return f"The model is {chat.agent.provider.model} ({chat.agent.provider.name})"


def _provider(word: str) -> ProviderName | None:
    return next((name for name in _PROVIDERS if name == word), None)
