"""Whatever a command starts, the tool returns in time and nothing of it runs on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands import failure, outcome
from tests.support.processes import Mark
from text_agent.commands.capture import Capture
from text_agent.commands.process_table import read_table
from text_agent.commands.processes import Program, run_process
from text_agent.config.limits import COMMAND_GRACE_SECONDS
from text_agent.tools.run_command import CommandHost


def test_a_child_in_the_background_does_not_hold_the_result(host: CommandHost, mark: Mark) -> None:
    started = time.monotonic()
    result = outcome(host, "sleep 60 & echo done")
    assert time.monotonic() - started < 2
    assert result == "exit code 0\ndone\n[it left processes running; they were ended]"


def test_what_ends_by_itself_is_waited_for(host: CommandHost) -> None:
    assert outcome(host, "(sleep 0.2; echo last) & echo first") == "exit code 0\nfirst\nlast"


DAEMON = """
import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
time.sleep(300)"""


@pytest.mark.parametrize(
    "command",
    [
        "sleep 300",
        "sh -c 'trap \"\" TERM; sleep 300; sleep 300'",
        "trap '' TERM INT HUP; while :; do sleep 1; done",
        "setsid sh -c 'trap \"\" TERM; sleep 300' & sleep 300",
        "env -i setsid sleep 300 '' MARK >/dev/null 2>&1 & sleep 300",
        "(setsid setsid sleep 300 &) ; sleep 300",
        "kill -STOP $$",
        f"python3 -c '{DAEMON}'; sleep 300",
    ],
)
def test_a_time_out_ends_everything(host: CommandHost, mark: Mark, command: str) -> None:
    started = time.monotonic()
    text = failure(host, "echo before; " + command.replace("'' MARK", f"300 # {mark.word}"), 1)
    assert time.monotonic() - started < 6
    assert text.startswith("ended after 1 seconds, its time limit")
    assert "waited for input" in text
    assert text.endswith("\nbefore")
    assert mark.running() == []


@pytest.mark.parametrize(
    "command",
    [
        "env -i setsid {sleep} & true",
        "env -i setsid sh -c 'trap \"\" TERM HUP; {sleep} & wait' & sleep 0.3",
        "nohup {sleep} >/dev/null 2>&1 & disown",
    ],
)
def test_nothing_runs_on_afterwards(host: CommandHost, command: str) -> None:
    sleep = f"sleep {random.randint(10**6, 10**9)}"  # to be known by, without an environment
    assert "they were ended" in outcome(host, command.replace("{sleep}", sleep))
    assert [process for process in read_table() if command_line(process.pid) == sleep] == []


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except OSError:
        return ""


def test_a_fork_bomb_is_ended(host: CommandHost, mark: Mark) -> None:
    bomb = (
        "import os, time\nend = time.time() + 30\n"
        "for _ in range(6):\n    os.fork()\n    os.setpgid(0, 0)\n"
        "while time.time() < end:\n    if not os.fork(): time.sleep(0.05); os._exit(0)\n"
        "    os.waitpid(-1, os.WNOHANG)\n    time.sleep(0.02)"
    )
    Path(host.workspace.root, "bomb.py").write_text(bomb)
    assert failure(host, "python3 bomb.py", 1).startswith("ended after 1 seconds")
    assert mark.running() == []


def test_a_command_that_kills_its_parent(host: CommandHost) -> None:
    text = failure(host, "kill -9 $PPID; echo alive")
    assert text.startswith("exit code 137 (SIGKILL)")
    assert failure(host, "kill -TERM 0; sleep 300").startswith("exit code 143 (SIGTERM)")


def test_a_group_that_is_killed_by_its_own_command(host: CommandHost) -> None:
    assert failure(host, "kill -9 -$PPID").startswith("exit code 137 (SIGKILL)")
    assert outcome(host, "echo next") == "exit code 0\nnext"


def test_no_zombie_is_left(host: CommandHost) -> None:
    outcome(host, "for i in 1 2 3; do (setsid sleep 60 &); done; sleep 0.1")
    zombies = [process for process in read_table() if process.parent == os.getpid() and process.is_zombie]
    assert zombies == []


def test_a_child_of_this_program_is_left_alone(host: CommandHost) -> None:
    other = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        outcome(host, "sleep 60 & true")
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


_INTERRUPTED = """
import sys
from pathlib import Path
from text_agent.tools.run_command import CommandHost, run_command
from text_agent.files.workspace import Workspace
host = CommandHost(Workspace(Path.cwd()))
print("ready", flush=True)
try:
    run_command(host, sys.argv[1])
