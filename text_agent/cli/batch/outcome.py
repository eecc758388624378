"""What became of a task: one line of the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """How a task's check ended."""

    exit_code: int | None  # of its command line; None: it took too long, and was ended
    seconds: float  # that it took
    output: str  # the end of what it printed


@dataclass(frozen=True, slots=True)
class Outcome:
    """One task, and what became of it."""

    id: str  # of the task
    task: str  # the task's digest: another one of the same name is another task
    solved: bool  # the check succeeded, or, without one, text-agent ended with 0
    status: str  # how the turn ended, as `--output json` tells it, or `time limit`
    exit_code: int | None  # of text-agent; None: it was ended at its time limit, or never began
    message: str = ""  # why there is no answer, or no result of the model at all; may be empty
    answer: str = ""  # of the model; may be empty
    # The file with all changes, relative to the run's folder; None: nothing was changed.
    patch: str | None = None
    # The file with the session, relative to the run's folder; None: there is none.
    session: str | None = None
    # None: the task has none, or it was not run, as the endpoint or the settings failed.
    check: Check | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)  # tokens, as `--output json` tells them
    cost: float | None = None  # None without prices
    steps: int = 0  # of the model
    # How calls were read, as `--output json` tells it.
    protocol: Mapping[str, Any] = field(default_factory=dict)
    provider: str | None = None  # that was asked; None: none was
    model: str | None = None  # that was asked
    seconds: float = 0.0  # that text-agent took
    ended: str = ""  # when, in ISO 8601

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
        ended = f"{self.status} (exit code {self.exit_code})" if self.exit_code else self.status
        return f"{ended}: {self.message}" if self.message else ended
