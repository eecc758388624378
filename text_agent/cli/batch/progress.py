"""What the user sees of a run: a bar on a terminal, a line for each task elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from text_agent.cli.batch.outcome import Outcome
from text_agent.text.sanitize import reveal

_MINUTE = 60


@dataclass
class Counts:
    """What is known of a run so far."""

    total: int  # all tasks of the file
    done: int = 0  # those that have a result
    solved: int = 0  # those of them that are solved
    cost: float = 0.0  # of all that was run
    clock: Callable[[], float] = time.monotonic
    began_with: int = field(init=False)
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began_with = self.done
        self._began = self.clock()

    @property
    def failed(self) -> int:
        """Those that have a result and are not solved."""
        return self.done - self.solved

    @property
    def told(self) -> str:
        """Failures, rate and cost, in a few words."""
        minutes = (self.clock() - self._began) / _MINUTE
        rate = (self.done - self.began_with) / minutes if minutes > 0 else 0.0
        cost = f", cost {self.cost:.4g}" if self.cost else ""
        return f"{self.failed} failed, {rate:.1f} a minute{cost}"


class Lines:
    """Tells on a stream, a line each, what became of the tasks."""

    def __init__(self, stream: TextIO, counts: Counts) -> None:
        self._stream = stream
        self._counts = counts

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is left to be done."""

    def tell(self, outcome: Outcome) -> None:
        """Tells of one more."""
        self._write(f"{self._counts.done}/{self._counts.total} {_line(outcome)}")

    def _write(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()


class Bar:
    """Shows a bar on a terminal, and above it the tasks that failed."""

    def __init__(self, stream: TextIO, counts: Counts) -> None:
        self._counts = counts
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
        console = Console(file=stream, highlight=False, markup=False)
        self._progress = Progress(*columns, console=console, transient=True)
        self._bar = self._progress.add_task(counts.told, total=counts.total, completed=counts.done)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def tell(self, outcome: Outcome) -> None:
        """Tells of one more."""
        if not outcome.solved:
            self._progress.console.print(_line(outcome), soft_wrap=True)
        counts = self._counts
        self._progress.update(self._bar, completed=counts.done, description=counts.told, refresh=True)


def _line(outcome: Outcome) -> str:
    cost = f", cost {outcome.cost:.4g}" if outcome.cost else ""
    reason = reveal(" ".join(outcome.reason.split())) or "solved"
    return f"{outcome.id}: {reason} ({outcome.seconds:.1f} s{cost})"
