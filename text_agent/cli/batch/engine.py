"""Runs tasks at once; where they run is an engine's own affair."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from text_agent.cli.batch.outcome import Outcome
from text_agent.cli.batch.results import Results
from text_agent.cli.batch.run_task import Conditions, run_task
from text_agent.cli.batch.tasks import Task


class Engine(Protocol):
    """Runs tasks, some at once.

    A task is taken from `tasks` only when it begins, so that what is known by then can decide of it. Once
    the generator is closed or raises, nothing that it has started runs; who was given up has no outcome.
    """

    def run(self, tasks: Iterable[Task]) -> Generator[Outcome, None, None]:
        """Yields the outcomes as they come."""
        ...


class LocalEngine:
    """Runs so many tasks at once on this machine; the results say where each one's folder is."""

    def __init__(self, jobs: int, conditions: Conditions, results: Results) -> None:
        self._jobs = jobs
        self._conditions = conditions
        self._results = results

    def run(self, tasks: Iterable[Task]) -> Generator[Outcome, None, None]:
        """Yields the outcomes as they come."""
        waiting = iter(tasks)
        with _stopping() as stop, ThreadPoolExecutor(self._jobs) as pool:
            lifeline = replace(self._results.lifeline, stop=stop.descriptor)

            def begin(task: Task) -> Future[Outcome]:
                folder = self._results.folder_of(task.id)
                return pool.submit(run_task, task, self._conditions, folder, lifeline)

            try:
                yield from _outcomes(waiting, begin, self._jobs)
            finally:
                stop()


def _outcomes(
    waiting: Iterator[Task], begin: Callable[[Task], Future[Outcome]], jobs: int
) -> Generator[Outcome, None, None]:
    running: set[Future[Outcome]] = set()
    while True:
        while len(running) < jobs and (task := next(waiting, None)):
            running.add(begin(task))
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in done)


class _Stop:
    """Gives up all programs that have its descriptor."""

    def __init__(self, descriptor: int, other: int) -> None:
        self.descriptor = descriptor
        self._other = other

    def __call__(self) -> None:
        os.write(self._other, b"!")


@contextmanager
def _stopping() -> Iterator[_Stop]:
    descriptor, other = os.pipe()
    try:
        yield _Stop(descriptor, other)
    finally:
        os.close(descriptor)
        os.close(other)
