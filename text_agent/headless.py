"""One task without a terminal: the answer on standard output, everything else beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from text_agent.agent import Agent
from text_agent.events import (
    ConversationCompacted,
    Event,
    Notice,
    PlanUpdated,
    RetryScheduled,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from text_agent.permissions import Cause, Review, ReviewRequest
from text_agent.revealing import reveal
from text_agent.templates import load_template

_REFUSALS: Mapping[Cause, str] = {
    "mode": "unattended",
    "secret": "unattended_secret",
    "power": "unattended_always",
    "danger": "unattended_always",
}


class Unattended:
    """The approver where nobody can be asked: every review is a refusal that names the flag, if one helps."""

    def review(self, request: ReviewRequest) -> Review:
        """Refuses."""
        template = load_template(_REFUSALS[request.cause])
        reason = template.substitute(tool=request.tool, reason=request.reason)
        return Review(approved=False, reason=reason, unattended=True)


@dataclass(frozen=True, slots=True)
class ProgressLog:
    """Tells on `stream`, a line each, what the agent does."""

    stream: TextIO

    def __call__(self, event: Event) -> None:
        """Writes the event's line, if it is worth one."""
        line = _line(event)
        if line:
            self.stream.write(reveal(line) + "\n")
            self.stream.flush()


def _line(event: Event) -> str:
    match event:
        case ToolStarted(line=line):
            return line
        case ToolFinished(result=result) if result.status == "denied":
            return f"#{result.number} denied: {result.text.splitlines()[0]}"
        case ToolFinished(result=result):
            return f"#{result.number} {result.status}" + _reason(result.status, result.text)
        case PlanUpdated(summary=summary):
            return summary
        case RetryScheduled(line=line):
            return line
        case Notice(text=text):
            return text
        case ConversationCompacted(line=line):
            return line
        case TurnFinished():
            return _end(event)
        case _:
            return ""


def _end(turn: TurnFinished) -> str:
    """Why there is no answer, if there is none, and what the turn took."""
    unfinished = turn.answer if turn.message and turn.status != "answered" else ""
    message = f"text-agent: {turn.message}" if turn.message else ""
    usage = f"usage: {turn.spent}" if turn.spent else ""
    return "\n".join(filter(None, [unfinished, message, usage]))


def _reason(status: str, text: str) -> str:
    return "" if status == "ok" else f": {text.splitlines()[0] if text else ''}"


def run_headless(agent: Agent, prompt: str, stdout: TextIO) -> int:
    """Runs one turn and writes its answer, alone, to `stdout`.

    Returns:
        The exit code: 0 answered; 3 stopped before an answer, or a write was denied; 130 interrupted.

    Raises:
        ProviderError: a request failed.
    """
    finished = agent.run_turn(prompt)
    if finished.status == "interrupted":
        return 130
    if finished.status != "answered":
        return 3
    stdout.write(finished.answer + "\n")
    stdout.flush()
    return 3 if finished.denied_write else 0
