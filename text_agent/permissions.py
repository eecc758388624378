"""What a tool call may do without asking, and what a person is asked.

A decision is the policy's, a review is the person's: the policy says whether to ask, the person
says yes or no, and may say yes to all that follows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

Effect = Literal["read", "write", "execute"]
Decision = Literal["allow", "ask"]
PermissionMode = Literal["ask", "all"]


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """What a person is asked to approve.

    Attributes:
        tool: the tool's name.
        effect: what it would do.
        action: the call in one line.
        diff: the change it would make, for a write to a file; else empty.
        quoted: the same call stands in text that the model has read, so it may not be meant.
        loses: what the file would lose without anybody having asked for it, by name.
    """

    tool: str
    effect: Effect
    action: str
    diff: str = ""
    quoted: bool = False
    loses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Review:
    """A person's answer.

    Attributes:
        approved: whether the call runs.
        reason: why not, for the model to read; may be empty.
        for_session: whether the same effect needs no asking from now on.
        unattended: there was nobody to ask.
    """

    approved: bool
    reason: str = ""
    for_session: bool = False
    unattended: bool = False


class Approver(Protocol):
    """Where a review comes from: the terminal, or nobody."""

    def review(self, request: ReviewRequest) -> Review:
        """Asks, and waits for the answer."""
        ...


@dataclass(slots=True)
class PermissionPolicy:
    """Decides by a tool's effect. Reading is free, whatever else asks, unless the mode says otherwise."""

    mode: PermissionMode = "ask"
    _approved_effects: set[Effect] = field(default_factory=set)

    def decide(self, effect: Effect) -> Decision:
        """Says whether a call with this effect runs at once or a person is asked."""
        if effect == "read" or self.mode == "all" or effect in self._approved_effects:
            return "allow"
        return "ask"

    def approve_for_session(self, effect: Effect) -> None:
        """Remembers that the person said yes to all calls with this effect."""
        self._approved_effects.add(effect)
