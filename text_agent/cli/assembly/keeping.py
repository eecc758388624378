"""Offers once to keep the endpoint of a first success as the user's own."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from platformdirs import user_config_path

from text_agent.cli.config_file import TEMPLATE, ConfigFile, Name
from text_agent.cli.flags import flag_values
from text_agent.config.settings import SETTINGS, Settings
from text_agent.config.table import FILE
from text_agent.errors import ConfigError
from text_agent.events import Notice
from text_agent.providers.base import Provider
from text_agent.terminal.slash.chat import Chat, answer_to

_ANSWERS = {"y": True, "yes": True, "n": False, "no": False}


def offer_to_keep(
    arguments: argparse.Namespace, settings: Settings, environment: Mapping[str, str], provider: Provider
) -> Callable[[Chat], None] | None:
    """Returns what makes the offer; None where flags and choices have decided nothing, or a file is there.

    Args:
        arguments: the flags.
        settings: of the start.
        environment: of the user.
        provider: of the start.
    """
    config = ConfigFile(user_config_path("text-agent"), environment)
    found = settings.found.values if settings.found and settings.found.is_chosen else {}
    given = {**found, **flag_values(arguments)}
    kept = {row.name: given[row.variable] for row in SETTINGS if row.is_endpoint and row.variable in given}
    if not kept or config.exists():
        return None
    first = (provider.name, provider.model)

    def offer(chat: Chat) -> None:
        current = chat.agent.provider
        if (current.name, current.model) == first:
            chat.tell(Notice(_offer(config, kept, chat)))

    return offer


def _offer(config: ConfigFile, kept: Mapping[str, str], chat: Chat) -> str:
    """Asks, and keeps the settings, or that they are not wanted: an empty file ends the offers."""
    texts = {Name(name): _lasting(name, text) for name, text in kept.items()}
    lines = "".join(f"  {name} = {name.entry.row.kind.shown(text)}\n" for name, text in texts.items())
    answer = None
    while answer is None:
        typed = answer_to(f"{lines}Keep these as your default? [y/n] ", chat.ask)
        if typed is None:
            return "Nothing was kept."
        answer = _ANSWERS.get(typed.lower())
    try:
        if answer:
            config.set(texts)
            return f"Kept in {config.path}; text-agent config changes it."
        config.write(TEMPLATE)
    except ConfigError as error:
        return str(error)
    return "Nothing was kept; text-agent config set does it later."


def _lasting(name: str, text: str) -> str:
    """The same where it is a file, which another folder knows by its whole path only."""
    row = Name(name).entry.row
    path = Path(text)
    return str(path.absolute()) if row.kind is FILE and path.is_file() else text
