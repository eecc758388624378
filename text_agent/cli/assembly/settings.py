"""The settings of a start, from flags, environment and files; from a project's after the user's yes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from text_agent.cli.assembly.streams import Streams
from text_agent.cli.flags import flag_values
from text_agent.config.resolving import resolve_settings
from text_agent.config.settings import Settings
from text_agent.config.sources import COMMAND_LINE, Source, Wish, read_env_file, unknown_variables
from text_agent.config.user_file import CONFIG_FILE, ENV_FILE, UserFile, read_user_file, with_profile
from text_agent.errors import ConfigError
from text_agent.files.kept_file import KeptFile
from text_agent.files.problems import reason_of

_ANSWERS = "project-settings.json"


def read_settings(
    arguments: argparse.Namespace,
    folder: Path,
    streams: Streams,
    *,
    is_chat: bool = False,
    discovers: bool = True,
    found: Source | None = None,
) -> Settings:
    """The settings from the flags, the environment and the files, or else of a server on this machine.

    Args:
        arguments: the flags.
        folder: whose `.env` is read.
        streams: of the process; where they are a terminal, the user is asked what is his to decide.
        is_chat: the user can choose among several models, and take the one inside this program.
        discovers: where nothing is configured, a server on this machine is taken.
        found: a server on this machine that was found before.

    Raises:
        ConfigError: one of them is wrong or missing; or a file of the project decides where the conversation
            goes, and the user has not agreed to it and cannot be asked.
    """
    file = folder / ".env"
    user = user_file()
    own = user.path.parent
    named = [
        Source(COMMAND_LINE, flag_values(arguments)),
        Source("the environment", streams.environment),
        Source(str(file), read_env_file(file), trusted=False),
        user.source(streams.environment),
        Source(str(own / ENV_FILE), read_env_file(own / ENV_FILE)),
    ]
    sources = with_profile(named, user, streams.environment)
    notices = [*unknown_variables(named), *user.unknown()]
    answers = ProjectAnswers(folder, own / _ANSWERS)
    while True:
        resolved = resolve_settings([*sources, *filter(None, [found])])
        refused = _refused(resolved.wishes, answers, str(file), streams if arguments.task is None else None)
        settings = resolved.settings
        if refused:
            notices.append(f"{_listed(refused)} of {file} is left out, as you have said ({own / _ANSWERS}).")
            sources = [each if each.trusted else _without(each, refused) for each in sources]
        elif not (discovers and settings.is_fallback) or not (
            found := _find_source(streams, settings, is_chat=is_chat)
        ):
            keys = (*settings.keys, *user.keys(streams.environment))
            return replace(settings, found=found, keys=keys, notices=(*notices, *answers.notices))


def user_file() -> UserFile:
    """The user's config file. Raises `ConfigError` where it cannot be read."""
    from platformdirs import user_config_path

    return read_user_file(user_config_path("text-agent") / CONFIG_FILE)


def _find_source(streams: Streams, settings: Settings, *, is_chat: bool) -> Source | None:
    from text_agent.cli.assembly.discovery import find_source

    return find_source(streams, settings, is_chat=is_chat)


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


def _without(source: Source, refused: Sequence[Wish]) -> Source:
    left_out = {wish.variable for wish in refused}
    return replace(
        source, values={name: value for name, value in source.values.items() if name not in left_out}
    )


def _listed(wishes: Sequence[Wish]) -> str:
    return ", ".join(dict.fromkeys(wish.variable for wish in wishes))


class ProjectAnswers:
    """The answers for one project, by what exactly was asked; kept in a file of the user's.

    A file that lies in the project is neither read nor written: whoever writes the project's files could
    answer in the user's place. One that is damaged holds no answer.

    Args:
        root: the project's folder.
        file: where the answers of all projects are kept; a JSON object.

    Attributes:
        notices: what went wrong when an answer was to be kept.
    """

    def __init__(self, root: Path, file: Path) -> None:
        self._root = str(root)
        self._file = None if file.resolve().is_relative_to(root) else KeptFile(file)
        kept = self._file.read().get(self._root) if self._file else None
        self._answers: dict[str, Any] = kept if isinstance(kept, dict) else {}
        self.notices: list[str] = []

    def find(self, wish: Wish) -> bool | None:
        """The answer about a wish; None: it was never asked."""
        answer = self._answers.get(wish.digest)
        return answer if isinstance(answer, bool) else None

    def keep(self, wishes: Iterable[Wish], *, agreed: bool) -> None:
        """Keeps the answer about some wishes."""
        self._answers.update((wish.digest, agreed) for wish in wishes)
        if self._file is None:
            return
        try:
            self._file.keep(self._root, self._answers)
        except OSError as error:
            self.notices.append(
                f"The answer holds for this start only: cannot write {self._file.path}: {reason_of(error)}."
            )
