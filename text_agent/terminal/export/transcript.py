"""What happened in a session, in the order in which a person reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from text_agent.events import CALL_LINE_WIDTH
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.tool import ToolDescriptions
from text_agent.sessions.records import Record
from text_agent.text.truncation import clip_shown


@dataclass(frozen=True, slots=True)
class Request:
    """What the user said."""

    text: str
    time: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """What the model said beside its calls, in Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call and what it gave."""

    line: str  # the call in one line
    status: str  # what became of it
    text: str  # what the model read
    diff: str = ""  # what it changed in a file; empty if nothing


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that the reader should know."""

    text: str


Entry = Request | Words | Call | Remark


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session for a reader, by its name or ID."""

    title: str
    facts: dict[str, str] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()


def read_transcript(session_id: str, records: Iterable[Record | None], tools: ToolDescriptions) -> Transcript:
    """Puts a transcript together; what is damaged in the records is left out."""
    known = [record for record in records if record]
    names = [str(record.get("name", "")) for record in known if record["type"] == "named"]
    heads = [record for record in known if record["type"] == "session"]
    shown = {"folder": "workspace", "model": "model", "begun": "created"}
    facts = {label: str(heads[0].get(name, "")) for label, name in shown.items()} if heads else {}
    facts |= {"begun": _minute(facts["begun"])} if facts else {}
    title = names[-1] if names else session_id
    return Transcript(title, {"session": session_id, **facts}, tuple(_entries(known, tools)))


def _entries(records: Iterable[Record], tools: ToolDescriptions) -> Iterator[Entry]:
    calls: dict[Any, Record] = {}
    for record in records:
        match record:
            case {"type": "turn", "text": str(text)}:
                yield Request(text, _minute(record.get("time")))
            case {"type": "message", "role": "assistant", "content": str(content)}:
                yield from _words(content, tools)
            case {"type": "call", "number": int(number)}:
                calls[number] = record
            case {"type": "result", "number": int(number)}:
                yield _call(record, calls.get(number, {}))
            case {"type": "replaced"}:
                what = "made shorter" if record.get("messages") else "cleared"
                yield Remark(f"The conversation was {what} here.")
            case {"type": "resumed"}:
                time, model = _minute(record.get("time")), record.get("model", "")
                yield Remark(f"The session went on at {time} with {model}.")
            case {"type": "model"}:
                yield Remark(f"The model is {record.get('model', '')} from here on.")
            case {"type": "finished", "message": str(message)} if message:
                yield Remark(message)
            case _:
                pass


def _minute(time: object) -> str:
    """A time in ISO 8601 as people write it; anything else as it is."""
    text = str(time or "")
    return text[:16].replace("T", " ")


def _words(content: str, tools: ToolDescriptions) -> Iterator[Words]:
    prose = parse_reply(content, tools).prose.strip()
    if prose:
        yield Words(prose)


def _call(record: Record, call: Record) -> Call:
    change = record.get("change")
    diff = str(change.get("diff", "")) if isinstance(change, dict) else ""
    return Call(_line(record, call), str(record.get("status")), str(record.get("text", "")), diff)


def _line(record: Record, call: Record) -> str:
    arguments = call.get("arguments")
    written = json.dumps(arguments, ensure_ascii=False) if arguments is not None else "..."
    return clip_shown(f"#{record['number']} {record.get('name')}({written})", CALL_LINE_WIDTH)
