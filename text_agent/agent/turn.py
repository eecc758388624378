"""How far one turn is, and what its calls have come to."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from text_agent.agent.answers import Answer
from text_agent.messages import Message
from text_agent.protocol.types import Plan, ToolKind, ToolResult

Nudge = Literal["untrue", "failed", "unrenamed", "unseen", "announced", "planned"]


@dataclass(slots=True)
class Turn:
    """How far one turn is, as far as its end depends on it."""

    request: str  # what the user asks for
    max_steps: int = 1  # how many requests it may take
    asked: Sequence[Message] = ()  # the messages of the request, with what is attached to it
    results: Sequence[ToolResult] = ()  # those of the last reply's calls
    task: str = ""  # what the request asks to have done, where it holds more than that
    step: int = 0  # requests that were sent
    corrections: int = 0  # malformed replies in a row
    repetitions: int = 0  # replies that said the same over and over
    looked: bool = False  # a call was answered
    started: float = field(default_factory=time.time)  # when it began, in seconds since the epoch
    changed: bool = False  # a file was changed, by a tool or by a command
    files: set[str] = field(default_factory=set)  # those that tools changed, as the user knows them
    changed_unseen: bool = False  # a command may have changed others
    failed: bool = False  # the last attempt to change a file failed
    commands: int = 0  # those that were run
    exit_code: int = 0  # that of the last one; 0 without one
    tests_failed: bool = False  # the last tests that were run failed
    denied: bool = False  # something was denied, so that the work cannot be finished
    denied_write: bool = False  # a write was denied because nobody could be asked
    # Calls that may have changed something; a result of before the last one may be out of date.
    effects: int = 0
    plan: Plan | None = None  # the model's last one
    given: set[Nudge] = field(default_factory=set)  # the nudges of this turn

    def __post_init__(self) -> None:
        self.task = self.task or self.request

    @property
    def has_step_left(self) -> bool:
        """Whether another request may be sent."""
        return self.step < self.max_steps

    def note(self, answer: Answer, kind: ToolKind | None) -> None:
        """Records a call's answer; `kind` is its tool's."""
        status = answer.result.status
        self.looked = True
        self.denied |= status == "denied"
        self.plan = answer.result.plan or self.plan
        if kind == "changes":
            self.changed |= status == "ok"
            self.files |= {answer.result.change.path} if answer.result.change else set()
            # What was not run tells nothing new.
            self.failed = status == "error" or (self.failed and status == "not run")
            self.effects += status == "ok"
        if kind == "runs":
            self.effects += answer.took_back or status in ("ok", "error")
        if kind == "changes" or answer.took_back:
            self.denied_write |= answer.unattended

    def note_command(self, exit_code: int | None, *, changed: bool, tests_failed: bool | None = None) -> None:
        """Records how a command ended that was run, whether it has changed files, and how its tests went."""
        self.commands += 1
        self.exit_code = exit_code or 0
        self.changed |= changed
        self.changed_unseen |= changed
        self.tests_failed = self.tests_failed if tests_failed is None else tests_failed

    def first_new(self, nudges: Mapping[Nudge, str]) -> str:
        """Takes the first text whose nudge the turn has not had, and notes it; empty if there is none."""
        for nudge, text in nudges.items():
            if text and nudge not in self.given:
                self.given.add(nudge)
                return text
        return ""
