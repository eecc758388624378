"""`/undo` and `/diff`."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from text_agent.files.checkpoints.recorder import Recorder
from text_agent.files.checkpoints.session_diff import render_session_diff
from text_agent.files.checkpoints.store import StoreError
from text_agent.files.checkpoints.undo import UndoReport, find_conflicts, undo
from text_agent.files.problems import readable
from text_agent.protocol.writing import render_undone
from text_agent.terminal.slash.chat import Ask, Chat, answer_to
from text_agent.terminal.slash.kept import typed_number

_NO_GIT = "Changes are not recorded in this session: git is missing."
# Paths that are named in one sentence.
_NAMED = 10


def show_diff(chat: Chat, _argument: str) -> str:
    """All changes of the session."""
    recorder = chat.agent.checkpoints
    if not isinstance(recorder, Recorder):
        return _NO_GIT
    try:
        return render_session_diff(recorder) or "No file has changed in this session."
    except StoreError as error:
        return f"The changes cannot be shown: {error}."


def run_undo(chat: Chat, argument: str) -> str:
    """Takes back the last change, the last N, or all; asks before it overwrites what the user did."""
    recorder = chat.agent.checkpoints
    if not isinstance(recorder, Recorder):
        return _NO_GIT
    if not recorder.steps:
        return "There is nothing to undo."
    count = _count(argument, len(recorder.steps))
    if count is None:
        return "Say /undo for the last change, /undo 3 for the last three, or /undo all."
    conflicts = find_conflicts(recorder, count)
    answer = _answer(chat.ask, conflicts) if conflicts else "y"
    if answer == "n":
        return f"Nothing was undone. Changed by somebody else since: {_named(conflicts)}."
    try:
        report = undo(recorder, count, overwrite=conflicts if answer == "y" else ())
    except StoreError as error:
        return f"Nothing was undone: {error}."
    changed = [*report.restored, *report.removed]
    if changed:
        chat.agent.note(render_undone(map(readable, sorted(changed))))
    return _told(report)


def _count(argument: str, steps: int) -> int | None:
    if argument.lower() == "all":
        return steps
    if not argument:
        return 1
    return min(typed_number(argument), steps) or None


def _answer(ask: Ask | None, conflicts: Collection[str]) -> str:
    """What to do with changes of somebody else's: `y` lose them, `o` leave them, `n` do nothing."""
    question = (
        f"Changed since, and not by the agent: {_named(conflicts)}. "
        "Undo all the same, and lose that? [y]es, [n]o, [o]nly the others: "
    )
    while (word := answer_to(question, ask)) is not None:
        if word.lower() in ("y", "yes", "n", "no", "o", "only", "others"):
            return word[0].lower()
    return "n"


def _told(report: UndoReport) -> str:
    lines = [
        f"{title}: {_named(paths)}."
        for title, paths in (
            ("Restored", report.restored),
            ("Removed", report.removed),
            ("Left as you have changed it", report.left),
            ("Already as it was", report.unchanged),
        )
        if paths
    ]
    lines += [f"{readable(path)} could not be undone: {reason}." for path, reason in report.failed.items()]
    return "\n".join(lines) or "Undone; only folders, or nothing, had to change."


def _named(paths: Iterable[str]) -> str:
    names = [readable(path) for path in paths]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
