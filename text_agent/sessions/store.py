"""The folder of all sessions."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from text_agent.errors import SessionError
from text_agent.files.problems import reason_of
from text_agent.sessions.saved import SavedSession, load_session

_SUFFIX = ".jsonl"
# The first line of a session is short; in a longer one somebody else has written.
_HEAD_BYTES = 65_536


class SessionStore:
    """Where the sessions are, and which there are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def new_path(self, now: datetime) -> Path:
        """A path that no session has."""
        return self.folder / f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}{_SUFFIX}"

    def paths(self, workspace: Path) -> list[Path]:
        """The sessions of one workspace, the one that was used last first."""
        return [path for path in self._all() if _workspace_of(path) == str(workspace)]

    def latest(self, workspace: Path) -> Path:
        """The workspace's last session. Raises `SessionError` without one."""
        for path in self.paths(workspace):
            return path
        raise SessionError("there is no session of this folder to continue.")

    def find(self, word: str, workspace: Path) -> Path:
        """The session that `word` means: its ID, its name in this folder, or the beginning of its ID.

        Raises `SessionError`: there is none, or more than one.
        """
        found = [path for path in self._all() if path.stem.startswith(word)]
        exact = [path for path in found if path.stem == word]
        found = exact or self._named(word, workspace) or found
        if len(found) == 1:
            return found[0]
        hint = "In the chat, /sessions lists those of this folder."
        number = "more than one session" if found else "no session"
        raise SessionError(f"there is {number} {word!r}.", hint=hint)

    def load(self, path: Path) -> SavedSession:
        """Reads a session. Raises `SessionError` if it cannot be read."""
        try:
            return load_session(path.stem, path.read_bytes())
        except OSError as error:
            raise SessionError(f"the session {path.stem} cannot be read: {reason_of(error)}.") from error

    def load_all(self, paths: Iterable[Path]) -> Iterator[SavedSession]:
        """Reads those of the sessions that can be read."""
        for path in paths:
            with contextlib.suppress(SessionError):
                yield self.load(path)

    def _named(self, name: str, workspace: Path) -> list[Path]:
        sessions = self.load_all(self.paths(workspace)) if name else ()
        return [self.folder / f"{each.id}{_SUFFIX}" for each in sessions if each.name == name]

    def _all(self) -> list[Path]:
        """All sessions, the one that was used last first."""
        return [path for _, path in sorted(self._dated(), reverse=True)]

    def _dated(self) -> Iterator[tuple[int, Path]]:
        try:
            entries = list(os.scandir(self.folder))
        except OSError:
            return
        for entry in entries:
            if entry.name.endswith(_SUFFIX) and entry.is_file(follow_symlinks=False):
                yield entry.stat().st_mtime_ns, Path(entry.path)


def _workspace_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            head = json.loads(file.readline(_HEAD_BYTES))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(head.get("workspace", "")) if isinstance(head, dict) else ""
