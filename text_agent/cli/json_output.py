"""What a headless run writes for programs; `schemas/output.schema.json` describes it.

With `json` it is one object, of the type `result`; with `stream-json` an object a line, the result last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TextIO

from text_agent import events
from text_agent.agent.counters import ProtocolCounters
from text_agent.cli.endings import give_up
from text_agent.errors import ProviderError, TextAgentError
from text_agent.events import ConversationEvent, Event, ReplyEvent, ToolFinished, WorkEvent
from text_agent.files.checkpoints.recorder import Checkpoints, Recorder
from text_agent.files.checkpoints.session_diff import changed_files
from text_agent.files.problems import readable
from text_agent.messages import Usage
from text_agent.sessions.records import result_fields
from text_agent.signals import unbroken

Json = dict[str, Any]


def event_json(event: Event) -> Json | None:
    """Returns the event as one object of the stream; None for what is in no stream."""
    if isinstance(event, ConversationEvent):
        return None
    return _reply_json(event) if isinstance(event, ReplyEvent) else _work_json(event)


def _reply_json(event: ReplyEvent) -> Json | None:
    match event:
        case events.StepStarted(step=step, max_steps=max_steps):
            return {"type": "step", "step": step, "max_steps": max_steps}
        case events.TextReceived(text=text):
            return {"type": "text", "text": text} if text else None
        case events.ReasoningReceived(text=text):
            return {"type": "reasoning", "text": text} if text else None
        case events.RetryScheduled(reason=reason, seconds=seconds, attempt=attempt):
            return {"type": "retry", "reason": reason, "seconds": seconds, "attempt": attempt}
        case events.ReplyFinished(reply=reply, parsed=parsed):
            quotations = [{"text": each.text, "reason": each.reason} for each in parsed.quotations]
            about = {"stop_reason": reply.stop_reason, "usage": asdict(reply.usage)}
            return {"type": "reply", **about, "quotations": quotations}
        case events.ContextMeasured():
            return None


def _work_json(event: WorkEvent) -> Json | None:
    match event:
        case events.ToolStarted(number=number, call=call):
            about = {"number": number, "name": call.name, "arguments": dict(call.arguments)}
            return {"type": "call", **about, "repairs": list(call.repairs)}
        case ToolFinished():
            return {"type": "call_result", **result_fields(event)}
        case events.PlanUpdated(steps=steps, done=done):
            return {"type": "plan", "steps": list(steps), "done": sorted(done)}
        case events.ConversationCompacted(way=way, before=before, after=after):
            return {"type": "compacted", "way": way, "tokens_before": before, "tokens_after": after}
        case events.Notice(text=text):
            return {"type": "notice", "text": text}
        case events.TurnFinished():  # the result tells of it
            return None


class Output:
    """What a run tells on standard output, an event sink; this one tells nothing."""

    def __call__(self, event: Event) -> None:
        """Takes one event."""

    def begin(self, session_id: str, provider: str, model: str, workspace: str) -> None:
        """Tells which session it is."""

    def watch(self, checkpoints: Checkpoints) -> None:
        """Takes where the changes of files are recorded: those of commands, too."""

    def finish(self, finished: events.TurnFinished, exit_code: int) -> None:
        """Tells how the turn ended."""

    def fail(self, error: TextAgentError) -> None:
        """Tells the error that ended the run."""

    def interrupt(self) -> None:
        """Tells that the user ended the run outside the turn, unless its end was told."""


class JsonReport(Output):
    """Collects what the result tells, and writes it; with `live` every event, too."""

    def __init__(self, stdout: TextIO, *, live: bool) -> None:
        self._stdout = stdout
        self._live = live
        self._counters = ProtocolCounters()
        self._calls: dict[int, Json] = {}
        self._changes: dict[str, str] = {}
        self._stop_reason: str | None = None
        self._usage = Usage()
        self._steps = 0
        self._checkpoints: Checkpoints | None = None
        self._is_told = False
        self._session: Json = dict.fromkeys(("session_id", "provider", "model", "workspace"))

    def begin(self, session_id: str, provider: str, model: str, workspace: str) -> None:
        """Tells which session it is."""
        self._session = dict(zip(self._session, (session_id, provider, model, workspace), strict=True))
        if self._live:
            self._write({"type": "session", "version": 1, **self._session})

    def __call__(self, event: Event) -> None:
        """Takes one event."""
        self._counters(event)
        self._collect(event)
        line = event_json(event) if self._live else None
        if line:
            self._write(line)

    def watch(self, checkpoints: Checkpoints) -> None:
        """Takes the changes of files from there."""
        self._checkpoints = checkpoints

    def finish(self, finished: events.TurnFinished, exit_code: int) -> None:
        """Writes the result of a turn."""
        self._write_result(
            exit_code,
            status=finished.status,
            answer=finished.answer,
            message=finished.message,
            steps=finished.steps,
            usage=asdict(finished.usage),
            cost=finished.cost,
            commands_run=finished.commands,
            last_exit_code=finished.exit_code,
            remarks=list(finished.remarks),
        )

    def fail(self, error: TextAgentError) -> None:
        """Writes the result of a run that ended with an error."""
        kind, retryable = type(error).__name__, isinstance(error, ProviderError) and error.retryable
        told = {"kind": kind, "message": str(error), "hint": error.hint, "retryable": retryable}
        self._write_result(error.exit_code, status="error", message=str(error), error=told)

    def interrupt(self) -> None:
        """Writes the result of a run that the user interrupted."""
        self._write_result(130, status="interrupted", message="interrupted.")

    def _collect(self, event: Event) -> None:
        match event:
            case events.StepStarted():
                self._steps += 1
            case events.ReplyFinished(reply=reply):
                self._stop_reason = reply.stop_reason
                self._usage += reply.usage
            case events.ToolStarted(number=number, call=call):
                self._calls[number] = {"arguments": dict(call.arguments)}
            case ToolFinished():
                self._collect_result(event)
            case _:
                pass

    def _collect_result(self, event: ToolFinished) -> None:
        result, change = event.result, event.result.change
        started = self._calls.get(result.number, {"arguments": None})
        about = {"number": result.number, "name": result.name, **started}
        self._calls[result.number] = {**about, "status": result.status, "refusal": event.refusal}
        if change:
            self._changes.setdefault(change.path, change.fate)

    def _write_result(self, exit_code: int, **told: Any) -> None:
        if self._is_told:
            return
        # A call that has no result was running when an error ended the turn.
        calls = [call for call in self._calls.values() if "status" in call]
        result = {
            "type": "result",
            "exit_code": exit_code,
            "answer": "",
            "stop_reason": self._stop_reason,
            "steps": self._steps,
            "calls": calls,
            "files_changed": [{"path": path, "change": change} for path, change in self._files().items()],
            "usage": asdict(self._usage),
            "cost": None,
            "commands_run": None,
            "last_exit_code": None,
            "remarks": [],
            "protocol": self._counters.as_json(),
            "error": None,
            **self._session,
        }
        self._is_told = True
        self._write({**result, **told}, is_last=True)

    def _files(self) -> Mapping[str, str]:
        """What was recorded, and what the tools told of the rest."""
        checkpoints = self._checkpoints
        if not isinstance(checkpoints, Recorder):
            return self._changes
        known = set(map(readable, checkpoints.originals))
        told = {path: change for path, change in self._changes.items() if path not in known}
        return {**told, **changed_files(checkpoints)}

    def _write(self, value: Json, *, is_last: bool = False) -> None:
        """Writes a line, which an interrupt must not break; one that does not wait ends all output."""
        line = json.dumps(value, default=str) + "\n"
        with unbroken(is_last=is_last):
            try:
                self._stdout.write(line)
                self._stdout.flush()
            except KeyboardInterrupt:
                give_up(self._stdout)
                raise
