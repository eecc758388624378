"""What the calls of a turn have come to, as far as its end depends on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from text_agent.permissions.policy import Effect
from text_agent.protocol.types import ToolResult

Nudge = Literal["unwritten", "failed", "unrenamed", "unseen", "announced", "planned"]


@dataclass(slots=True)
class TurnFacts:
    """What the calls of a turn have come to so far.

    Attributes:
        request: what the user asked for.
        texts: what the model was shown of the project, by path.
        sees_all: that was all of it.
        test_command: runs the project's tests; empty if it has none, or they may not be run.
        find: gives the lines of the project that match a pattern, each behind its path; none if none does.
        looked: a call was answered.
        changed: a file was changed.
        failed: the last attempt to change a file failed.
        tested: the project's tests were run, and nothing can have changed since.
        tests_fail: they did when they were run last.
        denied: something was denied, so that the work cannot be finished.
        denied_write: a write was denied because nobody could be asked.
        open_step: the first step of the model's plan that is not done; empty without one.
        given: the nudges of this turn.
    """

    request: str
    texts: Mapping[str, str] = field(default_factory=dict)
    sees_all: bool = True
    test_command: str = ""
    find: Callable[[str], Sequence[str]] = lambda _: ()
    looked: bool = False
    changed: bool = False
    failed: bool = False
    tested: bool = False
    tests_fail: bool = False
    denied: bool = False
    denied_write: bool = False
    open_step: str = ""
    given: set[Nudge] = field(default_factory=set)

    def note(self, result: ToolResult, effect: Effect | None, *, unattended: bool = False) -> None:
        """Takes down a call's result; nobody could be asked about it if it is `unattended`."""
        done = result.status == "ok"
        self.looked = True
        self.denied |= result.status == "denied"
        if result.name == "update_plan" and done:
            self.open_step = result.text.partition("\n")[0].partition("; next: ")[2]
        if effect == "write":
            self.denied_write |= unattended
            self.changed |= done
            # What was not run tells nothing new.
            self.failed = result.status == "error" or (self.failed and result.status == "not run")
            self.tested &= not done
        elif effect == "execute":
            self.tested &= result.status in ("denied", "not run")
