"""The settings of a start, from flags, environment and files; from a project's after the user's yes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from text_agent.cli.assembly.project_answers import ProjectAnswers
from text_agent.cli.assembly.streams import Streams
from text_agent.cli.flags import flag_values
from text_agent.config.resolving import resolve_settings
from text_agent.config.settings import ProviderName, Settings
from text_agent.config.sources import COMMAND_LINE, Source, Wish, read_env_file, unknown_variables
from text_agent.errors import ConfigError

_ANSWERS = "project-settings.json"


def read_settings(
    arguments: argparse.Namespace, folder: Path, streams: Streams, fallback: ProviderName | None
) -> Settings:
    """The settings from the flags, the environment and the files.

    Raises:
        ConfigError: one of them is wrong or missing; or a file of the project decides where the conversation
            goes, and the user has not agreed to it and cannot be asked.
    """
    from platformdirs import user_config_path

    own = user_config_path("text-agent")
    file = folder / ".env"
    sources = [
        Source(COMMAND_LINE, flag_values(arguments)),
        Source("the environment", streams.environment),
        Source(str(file), read_env_file(file), trusted=False),
        Source(str(own / "config.env"), read_env_file(own / "config.env")),
    ]
    notices = list(unknown_variables(sources))
    answers = ProjectAnswers(folder, own / _ANSWERS)
    while True:
        resolved = resolve_settings(sources, fallback=fallback)
        refused = _refused(resolved.wishes, answers, str(file), streams if arguments.task is None else None)
        if not refused:
            return replace(resolved.settings, notices=(*notices, *answers.notices))
        notices.append(f"{_listed(refused)} of {file} is left out, as you have said ({own / _ANSWERS}).")
        sources[2] = replace(sources[2], values=_without(sources[2], refused))


def _refused(
    wishes: Sequence[Wish], answers: ProjectAnswers, file: str, streams: Streams | None
) -> list[Wish]:
    """The wishes of a project's file that the user refuses; asks about those that are new.

    Raises:
        ConfigError: there are new ones, and nobody can be asked.
    """
    new = [wish for wish in wishes if answers.find(wish) is None]
    if new and not (streams and streams.stdin.isatty() and streams.stderr.isatty()):
        raise ConfigError(
            f"{file} wants {', '.join(wish.text for wish in new)}, and may come from somebody else: start "
            "the chat in this folder and say yes once, or set it yourself by a flag or in the environment."
        )
    if new and streams:
        answers.keep(new, agreed=_ask(new, file, streams))
    return [wish for wish in wishes if not answers.find(wish)]


def _ask(wishes: Sequence[Wish], file: str, streams: Streams) -> bool:
    from text_agent.terminal.output.setup_listener import ConsoleSetupListener

    lines = "".join(f"  {wish.text}\n" for wish in wishes)
    question = f"{file}, which may come from somebody else, wants this:\n{lines}Is it right, from now on?"
    return ConsoleSetupListener(streams.stdin, streams.stderr).confirm(question, default=False)


def _without(source: Source, refused: Sequence[Wish]) -> dict[str, str]:
    left_out = {wish.variable for wish in refused}
    return {name: value for name, value in source.values.items() if name not in left_out}


def _listed(wishes: Sequence[Wish]) -> str:
    return ", ".join(dict.fromkeys(wish.variable for wish in wishes))
