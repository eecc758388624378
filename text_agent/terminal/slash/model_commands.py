"""`/model` and `/provider`: another model in the same conversation."""

from __future__ import annotations

from typing import get_args

from text_agent.config.settings import ProviderName
from text_agent.errors import TextAgentError
from text_agent.terminal.slash.chat import Chat

_PROVIDERS: tuple[ProviderName, ...] = get_args(ProviderName)


def switch_model(chat: Chat, argument: str) -> str:
    """Takes the model that `argument` names, or tells which one it is."""
    name, current = argument.strip(), _provider(chat.agent.provider.name)
    if not name or current is None:
        return f"{_told(chat)}. /model NAME takes another one of the same provider."
    return _switched(chat, current, name)


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


def _switched(chat: Chat, provider: ProviderName, model: str | None) -> str:
    try:
        chat.switch(provider, model)
    except TextAgentError as error:
        return " ".join(filter(None, [f"Not taken: {error}", error.hint, f"{_told(chat)} as before."]))
    chat.agent.note_other_model()
    return f"{_told(chat)} from now on."


def _told(chat: Chat) -> str:
    return f"The model is {chat.agent.provider.model} ({chat.agent.provider.name})"


def _provider(word: str) -> ProviderName | None:
    return next((name for name in _PROVIDERS if name == word), None)
