"""What a session's records come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from text_agent.errors import SessionError
from text_agent.events import PlanUpdated
from text_agent.messages import Message, MessageKind, Role
from text_agent.protocol.types import ResultStatus, ToolResult
from text_agent.sessions.records import VERSION, Record, read_records


@dataclass(slots=True)
class SavedSession:
    """A session as its file tells it.

    Attributes:
        id: by which it is known; the file's name.
        name: what the user called it; may be empty.
        workspace: the folder that it works in; empty where that line was damaged.
        model: the last one that was used.
        created: when, in ISO 8601.
        messages: the conversation's.
        marks: what the echo guard remembers.
        calls: how many calls were answered.
        plan: the model's last one.
        turns: what the user said in each turn.
        answer: the last answer.
        damaged: lines that could not be read.
        is_open: the last message is a reply, and its turn has not ended: its calls wait for results.
        answered: those of them that are answered.
        running: the number of the call that was running when the session broke off.
    """

    id: str
    name: str = ""
    workspace: str = ""
    model: str = ""
    created: str = ""
    messages: list[Message] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    calls: int = 0
    plan: PlanUpdated | None = None
    turns: list[str] = field(default_factory=list)
    answer: str = ""
    damaged: int = 0
    is_open: bool = False
    answered: list[ToolResult] = field(default_factory=list)
    running: int | None = None


def load_session(name: str, data: bytes) -> SavedSession:
    """Reads a session's file; what is damaged in it is counted and left out.

    Raises:
        SessionError: a newer version wrote it.
    """
    return replay(name, read_records(data))


def replay(name: str, records: Iterable[Record | None]) -> SavedSession:
    """Goes through a session's records in order."""
    session = SavedSession(name)
    for record in records:
        take = _TAKERS.get(record["type"]) if record else _damage
        if take and not _taken(take, session, record or {}):
            session.damaged += 1
    return session


def _taken(take: Callable[[SavedSession, Record], None], session: SavedSession, record: Record) -> bool:
    try:
        take(session, record)
    except (KeyError, TypeError, ValueError, OverflowError):
        return False
    return True


def _damage(_session: SavedSession, _record: Record) -> None:
    raise ValueError


def _take_session(session: SavedSession, record: Record) -> None:
    if record["version"] > VERSION:
        raise SessionError(f"the session {session.id} was written by a newer text-agent.")
    session.workspace, session.created = _text(record["workspace"]), _text(record["created"])
    session.model = _text(record["model"])


def _take_model(session: SavedSession, record: Record) -> None:
    session.model = _text(record["model"])


def _take_name(session: SavedSession, record: Record) -> None:
    session.name = _text(record["name"])


def _take_turn(session: SavedSession, record: Record) -> None:
    session.turns.append(_text(record["text"]))


def _take_marks(session: SavedSession, record: Record) -> None:
    session.marks += [_text(mark) for mark in record["marks"]]


def _take_message(session: SavedSession, record: Record) -> None:
    message = _message(record)
    session.messages.append(message)
    _settle(session)
    session.is_open = message.role == "assistant"


def _take_replacement(session: SavedSession, record: Record) -> None:
    session.messages = [_message(message) for message in record["messages"]]
    _settle(session)
    if not session.messages:  # cleared by the user, not made shorter
        session.plan, session.answer = None, ""


def _settle(session: SavedSession) -> None:
    """No call waits for a result."""
    session.is_open, session.answered, session.running = False, [], None


def _take_call(session: SavedSession, record: Record) -> None:
    if record.get("own"):
        _settle(session)
    else:
        session.running = int(record["number"])


def _take_result(session: SavedSession, record: Record) -> None:
    statuses = get_args(ResultStatus)
    status: ResultStatus = statuses[statuses.index(record["status"])]
    number = int(record["number"])
    session.answered.append(ToolResult(number, _text(record["name"]), status, _text(record["text"])))
    session.calls, session.running = max(session.calls, number), None


def _take_plan(session: SavedSession, record: Record) -> None:
    session.plan = PlanUpdated(
        tuple(_text(step) for step in record["steps"]), frozenset(int(number) for number in record["done"])
    )


def _take_end(session: SavedSession, record: Record) -> None:
    session.answer = _text(record["answer"]) or session.answer
    _settle(session)


_TAKERS: Mapping[str, Callable[[SavedSession, Record], None]] = {
    "session": _take_session,
    "resumed": _take_model,
    "model": _take_model,
    "named": _take_name,
    "turn": _take_turn,
    "foreign": _take_marks,
    "message": _take_message,
    "replaced": _take_replacement,
    "call": _take_call,
    "result": _take_result,
    "plan": _take_plan,
    "finished": _take_end,
}


def _message(record: Record) -> Message:
    roles, kinds = get_args(Role), get_args(MessageKind)
    role: Role = roles[roles.index(record["role"])]
    kind: MessageKind = kinds[kinds.index(record.get("kind", "note"))]
    return Message(role, _text(record["content"]), kind)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
