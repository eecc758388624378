"""Whatever a command starts, the tool returns in time and nothing of it runs on."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.support.commands import failure
from tests.support.processes import Mark
from text_agent.tools.commands.capture import Capture
from text_agent.tools.commands.process_table import read_table
from text_agent.tools.commands.processes import run_process
from text_agent.tools.run_command import CommandHost, run_command


def test_a_child_in_the_background_does_not_hold_the_result(host: CommandHost, mark: Mark) -> None:
    started = time.monotonic()
    result = run_command(host, "sleep 60 & echo done")
    assert time.monotonic() - started < 2
    assert result == "exit code 0\ndone\n[it left processes running; they were ended]"


def test_what_ends_by_itself_is_waited_for(host: CommandHost) -> None:
    assert run_command(host, "(sleep 0.2; echo last) & echo first") == "exit code 0\nfirst\nlast"


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
        "env -i setsid sleep 300 & true",
        "env -i setsid sh -c 'trap \"\" TERM HUP; sleep 300 & wait' & sleep 0.3",
        "nohup sleep 300 >/dev/null 2>&1 & disown",
    ],
)
def test_nothing_runs_on_afterwards(host: CommandHost, command: str) -> None:
    before = {process.pid for process in read_table()}
    assert "they were ended" in run_command(host, command)
    sleeping = [process for process in read_table() if process.pid not in before and is_sleep(process.pid)]
    assert sleeping == []


def is_sleep(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"sleep\x00300")
    except OSError:
        return False


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
    assert run_command(host, "echo next") == "exit code 0\nnext"


def test_no_zombie_is_left(host: CommandHost) -> None:
    run_command(host, "for i in 1 2 3; do (setsid sleep 60 &); done; sleep 0.1")
    zombies = [process for process in read_table() if process.parent == os.getpid() and process.is_zombie]
    assert zombies == []


def test_a_child_of_this_program_is_left_alone(host: CommandHost) -> None:
    other = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        run_command(host, "sleep 60 & true")
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_an_interrupt_ends_the_command(host: CommandHost, mark: Mark) -> None:
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt, match="while it ran: it was ended"):
        run_command(host, "trap '' INT TERM; (setsid sleep 300 &); sleep 300; sleep 300")
    timer.join()
    assert mark.running() == []


def test_a_second_interrupt_kills_at_once(host: CommandHost, mark: Mark) -> None:
    timers = [threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)) for seconds in (0.7, 1.4)]
    for timer in timers:
        timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_command(host, "trap '' INT TERM; sleep 300; sleep 300")
    assert time.monotonic() - started < 2.5
    assert mark.running() == []


def test_where_the_system_cannot_tell_who_was_started(project: Path, mark: Mark) -> None:
    capture = Capture()
    argv = ["sh", "-c", "sleep 300 & echo out; exit 5"]
    ending = run_process(argv, project, mark.environment, 20, capture, platform="darwin")
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
    ending = run_process(argv, project, mark.environment, 0.5, capture, platform="win32")
    assert (ending.exit_code, ending.timed_out) == (137, True)
