"""Commands with real processes: whatever they do, the tool returns in time and nothing of them runs on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import Mark
from text_agent.config import COMMAND_MAX_SECONDS, RESULT_MAX_CHARS
from text_agent.errors import PathOutsideWorkspaceError, ToolError
from text_agent.files.scratch import ScratchFolder
from text_agent.tools.commands.capture import Capture
from text_agent.tools.commands.process_table import read_table
from text_agent.tools.commands.processes import run_process
from text_agent.tools.commands.shell import Shell
from text_agent.tools.read_file import read_file
from text_agent.tools.run_command import CommandHost, run_command
from text_agent.tools.search import search
from text_agent.tools.write_file import write_file
from text_agent.workspace import Workspace


@pytest.fixture
def mark() -> Iterator[Mark]:
    """Fails a test that leaves a process behind."""
    made = Mark()
    yield made
    assert made.wait_until_none_runs() == []


@pytest.fixture
def host(project: Path, tmp_path: Path, mark: Mark) -> CommandHost:
    workspace = Workspace(project, ScratchFolder(tmp_path / "cache"))
    return CommandHost(workspace, environment=mark.environment)


def failure(host: CommandHost, command: str, timeout: int = 20) -> str:
    with pytest.raises(ToolError) as caught:
        run_command(host, command, timeout)
    return str(caught.value)


def test_the_exit_code_comes_first(host: CommandHost) -> None:
    assert run_command(host, "echo out; echo err >&2") == "exit code 0\nout\nerr"
    assert run_command(host, "true") == "exit code 0\n(no output)"
    assert failure(host, "echo no; exit 3") == "exit code 3\nno"
    assert failure(host, "kill -SEGV $$").startswith("exit code 139 (SIGSEGV)")


def test_it_runs_in_the_workspace_with_the_named_shell(host: CommandHost, project: Path) -> None:
    assert run_command(host, "pwd") == f"exit code 0\n{project}"
    (project / "a b.txt").write_text("x")
    assert run_command(host, 'for f in *.txt\ndo\n  echo "<$f>"\ndone | cat') == "exit code 0\n<a b.txt>"


@pytest.mark.parametrize(
    ("command", "timeout", "problem"),
    [
        ("", 60, "empty"),
        (" \n", 60, "empty"),
        ("ls", 0, "timeout is 0"),
        ("ls", -5, "timeout is -5"),
        ("echo a\0b", 60, "no shell takes"),
        ("echo \ud800", 60, "no shell takes"),
        ("echo " + "x" * 3_000_000, 60, "cannot be started"),
    ],
)
def test_what_cannot_be_run(host: CommandHost, command: str, timeout: int, problem: str) -> None:
    assert problem in failure(host, command, timeout)


def test_a_shell_that_is_not_there(host: CommandHost) -> None:
    nowhere = CommandHost(host.workspace, Shell("sh", "/nowhere/sh"))
    assert failure(nowhere, "ls") == "The command cannot be started: it does not exist. It was not run."


@pytest.mark.parametrize(
    "command", ["read x; echo got", "cat", "python3", "python3 -c 'input()'; true", "sh"]
)
def test_a_command_that_waits_for_input_ends_at_once(host: CommandHost, command: str) -> None:
    started = time.monotonic()
    assert run_command(host, command).startswith("exit code 0\n")
    assert time.monotonic() - started < 5


def test_there_is_no_terminal(host: CommandHost) -> None:
    assert failure(host, "echo x > /dev/tty").startswith("exit code 1\n")


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


def test_a_folder_that_is_deleted(host: CommandHost, project: Path) -> None:
    assert run_command(host, f"rm -r '{project}'; echo gone") == "exit code 0\ngone"
    assert "does not exist any more" in failure(host, "ls")


def test_output_that_is_no_text(host: CommandHost) -> None:
    assert run_command(host, r"printf '\xff\xfe ok\n'") == "exit code 0\n\ufffd\ufffd ok"
    assert run_command(host, "head -c 100000 /dev/urandom").startswith("exit code 0\n")
    assert failure(host, r"printf 'a\0b\n'; exit 4") == "exit code 4\nab"


def test_progress_is_folded(host: CommandHost) -> None:
    command = r"printf 'p 1%%\rp 2%%\rp 100%%\n\033[31mred\033[0m\n'"
    assert run_command(host, command) == "exit code 0\np 100%\nred"


def test_the_environment_has_no_keys(project: Path, mark: Mark) -> None:
    key = "sk-very-secret-1"
    names = (
        "TEXT_AGENT_API_KEY",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "OPENAI_API_KEY",
        "GH_TOKEN",
        "MY_SECRET",
    )
    host = CommandHost(Workspace(project), environment={**mark.environment, **dict.fromkeys(names, key)})
    result = run_command(host, "env; cat /proc/self/environ; cat /proc/$PPID/environ")
    assert "PATH=" in result
    assert key not in result
    assert not any(name in result for name in names)


@pytest.mark.parametrize(
    "command", ["git log", "git diff HEAD~1", "git -c core.pager=less show HEAD", "man true || true"]
)
def test_no_pager_waits(host: CommandHost, project: Path, command: str) -> None:
    commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m"
    run_command(
        host, f"git init -q && git config core.pager less && for i in $(seq 99); do {commit} $i; done"
    )
    started = time.monotonic()
    run_command(host, command)
    assert time.monotonic() - started < 10


def test_no_editor_waits(host: CommandHost, project: Path) -> None:
    run_command(
        host, "git init -q && git config user.name a && git config user.email a@b && touch a && git add a"
    )
    assert failure(host, "git commit").startswith("exit code 1\n")
    run_command(host, "git commit -qm one")
    assert run_command(host, "git commit --amend").startswith("exit code 0\n")


def test_git_runs_no_watcher_of_the_repository(host: CommandHost, project: Path) -> None:
    run_command(host, "git init -q && git config core.fsmonitor 'touch owned; false'")
    run_command(host, "git status")
    assert not (project / "owned").exists()


def test_an_edit_within_the_same_second_counts(host: CommandHost, project: Path) -> None:
    (project / "calc.py").write_text("def f():\n    return 1\n")
    assert run_command(host, "python3 -c 'import calc; print(calc.f())'") == "exit code 0\n1"
    (project / "calc.py").write_text("def f():\n    return 2\n")
    assert run_command(host, "python3 -c 'import calc; print(calc.f())'") == "exit code 0\n2"
    assert [path.name for path in project.iterdir()] == ["calc.py"]


def test_long_output_keeps_both_ends_and_can_be_read_whole(host: CommandHost, project: Path) -> None:
    result = run_command(host, "seq 100000; echo the end")
    assert len(result) <= RESULT_MAX_CHARS
    assert result.startswith("exit code 0\n1\n2\n")
    assert "more lines]\n" in result
    assert "\n100000\nthe end\n[whole output: " in result
    path = result.rpartition("take the path ")[2].removesuffix("]")
    assert read_file(host.workspace, path, 50_000, 50_001).startswith("50000| 50000\n50001| 50001\n")
    assert search(host.workspace, "^77777$", path) == f"{path}:77777: 77777"
    with pytest.raises(PathOutsideWorkspaceError):
        write_file(host.workspace, path, "x")
    assert list(project.iterdir()) == []
    assert run_command(host, "seq 100000; echo the end") == result, "a repeated result can be told"


def test_the_kept_output_goes_with_the_session(host: CommandHost, project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    workspace = Workspace(project, ScratchFolder(cache))
    run_command(CommandHost(workspace), "seq 100000")
    (folder,) = cache.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    del workspace
    assert list(cache.iterdir()) == []


def test_output_that_cannot_be_kept(project: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file is in the way")
    host = CommandHost(Workspace(project, ScratchFolder(tmp_path / "cache")))
    result = run_command(host, "seq 100000")
    assert result.endswith("[the whole output could not be kept: a part of the path is a file, not a folder]")


_PEAK = """
import os, resource, sys
from pathlib import Path
from text_agent.errors import ToolError
from text_agent.tools.run_command import CommandHost, run_command
from text_agent.workspace import Workspace
host = CommandHost(Workspace(Path(sys.argv[1])))
run_command(host, "seq 10000")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    run_command(host, sys.argv[2], 2)
except ToolError as error:
    print(error)
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize(
    "command",
    [
        "yes",
        "echo first; yes 'a line that is longer and has \u20ac and \U0001f600 in it'",
        "seq 1000000000",
        "cat /dev/zero",
        "tr '\\0' x </dev/zero",
        "while :; do printf '\\r%d' $RANDOM; done",
        "head -c 30000000 /dev/urandom; sleep 9",
    ],
)
def test_endless_output_costs_little_and_ends_in_time(project: Path, mark: Mark, command: str) -> None:
    started = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", _PEAK, str(project), command],
        env=mark.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.startswith("ended after 2 seconds")
    assert int(run.stdout.rpartition("peak ")[2]) <= 50_000
    assert time.monotonic() - started < 15


def test_endless_output_shows_its_beginning_and_its_end(host: CommandHost) -> None:
    text = failure(host, "echo first; seq 1000000000 & sleep 1; kill $!; wait; echo last; sleep 60", 2)
    assert "\nfirst\n1\n2\n" in text
    assert "last\n[whole output: " in text


def test_a_larger_timeout_than_there_is(host: CommandHost) -> None:
    assert run_command(host, "echo fine", COMMAND_MAX_SECONDS * 1000) == "exit code 0\nfine"


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
