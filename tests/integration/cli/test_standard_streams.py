"""Standard streams that are closed, and such as take no more."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.command import TEXT_AGENT
from tests.support.scripted_server import ScriptedServer


def run_line(line: str, project: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line],
        cwd=project,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_error(project: Path, closed: str) -> None:
    write = 'tool: write_file({"path": "a.txt", "content": "alpha\\n"})'
    with ScriptedServer([write, "Done."]) as server:
        endpoint = f"--base-url {server.openai_url} --model scripted-model --project-view off"
        done = run_line(f"{TEXT_AGENT} -p go --yes {endpoint} {closed}", project)
    assert done.returncode == 0
    assert done.stdout == ("" if " >&-" in f" {closed}" else "Done.\n")
    assert "Traceback" not in done.stderr
    assert (project / "a.txt").read_text() == "alpha\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments", ["-p go", "-p go --output json", "completion bash", "--print-system-prompt"]
)
def test_a_full_disk_is_told_in_a_sentence(project: Path, arguments: str, unbuffered: str) -> None:
    with ScriptedServer(["Done."] if arguments.startswith("-p ") else []) as server:
        environment = {
            "TEXT_AGENT_PROVIDER": "openai",
            "TEXT_AGENT_BASE_URL": server.openai_url,
            "TEXT_AGENT_MODEL": "scripted-model",
            "PYTHONUNBUFFERED": unbuffered,
        }
        done = run_line(f"{TEXT_AGENT} {arguments} > /dev/full", project, **environment)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "text-agent: the output cannot be written: No space left on device."
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("reader", ["2> >(head -c 1 > /dev/null)", "2> /dev/full"])
def test_a_task_goes_on_when_nobody_hears_of_it(project: Path, reader: str) -> None:
    write = 'tool: write_file({"path": "a.txt", "content": "alpha\\n"})'
    read = 'tool: read_file({"path": "a.txt"})'
    with ScriptedServer([read, read.replace("a.txt", "b.txt"), write, "Done."]) as server:
        endpoint = f"--base-url {server.openai_url} --model scripted-model --project-view off"
        done = run_line(f"{TEXT_AGENT} -p go --yes {endpoint} {reader}", project)
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert (project / "a.txt").read_text() == "alpha\n"
