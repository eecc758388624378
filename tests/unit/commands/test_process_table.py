from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from text_agent.commands.process_table import (
    Process,
    StartedProcesses,
    adopting_orphans,
    hide_from_other_programs,
    read_table,
)


def test_the_table_is_read_as_far_as_it_can_be(tmp_path: Path) -> None:
    lines = {"7": "7 (a) b) (c) S 1 5 6 0", "8": "8 (x) Z 7 8 8 0", "9": "9 (broken", "self": "1 (x) S 1 1 1"}
    for pid, line in lines.items():
        (tmp_path / pid).mkdir()
        (tmp_path / pid / "stat").write_text(line)
    (tmp_path / "10" / "stat").mkdir(parents=True)
    table = list(read_table(str(tmp_path)))
    assert table == [Process(8, 7, 8, is_zombie=True), Process(7, 1, 6, is_zombie=False)]


def test_a_system_without_such_a_table(tmp_path: Path) -> None:
    assert list(read_table(str(tmp_path / "none"))) == []


def test_only_the_dead_are_buried() -> None:
    started = StartedProcesses()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
        assert started.pids() == [child.pid]
        assert child.poll() is None
        started.head = child.pid
        os.kill(child.pid, 9)
        assert started.end_within(5)
        assert Path(f"/proc/{child.pid}").exists(), "somebody waits for it"
        started.head = None
        assert started.pids() == []
        assert not Path(f"/proc/{child.pid}").exists()


def test_what_was_there_before_does_not_count() -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
        assert StartedProcesses().pids() == []
        child.kill()


@pytest.mark.parametrize(("platform", "adopts"), [("linux", True), ("darwin", False)])
def test_orphans_are_adopted_as_long_as_a_command_runs(platform: str, adopts: bool) -> None:
    with adopting_orphans(platform):
        assert is_orphan_ours() == adopts
    assert not is_orphan_ours()


def is_orphan_ours() -> bool:
    """Starts a shell that ends and leaves a child behind, and says whether that is a child of ours now."""
    before = StartedProcesses()
    subprocess.run(["sh", "-c", "sleep 2 >/dev/null & exit 0"], start_new_session=True, check=True)
    children = before.pids()
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return bool(children)


_HIDDEN = """
import ctypes, os, subprocess
from text_agent.commands.process_table import hide_from_other_programs
if os.getuid() == 0:  # from root nothing can be hidden
    os.setgid(65534)
    os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
def shown():
    run = subprocess.run(["cat", f"/proc/{os.getpid()}/environ"], capture_output=True)
    return b"MARK=hunter2" in run.stdout
before = shown()
hide_from_other_programs("win32")
same = shown()
hide_from_other_programs()
print(before, same, shown())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can hide it")
def test_the_environment_of_this_program_is_hidden_from_commands() -> None:
    environment = {**os.environ, "MARK": "hunter2"}
    run = subprocess.run([sys.executable, "-c", _HIDDEN], env=environment, capture_output=True, text=True)
    assert run.stdout == "True True False\n", run.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can hide it")
def test_what_is_hidden_can_be_shown_again() -> None:
    library = ctypes.CDLL(None)
    before = library.prctl(3, 0, 0, 0, 0)
    hide_from_other_programs("darwin")
    assert library.prctl(3, 0, 0, 0, 0) == before
    try:
        hide_from_other_programs("linux")
        assert library.prctl(3, 0, 0, 0, 0) == 0
    finally:
        library.prctl(4, before, 0, 0, 0)
