"""`text-agent batch`: the tasks of a file, each in a copy of its own, as many at once as the user wants."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from text_agent.cli.assembly.parts import mode_of
from text_agent.cli.assembly.settings import read_settings
from text_agent.cli.assembly.streams import Streams
from text_agent.cli.batch.engine import Engine, LocalEngine
from text_agent.cli.batch.flags import write_task_flags
from text_agent.cli.batch.progress import Bar, Counts, Lines
from text_agent.cli.batch.results import Results
from text_agent.cli.batch.run_task import OWN_COMMAND, Conditions
from text_agent.cli.batch.tasks import Task, check_tasks, open_tasks, read_tasks
from text_agent.cli.endings import interrupt_on_signals
from text_agent.config.table import MONEY, number, whole_number
from text_agent.errors import ConfigError
from text_agent.signals import interrupted_once, unbroken

_MOST_SECONDS = 10_000_000.0
_JOBS = whole_number(1)
_SECONDS = number("a number of seconds above 0", _MOST_SECONDS)


def run_batch(arguments: argparse.Namespace, streams: Streams, command: tuple[str, ...] = OWN_COMMAND) -> int:
    """Runs the tasks that have no result yet; `command` starts text-agent.

    Returns the exit code: 0 if all tasks are solved, 1 if one is not, 130 if the run was interrupted. Raises
    `ConfigError`: nothing was run, as a flag, a setting, a task or the folder of the run is wrong.
    """
    interrupt_on_signals()
    jobs, out = int(_value("--jobs", arguments.jobs)), Path(arguments.out)
    max_cost = _value("--max-cost", arguments.max_cost) if arguments.max_cost else None
    with open_tasks(arguments.file) as file:
        conditions = _conditions(arguments, streams, out, command)
        total = check_tasks(file, out)
        with Results(out, retry_failed=arguments.retry_failed) as results:
            engine = LocalEngine(jobs, conditions, results)
            return _Batch(file, results, engine, max_cost, streams, total).run()


_KINDS = {"--jobs": _JOBS, "--max-seconds": _SECONDS, "--max-cost": MONEY}


def _value(flag: str, text: str) -> float:
    try:
        if (value := float(_KINDS[flag].parse(text))) > 0:
            return value
    except ValueError:
        pass
    raise ConfigError(f"{flag} is {text!r}, not {_KINDS[flag].expected}.")


def _conditions(
    arguments: argparse.Namespace, streams: Streams, out: Path, command: tuple[str, ...]
) -> Conditions:
    """What holds for all tasks; what would be wrong for each of them is told now."""
    seconds = _value("--max-seconds", arguments.max_seconds)
    mode_of(arguments)
    arguments.task = "-"  # nobody can be asked
    settings = read_settings(arguments, out, streams)
    arguments.max_cost = None  # that of the whole run
    found = settings.found.values if settings.found else {}
    return Conditions(
        shared=out.absolute() / "shared", flags=tuple(write_task_flags(arguments)), max_seconds=seconds,
        keeps_copies=arguments.keep, environment=found, command=command,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Batch:
    """One run of the command."""

    file: TextIO
    results: Results
    engine: Engine
    max_cost: float | None
    streams: Streams
    total: int

    def run(self) -> int:
        """Runs what has no result, tells of it, and returns the exit code."""
        mine = self._kept_of_mine()
        counts = Counts(self.total, len(mine), sum(mine), self.results.cost)
        try:
            with interrupted_once():
                self._run(counts)
        except KeyboardInterrupt:
            self._say(counts, "Interrupted; the same command goes on where it was.")
            return 130
        left = counts.total - counts.done
        self._say(counts, f"{left} not run: the cost has reached --max-cost." if left else "")
        return 0 if counts.solved == counts.total else 1

    def _kept_of_mine(self) -> list[bool]:
        """Which tasks of the file have a result, and whether they are solved."""
        found = []
        for task in read_tasks(self.file):
            if kept := self.results.kept.get(task.id):
                if kept.task != task.digest:
                    raise ConfigError(
                        f"the task {task.id!r} has changed since it was run.",
                        hint="Choose another --out, or give the task another id.",
                    )
                found.append(kept.solved)
        self.file.seek(0)
        return found

    def _run(self, counts: Counts) -> None:
        is_terminal = self.streams.stderr.isatty()
        shown = Bar(self.streams.stderr, counts) if is_terminal else Lines(self.streams.stderr, counts)
        with shown, closing(self.engine.run(self._waiting())) as outcomes:
            for outcome in outcomes:
                with unbroken():
                    self.results.add(outcome)
                    counts.done += 1
                    counts.solved += outcome.solved
                    counts.cost = self.results.cost
                    shown.tell(outcome)

    def _waiting(self) -> Iterator[Task]:
        """The tasks without a result, as long as there is money; each is asked for when it can begin."""
        for task in read_tasks(self.file):
            if task.id in self.results.kept:
                continue
            if self.max_cost is None:
                yield task
            elif (left := self.max_cost - self.results.cost) > 0:
                yield replace(task, max_cost=min(left, task.max_cost or left))

    def _say(self, counts: Counts, end: str) -> None:
        words = f"{counts.done} of {counts.total} tasks run, {counts.solved} solved, {counts.told}."
        self.streams.stdout.write(f"{words} {end}".strip() + "\n")
