"""The record of a run: which tasks have ended, whatever has ended the run.

A result counts once its line is whole and on the disk; a line that broke off is dropped. Each task has one
line; those of tasks that were run again are kept in `retried.jsonl`.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from text_agent.cli.batch.outcome import Outcome
from text_agent.commands.supervision import Lifeline
from text_agent.config.limits import BATCH_ENDING_SECONDS
from text_agent.errors import ConfigError
from text_agent.files.atomic_write import write_atomically
from text_agent.files.problems import reason_of

_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Kept:
    """What has to be known of a result: which task it is of, and whether that is solved."""

    task: str
    solved: bool


class Results:
    """The results in the folder of a run, which no other process has; a context manager to let it go.

    With `retry_failed`, tasks that are not solved count as not run. Raises `ConfigError`: the folder is in
    use, cannot be written, or holds something else.

    Attributes:
        kept: the results by the tasks' ids.
        cost: of all that was run, with what was run again.
        lifeline: keeps the folder from the next process as long as anything runs that this one has started.
    """

    def __init__(self, folder: Path, *, retry_failed: bool = False) -> None:
        self._folder = folder
        self._file, self._retried = folder / "results.jsonl", folder / "retried.jsonl"
        self.kept: dict[str, Kept] = {}
        self.cost = 0.0
        with ExitStack() as opened:
            try:
                self._take(opened)
                self._drop_broken_line()
                if retry_failed:
                    self._set_failed_aside()
                self._load()
                self._descriptor = self._opened(self._file.name, opened, os.O_APPEND)
            except OSError as error:
                raise ConfigError(f"{folder} cannot be used: {reason_of(error)}.") from error
            self._close = opened.pop_all().close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    @property
    def shared(self) -> Path:
        """A folder for what tasks share."""
        return self._folder / "shared"

    def folder_of(self, task_id: str) -> Path:
        """Where all that a task leaves lies."""
        return self._folder / "tasks" / task_id

    def add(self, outcome: Outcome) -> None:
        """Adds a result; it lasts once this returns. Raises `OSError`."""
        rest = memoryview(outcome.line)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        os.fsync(self._descriptor)
        self.kept[outcome.id] = Kept(outcome.task, outcome.solved)
        self.cost += outcome.cost or 0.0

    def _opened(self, name: str, opened: ExitStack, flags: int = 0) -> int:
        descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CREAT | flags, 0o600)
        opened.callback(os.close, descriptor)
        return descriptor

    def _take(self, opened: ExitStack) -> None:
        """Takes the folder; what a killed run has left there ends by itself, and is waited for."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._folder / "tasks").mkdir(exist_ok=True)
        if not _lock(self._opened("batch.lock", opened)):
            raise ConfigError(f"another batch is running in {self._folder}.")
        running = self._opened("running.lock", opened)
        self.lifeline = Lifeline(held=(running,))
        deadline = time.monotonic() + BATCH_ENDING_SECONDS
        while not _lock(running):
            if time.monotonic() > deadline:
                raise ConfigError(f"tasks of an earlier batch still run in {self._folder}: end them first.")
            time.sleep(_POLL_SECONDS)

    def _drop_broken_line(self) -> None:
        if not self._file.exists():
            return
        with self._file.open("r+b") as file:
            end = whole = 0
            for line in file:
                end += len(line)
                whole = end if line.endswith(b"\n") else whole
            file.truncate(whole)

    def _load(self) -> None:
        for _, result in self._read(self._file):
            self.kept[result["id"]] = Kept(result["task"], result["solved"])
            self.cost += result["cost"] or 0.0
        self.cost += sum(result["cost"] or 0.0 for _, result in self._read(self._retried))

    def _set_failed_aside(self) -> None:
        """Moves the lines of what failed; a kill in between leaves them in both files, and twice in none."""
        results = list(self._read(self._file))
        failed = [line for line, result in results if not result["solved"]]
        before = self._retried.read_bytes() if self._retried.exists() else b""
        known = set(before.splitlines(keepends=True))
        more = b"".join(line for line in failed if line not in known)
        write_atomically(self._retried, before + more, mode=0o600)
        write_atomically(
            self._file, b"".join(line for line, result in results if result["solved"]), mode=0o600
        )

    def _read(self, file: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
        if not file.exists():
            return
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    result = json.loads(line)
                    yield line, {name: result[name] for name in ("id", "task", "solved", "cost")}
                except (ValueError, TypeError, KeyError, RecursionError):
                    raise ConfigError(f"{file}, line {number}, is no result of a batch.") from None


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
