"""What tries to outlive its command ends with it, however the command or the program itself is ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.support.bubblewrap import need_bubblewrap
from tests.support.command import start_command
from tests.support.commands import outcome, sandboxed
from tests.support.processes import Mark
from tests.support.scripted_server import ScriptedServer
from tests.support.survivors import CHAINS, write_survivors
from text_agent.commands.capture import Capture
from text_agent.commands.processes import Program, run_process
from text_agent.config.limits import COMMAND_GRACE_SECONDS, COMMAND_KILL_SECONDS
from text_agent.files.scratch import ScratchFolder
from text_agent.files.workspace import Workspace
from text_agent.tools.run_command import CommandHost

WAYS = ["supervised", "swept", "sandbox"]
PATIENCE = COMMAND_GRACE_SECONDS + COMMAND_KILL_SECONDS


@pytest.fixture
def host(project: Path, tmp_path: Path, own_environment: Path, mark: Mark) -> CommandHost:
    workspace = Workspace(project, ScratchFolder(tmp_path / "cache"))
    return CommandHost(workspace, environment=mark.environment)


def run(way: str, host: CommandHost, home: Path, mark: Mark, command: str, seconds: int) -> str:
    """The result of a command whose processes are held together in one of the ways."""
    if way == "sandbox":
        return outcome(sandboxed(host.workspace, home, mark), command, seconds)
    if way == "supervised":
        return outcome(host, command, seconds)
    program = Program(host.shell.argv(command), host.workspace.root, mark.environment, is_supervised=False)
    ending = run_process(program, seconds, Capture())
    return f"ended after {seconds}" if ending.timed_out else f"exit code {ending.exit_code}"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("command", "result"), [("{all}; sleep 300", "ended after 3"), ("{all}; exit 3", "exit code 3")]
)
def test_survivors_end_with_the_command(
    way: str, host: CommandHost, own_environment: Path, mark: Mark, command: str, result: str
) -> None:
    everything = write_survivors(host.workspace.root, mark.word)
    started = time.monotonic()
    text = run(way, host, own_environment, mark, command.replace("{all}", everything), 3)
    assert text.startswith(result)
    assert time.monotonic() - started < 3 + PATIENCE + 3
    assert Path(host.workspace.root, "started").exists()
    assert mark.wait_until_none_runs() == []


@pytest.mark.parametrize("way", WAYS)
def test_many_chains_end_with_the_command(
    way: str, host: CommandHost, own_environment: Path, mark: Mark
) -> None:
    write_survivors(host.workspace.root, mark.word)
    started = time.monotonic()
    text = run(way, host, own_environment, mark, f"{CHAINS.replace('{word}', mark.word)}; sleep 300", 3)
    assert text.startswith("ended after 3")
    assert time.monotonic() - started < 3 + PATIENCE + 3
    assert mark.wait_until_none_runs() == []


@pytest.fixture(params=["off", "require"])
def agent(request: pytest.FixtureRequest, project: Path, mark: Mark) -> Iterator[subprocess.Popen[bytes]]:
    """The installed command while it runs a command whose survivors have been started."""
    if request.param == "require":
        need_bubblewrap()
    command = write_survivors(project, mark.word) + "; sleep 300"
    call = f"tool: run_command({json.dumps({'command': command})})"
    with ScriptedServer([call, "Done."], strict=False) as server, start_command(
        "-p", "go", *server.flags("--yes", "--sandbox", request.param), cwd=project,
        environment=mark.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            wait_for(project / "started", process.stdout)
            yield process
        finally:
            process.kill()


def wait_for(file: Path, output: IO[bytes] | None) -> None:
    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline, output and output.read()
        time.sleep(0.05)


@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"])
def test_survivors_end_with_the_program(agent: subprocess.Popen[bytes], mark: Mark, number: str) -> None:
    assert len(mark.running()) > 5
    os.kill(agent.pid, signal.Signals[number])
    agent.wait(PATIENCE + 3)
    assert mark.wait_until_none_runs(PATIENCE) == []


def test_survivors_end_although_their_supervisor_was_killed(host: CommandHost, mark: Mark) -> None:
    everything = write_survivors(host.workspace.root, mark.word)
    kill = "kill -9 $(cut -d' ' -f4 /proc/$PPID/stat)"
    text = outcome(host, f"{everything}; {kill}; sleep 300", 5)
    assert text.startswith("exit code 137 (SIGKILL)")
    assert mark.wait_until_none_runs() == []
