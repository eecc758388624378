"""The surroundings of command lines on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from text_agent.files.secrets import Secrets
from text_agent.permissions.command_lines.surroundings import GitSettings, Surroundings

# Seconds for a question to git; whoever waits longer is asked instead.
_GIT_SECONDS = 10.0


def look_around(
    root: Path,
    secrets: Secrets,
    environment: Mapping[str, str],
    *,
    hides_secrets: bool = False,
    is_posix: bool = True,
) -> Surroundings:
    """The surroundings of commands that start in `root` with this environment."""
    # A folder in it may be relative, and is so to where commands start; an empty one is that folder itself.
    path = os.pathsep.join(str(root / folder) for folder in environment.get("PATH", "").split(os.pathsep))
    return Surroundings(
        root,
        secrets,
        find_program=lambda name: shutil.which(name, path=path),
        git_settings=lambda: read_git_settings(root, environment),
        tracks_secrets=_GitSecrets(root, secrets, environment).are_known,
        hides_secrets=hides_secrets,
        is_unsaved=_Unsaved(root, environment).hold,
        is_posix=is_posix,
    )


def read_git_settings(root: Path, environment: Mapping[str, str]) -> GitSettings | None:
    """All settings that count in a folder, those of the user and the machine included."""
    output = _ask_git(root, environment, ("config", "--list", "-z"))
    if output is None:
        return None
    settings: dict[str, list[str]] = {}
    for entry in output.split("\0")[:-1]:
        name, _, value = entry.partition("\n")
        settings.setdefault(name.lower(), []).append(value)
    return settings


class _GitSecrets:
    """Whether git knows a secret file: one that is tracked, or that was once committed or stashed."""

    def __init__(self, root: Path, secrets: Secrets, environment: Mapping[str, str]) -> None:
        self._root = root
        self._secrets = secrets
        self._environment = environment
        self._refs: str | None = None
        self._in_history = False

    def are_known(self) -> bool:
        """Asks git; without a repository it shows only what it is told to."""
        tracked = self._ask("-c", "core.fsmonitor=false", "ls-files", "-z")
        if tracked is None:
            return False
        return self._hold_secrets(tracked) or self._history_holds_secrets()

    def _history_holds_secrets(self) -> bool:
        """The same for all commits; looked up once for each state of the branches, as it takes long."""
        refs = self._ask("for-each-ref", "--format=%(objectname)")
        if refs is None or refs != self._refs:
            # `-m` for a stash, which is a merge.
            names = self._ask(
                "log", "--all", "--reflog", "-m", "--format=", "--name-only", "--no-renames", "-z"
            )
            self._refs, self._in_history = refs, names is None or self._hold_secrets(names)
        return self._in_history

    def _hold_secrets(self, output: str) -> bool:
        return self._secrets.split({name.strip("\n") for name in output.split("\0")} - {""})[1] > 0

    def _ask(self, *words: str) -> str | None:
        return _ask_git(self._root, self._environment, words)


class _Unsaved:
    """What the files hold that git has kept nowhere, and that was there when the session began."""

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        self._root = root
        self._environment = environment
        self._start = time.time()

    def hold(self, paths: Sequence[str]) -> bool:
        """Asks git; without a repository nobody can say what somebody wants to keep."""
        folders = (self._root, *self._root.parents)
        top = next((folder for folder in folders if os.path.lexists(folder / ".git")), None)
        if top is None:
            return False
        words = ("-c", "core.fsmonitor=false", "--literal-pathspecs", "status", "--porcelain", "-z")
        flags = ("--untracked-files=all", "--no-renames", "--ignore-submodules=dirty", "--")
        output = _ask_git(self._root, self._environment, (*words, *flags, *paths))
        if output is None:
            return True
        return any(self._counts(entry[:2], top / entry[3:]) for entry in output.split("\0")[:-1])

    def _counts(self, state: str, file: Path) -> bool:
        """Whether a file holds something that is not this session's own, as a new one does."""
        if not file.is_file() or file.stat().st_size == 0:
            return False
        return state != "??" or file.stat().st_mtime < self._start


def _ask_git(root: Path, environment: Mapping[str, str], words: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=root,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "surrogateescape")
