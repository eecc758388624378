"""Runs one task, in any process on any machine: all that it leaves lies in the task's own folder."""

from __future__ import annotations

import json
import os
import select
import shutil
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from text_agent.cli.assembly.parts import make_sandbox, session_store
from text_agent.cli.batch.flags import read_task_flags
from text_agent.cli.batch.outcome import Check, Outcome
from text_agent.cli.batch.tasks import Task
from text_agent.cli.batch.workspaces import Copy, make_copy, remove_tree
from text_agent.commands.capture import Capture
from text_agent.commands.processes import drain
from text_agent.commands.supervision import Lifeline, Standard, Stopped, Tied, run_supervised
from text_agent.config.limits import BATCH_CHECK_CHARS, BATCH_CHECK_SECONDS
from text_agent.errors import TextAgentError
from text_agent.files.checkpoints.store import ShadowStore
from text_agent.files.problems import reason_of
from text_agent.files.workspace import Workspace
from text_agent.own_programs.processes import users_environment
from text_agent.providers.shared_wait import SharedWait
from text_agent.tools.run_command import CommandHost

OWN_COMMAND = (sys.executable, "-P", "-m", "text_agent")
_WAIT = "endpoint.wait"
# With these, text-agent has come to an end: there is something to check.
_CHECKED_CODES = (0, 3, None)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all tasks of a run have in common."""

    # A folder for all tasks of one machine, with what is fetched, and until when the endpoint is left alone.
    shared: Path
    flags: tuple[str, ...] = ()  # of text-agent
    max_seconds: float = 3600.0  # for a task that says nothing else
    keeps_copies: bool = False  # the folders that were worked in stay
    # Where text-agent is started: paths of the flags are relative to it.
    folder: Path = field(default_factory=Path.cwd)
    environment: Mapping[str, str] = field(default_factory=dict)  # variables beside this process's own
    command: tuple[str, ...] = OWN_COMMAND  # starts text-agent


def run_task(task: Task, conditions: Conditions, folder: Path, lifeline: Lifeline | None = None) -> Outcome:
    """Runs a task from the beginning, whatever lies in its `folder`, which has all that it leaves afterwards.

    `lifeline` is that of all programs that are started. Raises `Stopped`: the task was given up.
    """
    lifeline, folder = lifeline or Lifeline(), folder.absolute()
    try:
        _wait_for_the_endpoint(conditions, lifeline)
        _take_session(folder)  # of a run that was killed
        remove_tree(folder)
        folder.mkdir(parents=True)
        copy = make_copy(task, folder, conditions.shared, lifeline)
        try:
            return _Run(task, conditions, folder, lifeline, copy).outcome()
        finally:
            remove_tree(copy.base.folder)
            if not conditions.keeps_copies:
                remove_tree(copy.folder)
    except (OSError, TextAgentError) as error:
        message = reason_of(error) if isinstance(error, OSError) else str(error)
        return Outcome(
            task.id, task.digest, solved=False, status="error", exit_code=None, message=message, ended=_now()
        )


def _wait_for_the_endpoint(conditions: Conditions, lifeline: Lifeline) -> None:
    """Begins nothing as long as the endpoint has asked for a pause, and so costs no task of its time."""
    conditions.shared.mkdir(parents=True, exist_ok=True)
    wait = SharedWait(conditions.shared / _WAIT)
    while (seconds := wait.seconds()) > 0:
        if lifeline.stop is None:
            time.sleep(seconds)
        elif select.select([lifeline.stop], [], [], seconds)[0]:
            raise Stopped


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of one task, whose copy has been made."""

    task: Task
    conditions: Conditions
    folder: Path
    lifeline: Lifeline
    copy: Copy

    def outcome(self) -> Outcome:
        """Asks the model, and tells what came of it. Raises `CopyError`, `Stopped` or `OSError`."""
        began = time.monotonic()
        try:
            code = self._ask()
        finally:  # a task that was given up leaves nothing among the user's sessions, either
            session = _take_session(self.folder)
        told = _told(self.folder)
        seconds = round(time.monotonic() - began, 2)
        patch = self.folder / "patch.diff"
        has_patch = self.copy.write_patch(patch)
        check = self._check() if self.task.check and code in _CHECKED_CODES else None
        return Outcome(
            self.task.id, self.task.digest,
            solved=check.exit_code == 0 if check else code == 0,
            status="time limit" if code is None else told.get("status", "error"), exit_code=code,
            message=told.get("message") or ("" if told else "text-agent gave no result; log.txt says why."),
            answer=told.get("answer", ""), patch=self._name(patch) if has_patch else None,
            session=self._name(session) if session else None, check=check, usage=told.get("usage", {}),
            cost=told.get("cost"), steps=told.get("steps", 0), protocol=told.get("protocol", {}),
            provider=told.get("provider"), model=told.get("model"), seconds=seconds, ended=_now(),
        )  # fmt: skip

    def _ask(self) -> int | None:
        """Runs text-agent, and returns its exit code; None: its time was over."""
        limits = {"--max-steps": self.task.max_steps, "--max-cost": self.task.max_cost}
        words = [word for flag, value in limits.items() if value is not None for word in (flag, str(value))]
        own = ("-p", "-", "--output", "json", "-C", str(self.copy.folder))
        argv = [*self.conditions.command, *own, *self.conditions.flags, *self.task.flags, *words]
        prompt = self.folder / "prompt.txt"
        prompt.write_text(self.task.prompt, encoding="utf-8")
        with (
            prompt.open("rb") as given,
            (self.folder / "result.json").open("wb") as output,
            (self.folder / "log.txt").open("wb") as errors,
        ):
            standard = Standard(given.fileno(), output.fileno(), errors.fileno())
            seconds = self.task.max_seconds or self.conditions.max_seconds
            program = Tied(argv, self._environment(), self.conditions.folder, standard, self.lifeline)
            return run_supervised(program, seconds)

    def _environment(self) -> dict[str, str]:
        # A folder without a repository is in none, whatever the run's own folder lies in.
        own = {
            "GIT_CEILING_DIRECTORIES": str(self.folder.resolve()),
            "TEXT_AGENT_SHARED_WAIT": str(self.conditions.shared / _WAIT),
        }
        return {**users_environment(), **self.conditions.environment, **own}

    def _check(self) -> Check:
        """Runs the check as the model's own commands are run: it runs what the model has written."""
        workspace = Workspace(self.copy.folder)
        flags = read_task_flags((*self.conditions.flags, *self.task.flags))
        sandbox, _ = make_sandbox(flags, workspace)
        host = CommandHost(workspace, environment=self._environment(), sandbox=sandbox)
        program = host.program(self.task.check)
        began, capture = time.monotonic(), Capture()
        near, far = os.pipe()
        reader = threading.Thread(target=drain, args=(os.fdopen(near, "rb", 0), capture), daemon=True)
        reader.start()
        try:
            standard = Standard(output=far, errors=far)
            tied = Tied(program.argv, program.environment, program.folder, standard, self.lifeline)
            code = run_supervised(tied, BATCH_CHECK_SECONDS)
        finally:
            os.close(far)
            reader.join(1)
        text = capture.text()
        (self.folder / "check.txt").write_text(text, encoding="utf-8", errors="replace")
        return Check(code, round(time.monotonic() - began, 2), text[-BATCH_CHECK_CHARS:])

    def _name(self, path: Path) -> str:
        return f"tasks/{self.folder.name}/{path.name}"


def _told(folder: Path) -> Mapping[str, Any]:
    """What text-agent has told of the task in this folder; nothing if it was killed."""
    with suppress(OSError, ValueError, RecursionError):
        told = json.loads((folder / "result.json").read_bytes())
        return told if isinstance(told, dict) else {}
    return {}


def _take_session(folder: Path) -> Path | None:
    """Moves a task's session here from the user's, and removes what would bring files of its copy back."""
    from platformdirs import user_data_path

    root = (folder / "workspace").resolve()
    shutil.rmtree(ShadowStore(user_data_path("text-agent"), root, "git").folder, ignore_errors=True)
    target, session_id = folder / "session.jsonl", _told(folder).get("session_id")
    with suppress(FileNotFoundError):
        if isinstance(session_id, str):
            shutil.move(session_store().folder / f"{Path(session_id).name}.jsonl", target)
            return target
    return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
