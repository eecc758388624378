"""What confining a command means, whichever program does it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from text_agent.commands.sandbox.repositories import find_repositories
from text_agent.files.scratch import ScratchFolder
from text_agent.files.secret_names import HOME_SECRETS
from text_agent.files.secrets import IGNORE_FILE

# Where programs keep what they can make again, now that the home folder is read-only.
CACHES: Mapping[str, str] = {
    "GOCACHE": "go",
    "npm_config_cache": "npm",
    "UV_CACHE_DIR": "uv",
    "CCACHE_DIR": "ccache",
    "MPLCONFIGDIR": "matplotlib",
}


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a sandbox does."""

    root: Path  # the workspace, links resolved
    scratch: ScratchFolder  # the session's own folder; `/tmp` is kept there from command to command
    # Gives the files and folders that commands must not see; asked for every command.
    secret_paths: Callable[[], Iterable[Path]]
    network: bool = False  # whether there is one

    def read_only(self) -> list[Path]:
        """What in the workspace must not be written: what programs run code from, and what names secrets."""
        return existing([self.root / IGNORE_FILE, *find_repositories(self.root)])


class Sandbox(Protocol):
    """One way to confine programs.

    It turns the arguments that start a program into those that start it confined.
    """

    @property
    def name(self) -> str:
        """How the user knows it."""
        ...

    @property
    def limits(self) -> str:
        """What cannot be done in it, in a few words for the model."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables that programs need in it."""
        ...

    def argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` confined."""
        ...

    def looking_argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` so that it can write nothing and reach nobody."""
        ...


def limits_of(confinement: Confinement) -> str:
    """What cannot be done under it, in a few words for the model."""
    network = "" if confinement.network else "no network, "
    return f"{network}only the workspace and /tmp can be written, .git cannot, and files with keys look empty"


def existing(paths: Iterable[Path]) -> list[Path]:
    """Those of `paths` that exist, links resolved: what a link leads to is what counts."""
    return [Path(os.path.realpath(path)) for path in paths if os.access(path, os.F_OK)]


def home_secrets(home: Path, own_folders: Iterable[Path]) -> list[Path]:
    """What commands must not see outside the workspace: keys in the home folder, and our own settings."""
    return [*(home / name for name in HOME_SECRETS), *own_folders]