except KeyboardInterrupt as interrupt:
    print(interrupt)
"""


def interrupt(folder: Path, mark: Mark, command: str, *after: float, tries: int = 3) -> str:
    """Runs a command in another process, interrupts it, and returns what is said of the interrupt.

    It must end sooner than a patient user would see it end, in one of some tries: a machine may be busy.
    """
    argv = [sys.executable, "-c", _INTERRUPTED, command]
    with subprocess.Popen(argv, cwd=folder, env=mark.environment, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        for seconds in after:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
        interrupted = time.monotonic()
        said = process.stdout.read().decode()
    is_patient = len(after) < 2
    if is_patient or time.monotonic() - interrupted < COMMAND_GRACE_SECONDS:
        return said
    assert tries > 1
    assert mark.running() == []
    return interrupt(folder, mark, command, *after, tries=tries - 1)


def test_an_interrupt_ends_the_command(project: Path, mark: Mark) -> None:
    command = "trap '' INT TERM; (setsid sleep 300 &); sleep 300; sleep 300"
    said = interrupt(project, mark, command, 0.7)
    assert said == "the user interrupted it while it ran: it was ended.\n"
    assert mark.running() == []


def test_a_second_interrupt_kills_at_once(project: Path, mark: Mark) -> None:
    said = interrupt(project, mark, "trap '' INT TERM; sleep 300; sleep 300", 0.7, 0.4)
    assert "it was ended" in said
    assert mark.running() == []


@pytest.mark.parametrize("milliseconds", range(0, 40, 3))
def test_an_interrupt_at_the_start_leaves_nothing(project: Path, mark: Mark, milliseconds: int) -> None:
    interrupt(project, mark, "sleep 300", milliseconds / 1000)
    assert mark.running() == []


@pytest.mark.parametrize("milliseconds", [0, 0.1, 0.5, 2, 5])
def test_a_volley_of_interrupts_leaves_nothing(project: Path, mark: Mark, milliseconds: float) -> None:
    volley = [milliseconds / 1000] * 20
    # The last ones may come when all is done, and then end the program that ran the command.
    interrupt(project, mark, "trap '' INT TERM; (setsid sleep 300 &); sleep 300; sleep 300", 0.7, *volley)
    assert mark.running() == []


def test_where_the_system_cannot_tell_who_was_started(project: Path, mark: Mark) -> None:
    capture = Capture()
    argv = ["sh", "-c", "sleep 300 & echo out; exit 5"]
    ending = run_process(Program(argv, project, mark.environment), 20, capture, platform="darwin")
    assert (ending.exit_code, ending.timed_out, capture.text()) == (5, False, "out\n")


def test_windows_has_a_program_that_ends_processes(
    project: Path, tmp_path: Path, mark: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "taskkill"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n[ "$1 $2 $3" = "/F /T /PID" ] && kill -9 -"$4"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    capture = Capture()
    argv = ["sh", "-c", "sleep 300"]
    ending = run_process(Program(argv, project, mark.environment), 0.5, capture, platform="win32")
    assert (ending.exit_code, ending.timed_out) == (137, True)


def test_a_program_that_cannot_be_started_has_nothing_to_end(project: Path) -> None:
    for platform in ("linux", "darwin", "win32"):
        with pytest.raises(FileNotFoundError):
            run_process(Program(["/nowhere"], project, {}), 1, Capture(), platform=platform)
