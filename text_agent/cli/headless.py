"""One task without a terminal: the answer on standard output, everything else beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from text_agent import events
from text_agent.agent.agent import Agent
from text_agent.cli.endings import give_up
from text_agent.cli.json_output import JsonReport, Output
from text_agent.config.limits import STDIN_MAX_CHARS
from text_agent.errors import TextAgentError
from text_agent.events import ConversationEvent, Event, ReplyEvent, TurnFinished, WorkEvent
from text_agent.permissions.policy import Cause, Review, ReviewRequest
from text_agent.protocol.guard.neutralising import neutralise
from text_agent.protocol.templates import load_template
from text_agent.protocol.writing import render_standard_input
from text_agent.text.sanitize import reveal
from text_agent.text.truncation import truncate

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
        line = "" if isinstance(event, ConversationEvent) else _line(event)
        if line:
            self._write(reveal(line) + "\n")

    def _write(self, text: str) -> None:
        """Writes it, unless nobody can hear of it any more: the task goes on."""
        try:
            self.stream.write(text)
            self.stream.flush()
        except OSError:
            give_up(self.stream)


def _line(event: ReplyEvent | WorkEvent) -> str:
    match event:
        case events.ToolStarted() | events.RetryScheduled() | events.ConversationCompacted():
            return event.line
        case events.ToolFinished(result=result) if result.status == "denied":
            return f"#{result.number} denied: {result.text.splitlines()[0]}"
        case events.ToolFinished(result=result):
            return f"#{result.number} {result.status}" + _reason(result.status, result.text)
        case events.PlanUpdated(summary=line) | events.Notice(text=line):
            return line
        case TurnFinished():
            return _end(event)
        case events.StepStarted() | events.TextReceived() | events.ReasoningReceived():
            return ""
        case events.ReplyFinished() | events.ContextMeasured():
            return ""


def _end(turn: TurnFinished) -> str:
    """Why there is no answer, if there is none, and what the turn took."""
    unfinished = turn.answer if turn.message and turn.status != "answered" else ""
    message = f"text-agent: {turn.message}" if turn.message else ""
    usage = f"usage: {turn.spent}" if turn.spent else ""
    return "\n".join(filter(None, [unfinished, message, usage]))


def _reason(status: str, text: str) -> str:
    return "" if status == "ok" else f": {text.splitlines()[0] if text else ''}"


class AnswerOutput(Output):
    """Writes the answer, alone; at a terminal nothing in it acts on the terminal."""

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout

    def finish(self, finished: TurnFinished, exit_code: int) -> None:  # noqa: ARG002
        """Writes the answer, if there is one."""
        if finished.status == "answered":
            answer = finished.answer
            self._stdout.write((reveal(answer) if self._stdout.isatty() else answer) + "\n")
            self._stdout.flush()


def create_output(form: str, stdout: TextIO) -> Output:
    """The output of the form `text`, `json` or `stream-json`."""
    return AnswerOutput(stdout) if form == "text" else JsonReport(stdout, live=form == "stream-json")


@contextmanager
def reporting(output: Output) -> Iterator[None]:
    """Tells `output` what ends the body before its time."""
    try:
        yield
    except TextAgentError as error:
        output.fail(error)
        raise
    except KeyboardInterrupt:
        output.interrupt()
        raise


def run_headless(agent: Agent, prompt: str, output: Output, data: str = "") -> int:
    """Runs one turn, about `data` from standard input, and tells `output` how it ended.

    Returns:
        The exit code: 0 answered; 3 stopped before an answer, or a write was denied, or nothing was changed
            where something was to be; 130 interrupted.

    Raises:
        ProviderError: a request failed.
    """
    text = prompt
    if data.strip():
        harmless = neutralise(truncate(data, STDIN_MAX_CHARS), agent.tools)
        text = render_standard_input(prompt, harmless)
    output.watch(agent.checkpoints)
    # A prompt may be somebody else's text, such as that of an issue: a call in it is a quotation.
    finished = agent.run_turn(text, [prompt, data], task=prompt)
    exit_code = _exit_code(finished)
    output.finish(finished, exit_code)
    return exit_code


def _exit_code(finished: TurnFinished) -> int:
    if finished.status == "interrupted":
        return 130
    is_done = finished.status == "answered" and not finished.denied_write and not finished.unfulfilled
    return 0 if is_done else 3
