"""Takes changes back: the steps' former states, without losing what somebody else did since."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from text_agent.files.checkpoints.recorder import Changes, Recorder
from text_agent.files.checkpoints.restore import Restorer
from text_agent.files.checkpoints.states import Change, PathState


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo came to, by path relative to the workspace."""

    restored: list[str] = field(default_factory=list)  # these have their former content again
    removed: list[str] = field(default_factory=list)  # these did not exist before
    # These were changed by somebody else since, and are as they were.
    left: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)  # these are already as they were
    failed: dict[str, str] = field(default_factory=dict)  # these could not be brought back, and why


def find_conflicts(recorder: Recorder, count: int) -> list[str]:
    """The paths of the last `count` steps that somebody else has changed since the agent did."""
    changes = _net(recorder.steps[-count:])
    return sorted(path for path, change in changes.items() if _conflicts(recorder, path, change))


def undo(recorder: Recorder, count: int, overwrite: Collection[str] = ()) -> UndoReport:
    """Takes back the last `count` steps; paths changed by others since only if they are in `overwrite`."""
    changes = _net(recorder.steps[-count:])
    conflicts = set(find_conflicts(recorder, count)) - set(overwrite)
    wanted = {path: change.before for path, change in changes.items() if path not in conflicts}
    unchanged = {
        path for path, state in wanted.items() if recorder.now(path, changes[path].after).state == state
    }
    with recorder.store.reading() as read:
        restorer = Restorer(recorder.root, read)
        restorer.restore(wanted)
    failed = restorer.failed
    recorder.steps[-count:] = _left_over(recorder.steps[-count:], failed)
    report = UndoReport(left=sorted(conflicts), failed=failed, unchanged=sorted(unchanged))
    for path in sorted(wanted.keys() - failed.keys() - unchanged):
        if not _is_folder(changes[path]):
            (report.restored if wanted[path] else report.removed).append(path)
    return report


def _net(steps: Iterable[Changes]) -> Changes:
    net: Changes = {}
    for changes in steps:
        for path, change in changes.items():
            net[path] = net[path].then(change) if path in net else change
    return net


def _conflicts(recorder: Recorder, path: str, change: Change) -> bool:
    now = recorder.now(path, change.after).state
    if now == change.before:
        return False
    if change.makes_folder and now and now.kind == "folder":
        return False  # it is removed only if it is empty
    return change.disturbed or now != change.after


def _left_over(steps: Iterable[Changes], failed: Collection[str]) -> list[Changes]:
    left = (
        {path: it for path, it in changes.items() if path in failed and (not it.before or it.before.kept)}
        for changes in steps
    )
    return [changes for changes in left if changes]


def _is_folder(change: Change) -> bool:
    state: PathState | None = change.before or change.after
    return state is not None and state.kind == "folder"
