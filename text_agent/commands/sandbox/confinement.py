"""What confining a command means, whichever program does it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

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
# Folders that a sandbox has of its own: of the system's, nothing is seen in it.
PRIVATE_FOLDERS = (Path("/tmp"), Path("/run"))


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


@dataclass(frozen=True, slots=True)
class Sandbox(ABC):
    """One way to confine programs: turns the arguments that start one into those that start it confined."""

    name: ClassVar[str]  # how the user knows it
    program: str  # what sets it up
    confinement: Confinement

    @property
    def limits(self) -> str:
        """What cannot be done in it, in a few words for the model."""
        network = "" if self.confinement.network else "no network, "
        can = "only the workspace and /tmp can be written, .git cannot"
        return f"{network}{can}, and files with keys look empty"

    @property
    @abstractmethod
    def environment(self) -> Mapping[str, str]:
        """Variables that programs need in it: a temporary folder that can be written, and caches in it."""

    @abstractmethod
    def argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` confined."""

    @abstractmethod
    def looking_argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` so that it can write nothing and reach nobody."""


def existing(paths: Iterable[Path]) -> list[Path]:
    """Those of `paths` that exist, links resolved: what a link leads to is what counts."""
    return [Path(os.path.realpath(path)) for path in paths if os.access(path, os.F_OK)]


def home_secrets(home: Path, own_folders: Iterable[Path]) -> list[Path]:
    """What commands must not see outside the workspace: keys in the home folder, and our own settings."""
    return [*(home / name for name in HOME_SECRETS), *own_folders]
