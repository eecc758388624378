"""What a tool call may do without asking, and what a person is asked.

A decision is the policy's, a review is the person's: the policy says whether a call runs, is refused or is
asked about; the person says yes or no, and may say yes to all that is like it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from text_agent.config.permission_mode import PermissionMode
from text_agent.files.power_paths import grants_power
from text_agent.own_programs.git import makes_git_folder
from text_agent.permissions.allowed import AllowedCommands

if TYPE_CHECKING:
    # What reads command lines is large: it is imported by the first one.
    from text_agent.permissions.command_lines.surroundings import Surroundings

Effect = Literal["read", "write", "execute"]
Verdict = Literal["allow", "ask", "deny"]
# Why a call is not simply allowed: the mode says so, or it is of a kind that is asked about in every mode.
Cause = Literal["mode", "secret", "power", "danger"]


@dataclass(frozen=True, slots=True)
class Action:
    """What a call would do."""

    tool: str  # the tool's name
    effect: Effect  # of the call; that of reading a secret file is `read`, whatever the tool does with it
    # The files that it reads or changes, relative to the workspace, under all names that are known; none if
    # it is not known what it changes.
    paths: tuple[str, ...] = ()
    secret: bool = False  # they are secret, and would be read
    command: str | None = None  # the command line that it runs; None if it runs none


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy says of an action."""

    verdict: Verdict  # whether it runs, is refused, or a person is asked
    cause: Cause = "mode"  # why it is not allowed
    reason: str = ""  # the same in half a sentence, for the user; may be empty


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """What a person is asked to approve."""

    tool: str  # the tool's name
    effect: Effect  # what it would do
    action: str  # the call in one line
    diff: str = ""  # the change it would make, for a write to a file; else empty
    quoted: bool = False  # the same call stands in text that the model has read, so it may not be meant
    loses: tuple[str, ...] = ()  # what the file would lose without anybody having asked for it, by name
    cause: Cause = "mode"  # why it is asked
    reason: str = ""  # the same in half a sentence; may be empty
    command: str = ""  # the command line, for a command; else empty
    prefix: str = ""  # the beginning of commands that may be allowed with this one; may be empty
    lasts: bool = False  # a yes can be remembered for the project


@dataclass(frozen=True, slots=True)
class Review:
    """A person's answer."""

    approved: bool  # whether the call runs
    reason: str = ""  # why not, for the model to read; may be empty
    for_session: bool = False  # whether the same needs no asking from now on
    for_project: bool = False  # whether it needs none in later sessions, either
    by_prefix: bool = False  # `the same` means all commands with the request's prefix
    unattended: bool = False  # there was nobody to ask


class Approver(Protocol):
    """Where a review comes from: the terminal, or nobody."""

    def review(self, request: ReviewRequest) -> Review:
        """Asks, and waits for the answer."""
        ...


class PermissionPolicy:
    """Decides about calls. Reading is free but for secrets; what may be lost for good always asks."""

    def __init__(
        self,
        around: Surroundings,
        mode: PermissionMode = "ask",
        *,
        allow_secrets: bool = False,
        allowed: AllowedCommands | None = None,
    ) -> None:
        """Begins with the `allowed` commands; without them, a yes is for the session only.

        `allow_secrets`: secret files may be read without asking.
        """
        self.mode: PermissionMode = mode
        self._around = around
        self._allow_secrets = allow_secrets
        self._commands = allowed or AllowedCommands(around.root)
        self._approved: set[Action] = set()

    def decide(self, action: Action) -> Decision:
        """Says whether a call runs at once, is refused, or a person is asked."""
        if action.secret and not self._allow_secrets and _kind_of(action) not in self._approved:
            return Decision("ask", "secret", f"{', '.join(action.paths)} may hold secrets")
        if action.effect == "read":
            return Decision("allow")
        if action.effect == "write" or action.command is None:
            return self._decide_change(action)
        return self._decide_command(action, action.command)

    def request(self, action: Action, decision: Decision, line: str, diff: str = "") -> ReviewRequest:
        """What a person is asked about an action; `line` is the call in one line."""
        from text_agent.permissions.command_lines.assessment import propose_prefix

        command = action.command or ""
        is_usual = decision.cause == "mode"
        return ReviewRequest(
            action.tool,
            action.effect,
            line,
            diff,
            cause=decision.cause,
            reason=decision.reason,
            command=command,
            prefix=propose_prefix(command) if is_usual else "",
            lasts=is_usual and bool(command) and self._commands.lasts,
        )

    def remember(self, action: Action, request: ReviewRequest, review: Review) -> None:
        """Remembers a yes that is for more than this call, unless such a call is asked about every time."""
        if request.cause in ("danger", "power") or (request.cause == "secret" and action.effect != "read"):
            return
        if action.command:
            prefix = request.prefix if review.by_prefix else ""
            if review.for_session or review.for_project:
                self._commands.add(action.command, prefix=prefix, for_project=review.for_project)
        elif review.for_session:
            self._approved.add(_kind_of(action))

    def forget(self) -> None:
        """Takes back every yes that was for more than one call."""
        self._approved.clear()
        self._commands.forget()

    def approvals(self) -> list[str]:
        """What was allowed for more than one call, a line each, for the user."""
        approved = [
            f"this session: {', '.join(action.paths) or action.tool or 'changes of files'}"
            for action in self._approved
        ]
        return [*sorted(approved), *self._commands.lines()]

    def _decide_change(self, action: Action) -> Decision:
        """Says the same of a write, and of a tool that runs something other than a command line."""
        is_write = action.effect == "write"
        if self.mode == "read-only":
            return Decision("deny", reason="the permission mode is read-only")
        if is_write and not action.paths:
            return Decision("ask", "danger", f"it is not known which files {action.tool} changes")
        if power := _power(action, self._around.root):
            return power
        is_free = self.mode == "all" or (is_write and self.mode == "edits")
        return Decision("allow" if is_free or _kind_of(action) in self._approved else "ask")

    def _decide_command(self, action: Action, command: str) -> Decision:
        from text_agent.permissions.command_lines.assessment import assess

        line = assess(command, self._around)
        cause: Cause = "mode" if line.kind == "reads" or line.kind == "other" else line.kind
        if line.only_reads and (line.kind == "reads" or self._allow_secrets):
            return Decision("allow")
        if self.mode == "read-only" and not line.only_reads:
            return Decision("deny", cause, line.reason)
        if cause in ("danger", "power") or (cause == "secret" and not self._allow_secrets):
            return Decision("ask", cause, line.reason)
        is_allowed = _kind_of(action) in self._approved or self._commands.allow(command)
        return Decision("allow") if self.mode == "all" or is_allowed else Decision("ask", reason=line.reason)


def _power(action: Action, root: Path) -> Decision | None:
    """Asks about a file that grants power later; None where there is none among those of the action."""
    path = next(filter(grants_power, action.paths), "") or makes_git_folder(root, action.paths)
    return Decision("ask", "power", f"what stands in {path} may grant power later") if path else None


def _kind_of(action: Action) -> Action:
    """What a yes for the session is about: a secret file, all changes of files, or a tool."""
    if action.secret:
        return Action("", "read", action.paths, secret=True)
    return Action("", "write") if action.effect == "write" else Action(action.tool, action.effect)
