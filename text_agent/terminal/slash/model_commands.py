"""`/model` and `/provider`: another model in the same conversation."""

from __future__ import annotations

from typing import Protocol, get_args

from text_agent.agent.agent import Agent
from text_agent.config.settings import ProviderName
from text_agent.errors import TextAgentError


class Switch(Protocol):
    """Puts another model in the place of the current one."""

    def __call__(self, provider: ProviderName, model: str | None) -> None:
        """Takes `model` of `provider`; without one, what is configured or the provider chooses.

        Raises:
            TextAgentError: it cannot be used; the current one stays.
        """
        ...


def switch_model(agent: Agent, switch: Switch | None, argument: str) -> str:
    """Takes the model that `argument` names, or tells which one it is."""
    name = argument.strip()
    current = _provider_name(agent)
    if not name or switch is None or current is None:
        return f"{_told(agent)}. /model NAME takes another one of the same provider."
    return _switched(agent, switch, current, name)


def switch_provider(agent: Agent, switch: Switch | None, argument: str) -> str:
    """Takes the provider that `argument` names, and perhaps its model, or tells which one it is."""
    names: tuple[ProviderName, ...] = get_args(ProviderName)
    wanted, *model = argument.split() or [""]
    name = next((name for name in names if name == wanted.lower()), None)
    if not wanted or switch is None:
        return f"{_told(agent)}. /provider NAME, or NAME MODEL, takes another one: {', '.join(names)}."
    if name is None or len(model) > 1:
        return f"There is no provider {argument.strip()!r}. Choose {', '.join(names)}; a model may follow."
    return _switched(agent, switch, name, model[0] if model else None)


def _switched(agent: Agent, switch: Switch, provider: ProviderName, model: str | None) -> str:
    try:
        switch(provider, model)
    except TextAgentError as error:
        return " ".join(filter(None, [f"Not taken: {error}", error.hint, f"{_told(agent)} as before."]))
    agent.note_other_model()
    return f"{_told(agent)} from now on."


def _told(agent: Agent) -> str:
    return f"The model is {agent.provider.model} ({agent.provider.name})"


def _provider_name(agent: Agent) -> ProviderName | None:
    names: tuple[ProviderName, ...] = get_args(ProviderName)
    return next((name for name in names if name == agent.provider.name), None)
