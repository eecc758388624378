"""`/save`, `/sessions`, `/resume`, `/export` and `/copy`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from text_agent.agent.agent import Agent
from text_agent.config.limits import SESSION_NAME_MAX_CHARS, SESSIONS_LISTED
from text_agent.errors import SessionError
from text_agent.events import Event, EventSink, TurnFinished
from text_agent.sessions.recorder import SessionRecorder
from text_agent.sessions.resuming import resume_session
from text_agent.sessions.saved import SavedSession
from text_agent.sessions.store import SessionStore
from text_agent.terminal.input.clipboard import Clipboard
from text_agent.terminal.output.numbers import typed_number
from text_agent.text.sanitize import sanitize

Ask = Callable[[str], str]

# Characters of a session's name and what was said last that a list shows: a line fits 80 columns.
_SAID_CHARS = 38
# Lines of the last answer that are shown when a session is resumed.
_RECAP_LINES = 12


@dataclass(slots=True)
class SessionDesk:
    """What the commands for sessions work on; an event sink that keeps the last answer.

    Attributes:
        recorder: writes the session.
        workspace: the folder that is worked in.
        tell: shows events.
        clipboard: takes answers.
        answer: the last one.
    """

    recorder: SessionRecorder
    workspace: Path
    tell: EventSink
    clipboard: Clipboard
    answer: str = field(default="")

    def __call__(self, event: Event) -> None:
        """Keeps the answer, if the event brings one."""
        if isinstance(event, TurnFinished) and event.answer:
            self.answer = event.answer

    def resume(self, agent: Agent, path: Path) -> str:
        """Goes on with a session, and returns what it was about."""
        saved = resume_session(agent, self.recorder, path, self.workspace, self.tell)
        self.answer = saved.answer
        return _recap(saved)


def save(desk: SessionDesk, argument: str) -> str:
    """Names the session, or says where it is."""
    recorder, name = desk.recorder, " ".join(argument.split())
    if recorder.is_lost:
        return f"This session is not saved: {recorder.path} cannot be written. /export FILE keeps it."
    if not name:
        known = f"This session is {recorder.id}" + (f", named {recorder.name!r}" if recorder.name else "")
        state = f"it is in {recorder.path}" if recorder.is_saved else "it is saved with its first turn"
        return f"{known}; {state}. /save NAME gives it a name."
    if len(name) > SESSION_NAME_MAX_CHARS:
        return f"A name has at most {SESSION_NAME_MAX_CHARS} characters."
    if any(saved.name == name for saved in _load(desk.recorder.store, desk.workspace, recorder.path)):
        return f"Another session of this folder is named {name!r}."
    recorder.rename(name)
    return f"This session is named {name!r}: text-agent --resume {shlex.quote(name)} goes on with it."


def list_sessions(desk: SessionDesk) -> str:
    """The sessions of the folder, the last one first."""
    sessions = _load(desk.recorder.store, desk.workspace)
    if not sessions:
        return "There is no saved session of this folder yet."
    marks = {True: "*", False: " "}
    lines = [f"{marks[each.id == desk.recorder.id]} {_line(each)}" for each in sessions]
    more = len(desk.recorder.store.paths(desk.workspace)) - len(sessions)
    return "\n".join([*lines, f"  ... {more} more"] if more else lines)


def resume(desk: SessionDesk, agent: Agent, ask: Ask | None, argument: str) -> str:
    """Goes on with another session."""
    try:
        store = desk.recorder.store
        path = (
            store.find(argument, desk.workspace)
            if argument
            else pick_session(store, desk.workspace, ask, desk.recorder.path)
        )
        return desk.resume(agent, path)
    except SessionError as error:
        return f"{error.args[0][:1].upper()}{error.args[0][1:]}"


def copy_answer(desk: SessionDesk) -> str:
    """Copies the last answer."""
    return desk.clipboard.copy(desk.answer) if desk.answer else "There is no answer to copy yet."


def pick_session(store: SessionStore, workspace: Path, ask: Ask | None, current: Path | None = None) -> Path:
    """Lets the user choose a session of the folder.

    Raises:
        SessionError: there is none, nobody can be asked, or nothing was chosen.
    """
    sessions = _load(store, workspace, current)
    if not sessions:
        raise SessionError("there is no other saved session of this folder.")
    lines = [f"{number:>3}  {sanitize(_line(session))}" for number, session in enumerate(sessions, 1)]
    if ask is None:
        raise SessionError("which session? Give its ID:\n" + "\n".join(lines))
    number = typed_number(_answer(ask, "\n".join([*lines, f"Which one? [1-{len(sessions)}] "])))
    if not 1 <= number <= len(sessions):
        raise SessionError("no session was chosen.")
    return store.folder / f"{sessions[number - 1].id}.jsonl"


def _answer(ask: Ask, question: str) -> str:
    try:
        return ask(question).strip()
    except (EOFError, KeyboardInterrupt):
        return ""


def _load(store: SessionStore, workspace: Path, but: Path | None = None) -> Sequence[SavedSession]:
    paths = (path for path in store.paths(workspace) if path != but)
    return list(islice(store.load_all(paths), SESSIONS_LISTED))


def _line(session: SavedSession) -> str:
    # The ID tells the time.
    name = f"{session.name}: " if session.name else ""
    return f"{session.id}  {_turns(session):>8}  {_clipped(name + _said(session))}"


def _turns(session: SavedSession) -> str:
    return "1 turn" if len(session.turns) == 1 else f"{len(session.turns)} turns"


def _said(session: SavedSession) -> str:
    return " ".join(session.turns[-1].split()) if session.turns else ""


def _clipped(text: str) -> str:
    return text if len(text) <= _SAID_CHARS else f"{text[: _SAID_CHARS - 3]}..."


def _recap(session: SavedSession) -> str:
    if not session.messages:
        return f"Resumed {session.name or session.id}: its conversation was cleared."
    lines = [f"Resumed {session.name or session.id}: {_turns(session)} so far."]
    if session.turns:
        lines.append(f"you> {_clipped(_said(session))}")
    answer = session.answer.splitlines()
    if answer:
        lines.append("assistant> " + "\n".join(answer[:_RECAP_LINES]))
    if len(answer) > _RECAP_LINES:
        lines.append(f"... {len(answer) - _RECAP_LINES} more lines")
    return "\n".join(lines)
