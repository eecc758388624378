"""Runs one tool: asks where that is needed, records what it changes, and takes back what nobody allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from text_agent.agent.actions import Touched, action_of, secret_readings, touched_by
from text_agent.agent.keys import put_keys_back, refuse_lost_key
from text_agent.agent.reviews import Reviews
from text_agent.commands.power.watch import PowerChanges, PowerWatch
from text_agent.errors import ToolError
from text_agent.files.checkpoints.recorder import Checkpoints
from text_agent.files.workspace import FileChange, Workspace
from text_agent.permissions.policy import Review
from text_agent.protocol.templates import fill_template
from text_agent.protocol.types import AppliedChange
from text_agent.signals import unbroken
from text_agent.text.masking import Masker
from text_agent.tools.tool import Outcome, Tool

_NOBODY = (
    "This always needs the user's own yes, and there is no terminal to ask in. Do not try to do it in another"
    " way; say in your answer what is left for the user to do."
)


class TakenBackError(Exception):
    """A tool was run, and something that it had done was taken back.

    Attributes:
        outcome: what it came to, and what was taken back.
        unattended: there was nobody to ask.
    """

    def __init__(self, outcome: Outcome, *, unattended: bool) -> None:
        super().__init__(outcome.text)
        self.outcome = outcome
        self.unattended = unattended


@dataclass(frozen=True, slots=True)
class Execution:
    """A tool that was run."""

    outcome: Outcome  # what it came to
    change: FileChange | None = None  # the change of a file that it made, if it proposed one
    reviewed: bool = False  # a person saw that change before it was made

    @property
    def is_foreign(self) -> bool:
        """Whether the text may come from files or commands, not from the model itself."""
        return self.change is None or not self.change.whole


@dataclass(frozen=True, slots=True)
class Executor:
    """Runs the tools of a session."""

    workspace: Workspace  # where they work
    reviews: Reviews  # decide whether a call may run
    checkpoints: Checkpoints  # record what is changed
    mask: Masker  # takes the user's keys out of a text

    def run(self, tool: Tool, arguments: dict[str, Any], *, quoted: bool) -> Execution:
        """Runs a tool with arguments that are bound to its signature.

        `quoted`: the same call stands in a text that the model has read. Raises `RefusedError`: the call must
        not run; `TakenBackError`: it was run, and must not have changed what it did; `ToolError`: the tool
        failed.
        """
        touched = touched_by(tool, arguments, self.workspace)
        for secret in secret_readings(tool, arguments, self.workspace, touched):
            self.reviews.permit(tool, secret, arguments, "", quoted=False)
        with_keys = put_keys_back(tool, arguments, self.workspace, touched, self.mask)
        if tool.proposes_change:
            return self._change(tool, arguments, with_keys, touched, quoted=quoted)
        action = action_of(tool, arguments, self.workspace, touched)
        self.reviews.permit(tool, action, arguments, "", quoted=quoted)
        with self._recording(tool, touched):
            return Execution(self._call(tool, arguments, with_keys))

    def _change(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        with_keys: Mapping[str, Any],
        touched: list[Touched],
        *,
        quoted: bool,
    ) -> Execution:
        """Makes the change of a file that a tool proposes."""
        change = tool.function(**with_keys)
        if not isinstance(change, FileChange):
            raise TypeError(f"it promised a FileChange and gave {type(change).__name__}")
        refuse_lost_key(change, self.mask)
        diff = self.mask(change.diff())
        action = action_of(tool, arguments, self.workspace, touched, change)
        reviewed = self.reviews.permit(tool, action, arguments, diff, quoted=quoted, change=change)
        with ExitStack() as records:
            for target in change.targets:
                records.enter_context(self.checkpoints.recording_write(target))
            lost = self.workspace.apply(change)
        text = " ".join(filter(None, [change.summary, lost]))
        return Execution(
            Outcome(text, change=AppliedChange(change.path, diff, change.fate)), change, reviewed
        )

    def _recording(self, tool: Tool, touched: list[Touched]) -> AbstractContextManager[object]:
        if tool.effect == "read":
            return nullcontext()
        return self.checkpoints.recording_command([each.target for each in touched])

    def _call(self, tool: Tool, arguments: Mapping[str, Any], with_keys: Mapping[str, Any]) -> Outcome:
        """Calls a tool that proposes no change; one that runs programs may change any file."""

        def run() -> Outcome:
            given = tool.function(**with_keys)
            return given if isinstance(given, Outcome) else Outcome(str(given))

        def ask(changes: PowerChanges) -> Review:
            return self.reviews.ask_about(tool, changes, arguments)

        return run_watched(self.workspace.root, run, ask) if tool.effect == "execute" else run()


def run_watched(root: Path, run: Callable[[], Outcome], ask: Callable[[PowerChanges], Review]) -> Outcome:
    """Runs what may change any file: changes that grant power later stay only with a person's yes.

    `run`: the tool with its arguments. `ask`: shows changes that grant power to a person; they have been
    taken back before. Raises `TakenBackError`: the person said no; `ToolError`: the tool failed.
    """
    watch = PowerWatch(root)
    failure: ToolError | None = None
    try:
        outcome = run()
    except ToolError as error:
        failure, outcome = error, Outcome(str(error))
    except BaseException as stop:
        changes = _take_back(watch)
        if changes and isinstance(stop, KeyboardInterrupt):
            raise KeyboardInterrupt(f"{stop} {_told(changes)}") from stop
        raise
    changes = _take_back(watch)
    if changes:
        _review(changes, ask(changes), outcome)
    if failure:
        raise failure
    return outcome


def _take_back(watch: PowerWatch) -> PowerChanges | None:
    with unbroken():
        return watch.take_back()


def _review(changes: PowerChanges, review: Review, outcome: Outcome) -> None:
    if review.approved:
        changes.put_back()
        return
    why = f"The user said no: {review.reason}" if review.reason else "The user said no."
    told = _told(changes, _NOBODY if review.unattended else why)
    outcome = replace(outcome, text=f"{told}\n{outcome.text}")
    raise TakenBackError(outcome, unattended=review.unattended)


def _told(changes: PowerChanges, why: str = "") -> str:
    left = [
        *(f"What it had moved to {path} is called {name} now." for path, name in changes.aside.items()),
        *(f"{path} could not be taken back: {reason}." for path, reason in changes.failed.items()),
    ]
    paths = ", ".join(changes.paths)
    return fill_template("taken_back", paths=paths, more=" ".join(filter(None, [why, *left])))
