"""What a session's records come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, get_args

from text_agent.errors import SessionError
from text_agent.events import PlanUpdated
from text_agent.messages import Message, MessageKind, ResultSpan, Role
from text_agent.protocol.types import Plan, ResultStatus, ToolResult
from text_agent.sessions.records import VERSION, Record, read_records


@dataclass(slots=True)
class SavedSession:
    """A session as its file tells it."""

    id: str  # the file's name
    name: str = ""  # what the user called it; may be empty
    workspace: str = ""  # the folder that it works in; empty where that line was damaged
    model: str = ""
    created: str = ""  # in ISO 8601
    messages: list[Message] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)  # what the echo guard remembers
    calls: int = 0  # how many calls were answered
    plan: PlanUpdated | None = None
    turns: list[str] = field(default_factory=list)  # what the user said in each turn
    answer: str = ""
    damaged: int = 0  # lines that could not be read
    # The last message is a reply, and its turn has not ended: its calls wait for results.
    is_open: bool = False
    answered: list[ToolResult] = field(default_factory=list)  # those of them that are answered
    running: int | None = None  # the number of the call that was running when the session broke off


def load_session(name: str, data: bytes) -> SavedSession:
    """Reads a session's file; what is damaged in it is counted and left out.

    Raises `SessionError`: a newer version wrote it.
    """
    session = SavedSession(name)
    for record in read_records(data):
        try:
            _take(session, record or {"type": "message"})
        except (KeyError, TypeError, ValueError, OverflowError):
            session.damaged += 1
    return session


def _take(session: SavedSession, record: Record) -> None:
    """Takes one record. Raises `KeyError`, `TypeError` or `ValueError` if it is damaged."""
    match record["type"]:
        case "session":
            _take_session(session, record)
        case "resumed" | "model":
            session.model = _text(record["model"])
        case "named":
            session.name = _text(record["name"])
        case "turn":
            session.turns.append(_text(record["text"]))
        case "message" | "replaced" | "foreign":
            _take_conversation(session, record)
        case "plan":
            plan = _plan(record)
            session.plan = PlanUpdated(plan.steps, plan.done)
        case "call" | "result" | "finished":
            _take_work(session, record)


def _take_session(session: SavedSession, record: Record) -> None:
    if record["version"] > VERSION:
        raise SessionError(f"the session {session.id} was written by a newer text-agent.")
    session.workspace, session.created = _text(record["workspace"]), _text(record["created"])
    session.model = _text(record["model"])


def _take_conversation(session: SavedSession, record: Record) -> None:
    match record["type"]:
        case "foreign":
            session.marks += [_text(mark) for mark in record["marks"]]
        case "message":
            session.messages.append(message := _message(record))
            _settle(session)
            session.is_open = message.role == "assistant"
        case "replaced":
            session.messages = [_message(message) for message in record["messages"]]
            _settle(session)
            if not session.messages:  # cleared by the user, not made shorter
                session.plan, session.answer = None, ""


def _take_work(session: SavedSession, record: Record) -> None:
    match record["type"]:
        case "call" if not record.get("own"):
            session.running = int(record["number"])
        case "result":
            number, text, plan = int(record["number"]), _text(record["text"]), record.get("plan")
            status: ResultStatus = _one_of(get_args(ResultStatus), record["status"])
            result = ToolResult(number, _text(record["name"]), status, text, plan=plan and _plan(plan))
            session.answered.append(result)
            session.calls, session.running = max(session.calls, number), None
        case "finished":
            session.answer = _text(record["answer"]) or session.answer
            _settle(session)
        case _:
            _settle(session)


def _settle(session: SavedSession) -> None:
    """No call waits for a result."""
    session.is_open, session.answered, session.running = False, [], None


def _message(record: Record) -> Message:
    role: Role = _one_of(get_args(Role), record["role"])
    kind: MessageKind = _one_of(get_args(MessageKind), record.get("kind", "note"))
    content = _text(record["content"])
    return Message(role, content, kind, _results(record.get("results") or (), len(content)))


def _results(records: Iterable[Record], length: int) -> tuple[ResultSpan, ...]:
    """The results in a message of so many characters; without them it is a text like any other."""
    results = tuple(_result(record) for record in records)
    borders = [0, *(place for result in results for place in result.span), length]
    return results if borders == sorted(borders) else ()


def _result(record: Record) -> ResultSpan:
    status: ResultStatus = _one_of(get_args(ResultStatus), record["status"])
    (start, end), plan = map(int, record["span"]), record.get("plan")
    return ResultSpan(_text(record["name"]), status, (start, end), plan and _plan(plan))


def _plan(record: Record) -> Plan:
    return Plan(tuple(map(_text, record["steps"])), frozenset(map(int, record["done"])))


def _one_of(words: tuple[Any, ...], word: object) -> Any:
    return words[words.index(word)]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
