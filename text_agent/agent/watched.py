"""Runs what may change any file: changes that grant power later stay only with a person's yes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from text_agent.commands.power.watch import PowerChanges, PowerWatch
from text_agent.errors import ToolError
from text_agent.permissions.policy import Review
from text_agent.protocol.templates import load_template
from text_agent.signals import unbroken

_NOBODY = (
    "This always needs the user's own yes, and there is no terminal to ask in. Do not try to do it in another"
    " way; say in your answer what is left for the user to do."
)


class TakenBackError(Exception):
    """The tool was run, and something that it had done was taken back; the text is for the model.

    Attributes:
        unattended: there was nobody to ask.
    """

    def __init__(self, text: str, *, unattended: bool) -> None:
        super().__init__(text)
        self.unattended = unattended


def run_watched(root: Path, run: Callable[[], str], ask: Callable[[PowerChanges], Review]) -> str:
    """Runs a tool, and returns its result.

    Args:
        root: the workspace.
        run: the tool with its arguments.
        ask: shows changes that grant power to a person; they have been taken back before.

    Raises:
        TakenBackError: the person said no.
        ToolError: the tool failed.
    """
    watch = PowerWatch(root)
    failure: ToolError | None = None
    try:
        text = run()
    except ToolError as error:
        failure, text = error, str(error)
    except BaseException as stop:
        changes = _take_back(watch)
        if changes and isinstance(stop, KeyboardInterrupt):
            raise KeyboardInterrupt(f"{stop} {_told(changes)}") from stop
        raise
    changes = _take_back(watch)
    if changes:
        _review(changes, ask(changes), text)
    if failure:
        raise failure
    return text


def _take_back(watch: PowerWatch) -> PowerChanges | None:
    with unbroken():
        return watch.take_back()


def _review(changes: PowerChanges, review: Review, text: str) -> None:
    if review.approved:
        changes.put_back()
        return
    why = f"The user said no: {review.reason}" if review.reason else "The user said no."
    told = _told(changes, _NOBODY if review.unattended else why)
    raise TakenBackError(f"{told}\n{text}", unattended=review.unattended)


def _told(changes: PowerChanges, why: str = "") -> str:
    left = [
        *(f"What it had moved to {path} is called {name} now." for path, name in changes.aside.items()),
        *(f"{path} could not be taken back: {reason}." for path, reason in changes.failed.items()),
    ]
    paths = ", ".join(changes.paths)
    return load_template("taken_back").substitute(paths=paths, more=" ".join(filter(None, [why, *left])))
