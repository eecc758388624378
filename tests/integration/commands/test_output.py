"""What commands print: no text, too much, without end."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands import failure, outcome
from tests.support.processes import Mark
from text_agent.config.limits import RESULT_MAX_CHARS
from text_agent.errors import PathOutsideWorkspaceError
from text_agent.files.scratch import ScratchFolder
from text_agent.files.workspace import Workspace
from text_agent.tools.read_file import read_file
from text_agent.tools.run_command import CommandHost
from text_agent.tools.search import search
from text_agent.tools.write_file import write_file


def test_output_that_is_no_text(host: CommandHost) -> None:
    assert outcome(host, r"printf '\xff\xfe ok\n'") == "exit code 0\n\ufffd\ufffd ok"
    assert outcome(host, "head -c 100000 /dev/urandom").startswith("exit code 0\n")
    assert failure(host, r"printf 'a\0b\n'; exit 4") == "exit code 4\nab"


def test_progress_is_folded(host: CommandHost) -> None:
    command = r"printf 'p 1%%\rp 2%%\rp 100%%\n\033[31mred\033[0m\n'"
    assert outcome(host, command) == "exit code 0\np 100%\nred"


def test_long_output_keeps_both_ends_and_can_be_read_whole(host: CommandHost, project: Path) -> None:
    result = outcome(host, "seq 100000; echo the end")
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
    assert outcome(host, "seq 100000; echo the end") == result, "a repeated result can be told"


def test_the_kept_output_goes_with_the_session(host: CommandHost, project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    workspace = Workspace(project, ScratchFolder(cache))
    outcome(CommandHost(workspace), "seq 100000")
    (folder,) = cache.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    del workspace
    assert list(cache.iterdir()) == []


def test_output_that_cannot_be_kept(project: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file is in the way")
    host = CommandHost(Workspace(project, ScratchFolder(tmp_path / "cache")))
    result = outcome(host, "seq 100000")
    assert result.endswith("[the whole output could not be kept: a part of the path is a file, not a folder]")


_PEAK = """
import os, resource, sys
from pathlib import Path
from text_agent.errors import ToolError
from text_agent.tools.run_command import CommandHost, run_command
from text_agent.files.workspace import Workspace
host = CommandHost(Workspace(Path(sys.argv[1])))
run_command(host, "seq 10000")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    print(run_command(host, sys.argv[2], 2).render())
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
