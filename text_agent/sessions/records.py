"""What stands in a session file: one JSON object a line, each of a `type`.

    session   first line: version, id, workspace, provider, model, created
    resumed   another process goes on: time, provider, model
    model     another model answers from now on: provider, model
    named     the user gave the session a name: name
    turn      a turn begins: time, text as the user wrote it
    foreign   the echo guard has learnt calls from outside: marks
    message   the conversation has one message more: role, kind, content; where results of tools stand in it:
              results, each with name, status, span, plan
    replaced  the conversation consists of other messages now: messages
    call      a call is about to run: number, name, arguments, own (the program makes it by itself)
    result    a call was answered: number, name, status, text, refusal, exit_code, change, plan
    plan      the model's plan: steps, done
    finished  how a turn ended: status, answer, message, steps

Unknown types and unknown fields are passed over, so that newer files can be read as far as they go.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from text_agent import events
from text_agent.events import ConversationEvent, Event, ReplyEvent, WorkEvent
from text_agent.messages import Message
from text_agent.protocol.types import Plan
from text_agent.text.masking import Masker, map_texts

VERSION = 1

Record = dict[str, Any]


def record_of(event: Event) -> Record | None:
    """Returns what is saved of an event; None if nothing is."""
    if isinstance(event, ReplyEvent):  # what was shown while a message came about, which is saved itself
        return None
    return _conversation_record(event) if isinstance(event, ConversationEvent) else _work_record(event)


def _conversation_record(event: ConversationEvent) -> Record:
    match event:
        case events.TurnStarted(text=text):
            return {"type": "turn", "text": text}
        case events.MessageAdded(message=message):
            return {"type": "message", **_message(message)}
        case events.ConversationReplaced(messages=messages):
            return {"type": "replaced", "messages": [_message(message) for message in messages]}
        case events.ForeignCallsSeen(marks=marks):
            return {"type": "foreign", "marks": list(marks)}
        case events.ModelChanged(provider=provider, model=model):
            return {"type": "model", "provider": provider, "model": model}


def _work_record(event: WorkEvent) -> Record | None:
    match event:
        case events.ToolStarted(number=number, call=call, is_own=own):
            about = {"number": number, "name": call.name, "arguments": dict(call.arguments)}
            return {"type": "call", **about, "own": own}
        case events.ToolFinished():
            return {"type": "result", **result_fields(event)}
        case events.PlanUpdated():
            return {"type": "plan", **(_plan(event) or {})}
        case events.TurnFinished(status=status, answer=answer, message=message, steps=steps):
            told = {"status": status, "answer": answer, "message": message, "steps": steps}
            return {"type": "finished", **told}
        case events.ConversationCompacted() | events.Notice():
            return None


def _message(message: Message) -> Record:
    results = [
        {"name": each.name, "status": each.status, "span": list(each.span), "plan": _plan(each.plan)}
        for each in message.results
    ]
    told = {"role": message.role, "kind": message.kind, "content": message.content}
    return {**told, "results": results} if results else told


def _plan(plan: Plan | None) -> Record | None:
    return {"steps": list(plan.steps), "done": sorted(plan.done)} if plan else None


def result_fields(event: events.ToolFinished) -> Record:
    """Returns what is told of an answered call, here and to other programs."""
    result, change = event.result, event.result.change
    return {
        "number": result.number,
        "name": result.name,
        "status": result.status,
        "text": result.text,
        "refusal": event.refusal,
        "exit_code": result.exit_code,
        "change": change and asdict(change),
        "plan": _plan(result.plan),
    }


def encode_record(record: Record, mask: Masker) -> bytes:
    """The record's line, without keys, with its line break."""
    masked = map_texts(record, mask)
    try:
        return json.dumps(masked, ensure_ascii=False, default=str).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot carry but a JSON escape can
        return json.dumps(masked, default=str).encode() + b"\n"


def read_records(data: bytes) -> Iterator[Record | None]:
    """The records of a file's lines, in order; None for a line that is damaged."""
    for line in data.split(b"\n"):
        if line.strip():
            yield _record(line)


def _record(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("type"), str) else None
