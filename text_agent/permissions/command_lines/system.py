"""The surroundings of command lines on this machine."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from text_agent.files.secrets import Secrets
from text_agent.own_programs.git import OWN_SETTINGS, Confine, ask_git, is_own_work_tree, leads_to_its_own
from text_agent.permissions.command_lines.git import why_settings_run
from text_agent.permissions.command_lines.surroundings import GitSettings, Surroundings

_OF_REPOSITORY = ("local", "worktree")
_REPLACED = frozenset(name.lower() for name in OWN_SETTINGS)
# Names of all files of all commits; `-m` for a stash, which is a merge.
_ALL_NAMES = ("log", "--all", "--reflog", "-m", "--format=", "--name-only", "--no-renames", "-z")
_STATES = (
    "--literal-pathspecs", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames",
    "--ignore-submodules=dirty", "--",
)  # fmt: skip


def look_around(
    root: Path,
    secrets: Secrets,
    environment: Mapping[str, str],
    *,
    hides_secrets: bool = False,
    is_posix: bool = True,
    confine: Confine | None = None,
) -> Surroundings:
    """The surroundings of commands that start in `root` with this environment.

    `confine` starts the questions to git in the sandbox, where there is one.
    """
    # A folder in it may be relative, and is so to where commands start; an empty one is that folder itself.
    path = os.pathsep.join(str(root / folder) for folder in environment.get("PATH", "").split(os.pathsep))
    git = _Git(root, secrets, environment, confine)
    return Surroundings(
        root,
        secrets,
        find_program=lambda name: shutil.which(name, path=path),
        git_settings=git.settings,
        tracks_secrets=git.knows_secrets,
        hides_secrets=hides_secrets,
        is_unsaved=git.is_unsaved,
        is_posix=is_posix,
    )


@dataclass(slots=True)
class _Git:
    """What the git of one workspace says."""

    root: Path  # the workspace
    secrets: Secrets
    environment: Mapping[str, str]  # that of commands
    confine: Confine | None  # starts a program in the sandbox
    start: float = field(default_factory=time.time)  # when the session began
    refs: str | None = None  # the state of the branches for which it is known that ...
    in_history: bool = False  # ... their commits hold a secret file

    def settings(self) -> GitSettings | None:
        """All settings that count, but those of the user's that reading commands go without."""
        output = self.ask("config", "--list", "--show-scope", "-z")
        if output is None:
            return None
        settings: dict[str, list[str]] = {}
        words = output.split("\0")
        for scope, entry in zip(words[::2], words[1::2], strict=False):  # behind the last NUL stands nothing
            name, _, value = entry.partition("\n")
            if scope in _OF_REPOSITORY or name.lower() not in _REPLACED:
                settings.setdefault(name.lower(), []).append(value)
        work_trees = settings.get("core.worktree", [])
        is_named = bool(work_trees) and all(is_own_work_tree(self.root, value) for value in work_trees)
        if is_named:
            del settings["core.worktree"]
        return settings if leads_to_its_own(self.root, is_named=is_named) else None

    def runs_programs(self) -> bool:
        """Whether nothing further must be asked, for git might run programs that its settings name."""
        return why_settings_run(self.settings()) is not None

    def ask(self, *words: str) -> str | None:
        """What a question gives; None if git cannot tell."""
        return ask_git(self.root, self.environment, words, self.confine)

    def knows_secrets(self) -> bool:
        """Whether git knows a secret file: one that is tracked, or that was once committed or stashed.

        Without a repository it shows only what it is told to; one that must not be asked may hold anything.
        """
        if self.runs_programs():
            return True
        tracked = self.ask("ls-files", "-z")
        if tracked is None:
            return False
        return self._hold_secrets(tracked) or self._history_holds_secrets()

    def _history_holds_secrets(self) -> bool:
        """The same for all commits; looked up once for each state of the branches, as it takes long."""
        refs = self.ask("for-each-ref", "--format=%(objectname)")
        if refs is None or refs != self.refs:
            names = self.ask(*_ALL_NAMES)
            self.refs, self.in_history = refs, names is None or self._hold_secrets(names)
        return self.in_history

    def _hold_secrets(self, output: str) -> bool:
        return self.secrets.split({name.strip("\n") for name in output.split("\0")} - {""})[1] > 0

    def is_unsaved(self, paths: Sequence[str]) -> bool:
        """Whether files hold what git has kept nowhere, and what was there when the session began.

        Without a repository nobody can say what somebody wants to keep.
        """
        folders = (self.root, *self.root.parents)
        top = next((folder for folder in folders if os.path.lexists(folder / ".git")), None)
        if top is None:
            return False
        output = None if self.runs_programs() else self.ask(*_STATES, *paths)
        if output is None:
            return True
        return any(self._counts(entry[:2], top / entry[3:]) for entry in output.split("\0")[:-1])

    def _counts(self, state: str, file: Path) -> bool:
        """Whether a file holds something that is not this session's own, as a new one does."""
        if not file.is_file() or file.stat().st_size == 0:
            return False
        return state != "??" or file.stat().st_mtime < self.start
