"""`/save`, `/sessions`, `/resume` and `/copy`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from text_agent.config.limits import SESSION_NAME_MAX_CHARS, SESSIONS_LISTED
from text_agent.errors import SessionError
from text_agent.sessions.resuming import resume_session
from text_agent.sessions.saved import SavedSession
from text_agent.sessions.store import SessionStore
from text_agent.terminal.slash.chat import Ask, Chat, answer_to
from text_agent.terminal.slash.kept import typed_number
from text_agent.text.sanitize import sanitize
from text_agent.text.truncation import clip_shown

# Characters of a session's name and what was said last that a list shows: a line fits 80 columns.
_SAID_CHARS = 38
# Lines of the last answer that are shown when a session is resumed.
_RECAP_LINES = 12


def save(chat: Chat, argument: str) -> str:
    """Names the session, or says where it is."""
    recorder, name = chat.recorder, " ".join(argument.split())
    if recorder.is_lost:
        return f"This session is not saved: {recorder.path} cannot be written. /export FILE keeps it."
    if not name:
        known = f"This session is {recorder.id}" + (f", named {recorder.name!r}" if recorder.name else "")
        state = f"it is in {recorder.path}" if recorder.is_saved else "it is saved with its first turn"
        return f"{known}; {state}. /save NAME gives it a name."
    if len(name) > SESSION_NAME_MAX_CHARS:
        return f"A name has at most {SESSION_NAME_MAX_CHARS} characters."
    if any(saved.name == name for saved in _load(recorder.store, _folder(chat), recorder.path)):
        return f"Another session of this folder is named {name!r}."
    recorder.rename(name)
    return f"This session is named {name!r}: text-agent --resume {shlex.quote(name)} goes on with it."


def list_sessions(chat: Chat, _argument: str) -> str:
    """The sessions of the folder, the last one first."""
    recorder = chat.recorder
    sessions = _load(recorder.store, _folder(chat))
    if not sessions:
        return "There is no saved session of this folder yet."
    lines = [f"{'*' if each.id == recorder.id else ' '} {_line(each)}" for each in sessions]
    more = len(recorder.store.paths(_folder(chat))) - len(sessions)
    return "\n".join([*lines, f"  ... {more} more"] if more else lines)


def resume(chat: Chat, argument: str) -> str:
    """Goes on with another session."""
    store, folder = chat.recorder.store, _folder(chat)
    try:
        if argument:
            return resume_from(chat, store.find(argument, folder))
        return resume_from(chat, pick_session(store, folder, chat.ask, chat.recorder.path))
    except SessionError as error:
        return f"{error.args[0][:1].upper()}{error.args[0][1:]}"


def resume_from(chat: Chat, path: Path) -> str:
    """Goes on with the session in `path`, and returns what it was about. Raises `SessionError`."""
    saved = resume_session(chat.agent, chat.recorder, path, _folder(chat), chat.tell)
    chat.kept.answer = saved.answer
    return _recap(saved)


def copy_answer(chat: Chat, _argument: str) -> str:
    """Copies the last answer."""
    return chat.clipboard.copy(chat.kept.answer) if chat.kept.answer else "There is no answer to copy yet."


def pick_session(store: SessionStore, workspace: Path, ask: Ask | None, current: Path | None = None) -> Path:
    """Lets the user choose a session of the folder.

    Raises `SessionError`: there is none, nobody can be asked, or nothing was chosen.
    """
    sessions = _load(store, workspace, current)
    if not sessions:
        raise SessionError("there is no other saved session of this folder.")
    lines = [f"{number:>3}  {sanitize(_line(session))}" for number, session in enumerate(sessions, 1)]
    if ask is None:
        raise SessionError("which session? Give its ID:\n" + "\n".join(lines))
    question = "\n".join([*lines, f"Which one? [1-{len(sessions)}] "])
    number = typed_number(answer_to(question, ask) or "")
    if not 1 <= number <= len(sessions):
        raise SessionError("no session was chosen.")
    return store.folder / f"{sessions[number - 1].id}.jsonl"


def _folder(chat: Chat) -> Path:
    return chat.agent.workspace.root


def _load(store: SessionStore, workspace: Path, but: Path | None = None) -> Sequence[SavedSession]:
    paths = (path for path in store.paths(workspace) if path != but)
    return list(islice(store.load_all(paths), SESSIONS_LISTED))


def _line(session: SavedSession) -> str:
    # The ID tells the time.
    name = f"{session.name}: " if session.name else ""
    return f"{session.id}  {_turns(session):>8}  {clip_shown(name + _said(session), _SAID_CHARS)}"


def _turns(session: SavedSession) -> str:
    return "1 turn" if len(session.turns) == 1 else f"{len(session.turns)} turns"


def _said(session: SavedSession) -> str:
    return " ".join(session.turns[-1].split()) if session.turns else ""


def _recap(session: SavedSession) -> str:
    if not session.messages:
        return f"Resumed {session.name or session.id}: its conversation was cleared."
    lines = [f"Resumed {session.name or session.id}: {_turns(session)} so far."]
    if session.turns:
        lines.append(f"you> {clip_shown(_said(session), _SAID_CHARS)}")
    answer = session.answer.splitlines()
    if answer:
        lines.append("assistant> " + "\n".join(answer[:_RECAP_LINES]))
    if len(answer) > _RECAP_LINES:
        lines.append(f"... {len(answer) - _RECAP_LINES} more lines")
    return "\n".join(lines)
