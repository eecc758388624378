"""Writes a session's file while the session happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from text_agent.config.version import __version__
from text_agent.errors import SessionError
from text_agent.events import Event, EventSink, Notice
from text_agent.files.problems import reason_of
from text_agent.sessions.file import SessionFile
from text_agent.sessions.records import VERSION, Record, encode_record, record_of
from text_agent.sessions.saved import SavedSession, load_session
from text_agent.sessions.store import SessionStore
from text_agent.signals import unbroken
from text_agent.text.masking import Masker


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What a session's first line tells: the folder, and who answers there."""

    workspace: Path
    provider: str
    model: str


def _now() -> datetime:
    return datetime.now().astimezone()


class SessionRecorder:
    """An event sink that saves the session, from its first turn on.

    What cannot be saved does not stop the work: the user is told, once.

    Attributes:
        path: the session's file, which is made with the first turn.
        name: what the user calls the session; may be empty.
        is_lost: the file cannot be written.
    """

    def __init__(
        self,
        store: SessionStore,
        facts: SessionFacts,
        mask: Masker,
        tell: EventSink,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self.store = store
        self.name = ""
        self._facts = facts
        self._mask = mask
        self._tell = tell
        self._now = now
        self._file: SessionFile | None = None
        self._waiting: list[Record] = []
        self._has_turn = False
        self.is_lost = False
        self.begin()

    @property
    def id(self) -> str:
        """By which the session can be resumed."""
        return self.path.stem

    @property
    def is_saved(self) -> bool:
        """Whether the file holds all that happened so far."""
        return self._has_turn and not self.is_lost

    def begin(self) -> None:
        """Begins a new session."""
        self._reset(None, self.store.new_path(self._now()))
        about = {"version": VERSION, "id": self.id, "workspace": str(self._facts.workspace), **self._who()}
        self._waiting = [{"type": "session", **about, "created": self._time(), "program": __version__}]

    def go_on(self, path: Path) -> SavedSession:
        """Goes on with a saved session; no other process can do so from now on.

        Raises `SessionError`: it cannot be read or written, or another process has it.
        """
        if self._file and path == self.path:
            raise SessionError(f"the session {path.stem} is this one.")
        try:
            file = SessionFile.open(path)
        except OSError as error:
            raise SessionError(f"the session {path.stem} cannot be used: {reason_of(error)}.") from error
        try:
            saved = load_session(path.stem, file.read())
        except BaseException:
            file.close()
            raise
        self._reset(file, path)
        self.name = saved.name
        self._waiting = [{"type": "resumed", "time": self._time(), **self._who()}]
        return saved

    def rename(self, name: str) -> None:
        """Gives the session a name."""
        self.name = name
        self._save({"type": "named", "name": name})

    def __call__(self, event: Event) -> None:
        """Saves what is to be saved of one event."""
        record = record_of(event)
        if record is None:
            return
        if record["type"] == "turn":
            record["time"] = self._time()
            self._has_turn = True
        self._save(record)

    def saved(self) -> bytes | None:
        """The session's file; None if that cannot be written, and so is not whole."""
        if self.is_lost:
            return None
        return self._file.read() if self._file else b""

    def close(self) -> None:
        """Lets the file go."""
        if self._file:
            self._file.close()
            self._file = None

    def _reset(self, file: SessionFile | None, path: Path) -> None:
        self.close()
        self._file, self.path, self.name = file, path, ""
        self._has_turn = self.is_lost = False

    def _save(self, record: Record) -> None:
        """Writes the record behind those that wait; before the first turn, all wait."""
        if self.is_lost:
            return
        self._waiting.append(record)
        if not self._has_turn:
            return
        with unbroken():
            try:
                self._file = self._file or SessionFile.create(self.path)
                self._write_waiting(self._file)
            except (OSError, SessionError) as error:
                self._give_up(reason_of(error) if isinstance(error, OSError) else str(error))

    def _write_waiting(self, file: SessionFile) -> None:
        # A record leaves the queue first: whatever ends this in between, it is not written twice.
        while self._waiting:
            file.append(encode_record(self._waiting.pop(0), self._mask))

    def _give_up(self, reason: str) -> None:
        self.is_lost = True
        self._waiting.clear()
        self._tell(Notice(f"This session is not saved: {self.path} cannot be written: {reason}."))

    def _time(self) -> str:
        return self._now().isoformat(timespec="seconds")

    def _who(self) -> Record:
        return {"provider": self._facts.provider, "model": self._facts.model}
