"""What became of a task: one line of the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """How a task's check ended.

    Attributes:
        exit_code: of its command line; None: it took too long, and was ended.
        seconds: that it took.
        output: the end of what it printed.
    """

    exit_code: int | None
    seconds: float
    output: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """One task, and what became of it.

    Attributes:
        id: of the task.
        task: the task's digest: another one of the same name is another task.
        solved: the check succeeded, or, without one, text-agent ended with 0.
        status: how the turn ended, as `--output json` tells it, or `time limit`.
        exit_code: of text-agent; None: it was ended at its time limit, or never began.
        message: why there is no answer, or no result of the model at all; may be empty.
        answer: of the model; may be empty.
        patch: the file with all changes, relative to the run's folder; None: nothing was changed.
        session: the file with the session, relative to the run's folder; None: there is none.
        check: None: the task has none, or it was not run, as the endpoint or the settings failed.
        usage: tokens, as `--output json` tells them.
        cost: None without prices.
        steps: of the model.
        protocol: how calls were read, as `--output json` tells it.
        provider: that was asked; None: none was.
        model: that was asked.
        seconds: that text-agent took.
        ended: when, in ISO 8601.
    """

    id: str
    task: str
    solved: bool
    status: str
    exit_code: int | None
    message: str = ""
    answer: str = ""
    patch: str | None = None
    session: str | None = None
    check: Check | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    cost: float | None = None
    steps: int = 0
    protocol: Mapping[str, Any] = field(default_factory=dict)
    provider: str | None = None
    model: str | None = None
    seconds: float = 0.0
    ended: str = ""

    @property
    def line(self) -> bytes:
        """The line of the results, with its line break."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @property
    def reason(self) -> str:
        """Why it is not solved, in a few words; empty if it is."""
        if self.solved:
            return ""
        if self.check and self.check.exit_code != 0:
            code = self.check.exit_code
            return "the check took too long" if code is None else f"the check ended with {code}"
        return f"{self.status}: {self.message}" if self.message else self.status
