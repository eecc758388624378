"""Permissions, secrets and keys where nobody can be asked."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.command import Run, run_command, run_here
from tests.support.scripted_server import Fail, ScriptedServer

KEY = "sk-0123456789abcdef"
WRITE = 'tool: write_file({"path": "a.txt", "content": "alpha\\n"})'
READ_ENV = 'tool: read_file({"path": ".env"})'


def task(
    server: ScriptedServer,
    project: Path,
    *flags: str,
    environment: Mapping[str, str] | None = None,
    run: Run = run_here,
) -> subprocess.CompletedProcess[str]:
    return run("-p", "do it", *server.flags("--sandbox", "off", *flags), cwd=project, environment=environment)


def test_two_flags_that_contradict_each_other(project: Path) -> None:
    with ScriptedServer([]) as server:
        done = task(server, project, "--yes", "--permission-mode", "ask")
    assert done.returncode == 2
    assert "--permission-mode ask" in done.stderr


@pytest.mark.parametrize(
    ("flags", "code", "status", "exists"),
    [
        ((), 3, "denied", False),
        (("--permission-mode", "read-only"), 3, "denied", False),
        (("--permission-mode", "ask"), 3, "denied", False),
        (("--permission-mode", "edits"), 0, "ok", True),
        (("--permission-mode", "all"), 0, "ok", True),
        (("--yes", "--permission-mode", "all"), 0, "ok", True),
    ],
)
def test_modes(project: Path, flags: tuple[str, ...], code: int, status: str, exists: bool) -> None:
    with ScriptedServer([WRITE, "Said."]) as server:
        done = task(server, project, *flags)
        assert f"tool_result(write_file #1 {status}):" in server.requests[1].last
    assert (done.returncode, done.stdout) == (code, "Said.\n")
    assert (project / "a.txt").exists() is exists


def test_edits_do_not_let_commands_run(project: Path) -> None:
    with ScriptedServer(['tool: run_command({"command": "touch a"})', "Said."]) as server:
        done = task(server, project, "--permission-mode", "edits")
        assert "denied" in server.requests[1].last
    assert done.returncode == 0
    assert "--yes" in done.stderr
    assert not (project / "a").exists()


def test_a_secret_file_needs_a_flag_of_its_own(project: Path) -> None:
    (project / ".env").write_text("PASSWORD=hunter2\n")
    with ScriptedServer([READ_ENV, "No."]) as server:
        done = task(server, project, "--yes")
        assert "hunter2" not in server.requests[1].last
        assert "--allow-secrets" in server.requests[1].last
    assert (done.returncode, done.stdout) == (0, "No.\n")
    with ScriptedServer([READ_ENV, "Yes."]) as server:
        task(server, project, "--allow-secrets")
        assert "hunter2" in server.requests[1].last


def test_the_hard_list_is_refused_even_with_yes(project: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / "a.txt").write_text("mine\n")
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    (project / "a.txt").write_text("changed\n")
    with ScriptedServer(['tool: run_command({"command": "git checkout -- ."})', "Refused."]) as server:
        done = task(server, project, "--yes")
        assert "always needs the user's own yes" in server.requests[1].last
    assert done.stdout == "Refused.\n"
    assert "denied: run_command was not run: it may lose work for good (git checkout)" in done.stderr
    assert (project / "a.txt").read_text() == "changed\n"


def test_no_program_is_ended_that_the_agent_has_not_started(project: Path) -> None:
    with subprocess.Popen(["sleep", "987654"]) as other:
        script = [
            f'tool: run_command({{"command": "{line}"}})'
            for line in ("pkill -f 'sleep 987654'", f"kill {other.pid}", f"bash -c 'kill -9 {other.pid}'")
        ]
        with ScriptedServer([*script, "Refused."]) as server:
            done = task(server, project, "--yes")
            assert all("always needs the user's own yes" in server.requests[at].last for at in (1, 2, 3))
        assert other.poll() is None
        other.kill()
    assert done.stderr.count("it may end programs that it has not started") == 3


def test_a_key_reaches_neither_the_model_nor_the_streams(project: Path) -> None:
    (project / "notes.txt").write_text(f"the key is {KEY}\n")
    read = 'tool: read_file({"path": "notes.txt"})'
    show = f'tool: run_command({{"command": "echo {KEY}; env"}})'
    with ScriptedServer([read, show, f"The key is {KEY}."], key=KEY) as server:
        done = task(server, project, "--yes", environment={"OPENAI_API_KEY": KEY}, run=run_command)
        assert KEY not in json.dumps([request.body for request in server.requests])
    assert done.stdout == "The key is [key].\n"
    assert KEY not in done.stderr


def test_an_error_of_the_endpoint_does_not_repeat_the_key(project: Path) -> None:
    with ScriptedServer([Fail(401, f"Incorrect API key provided: {KEY}.")]) as server:
        done = task(server, project, environment={"OPENAI_API_KEY": KEY}, run=run_command)
    assert done.returncode == 1
    assert KEY not in done.stdout + done.stderr
    assert "Incorrect API key provided" in done.stderr


def test_rules_that_cannot_be_read_are_an_error(project: Path, own_environment: Path) -> None:
    file = own_environment / ".config/text-agent/allowed-commands.json"
    file.parent.mkdir(parents=True)
    file.write_text("{")
    with ScriptedServer([]) as server:
        done = task(server, project)
    assert done.returncode == 2
    assert "allowed-commands.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_of_a_call_is_hidden_in_the_log(project: Path) -> None:
    call = 'tool: run_command({"command": "echo \\u202etxt \\u009b2J \\u001b[8m"})'
    read = 'tool: read_file({"path": "\\u202eno\\u009b2Jthing"})'
    with ScriptedServer([call, read, "Said."]) as server:
        done = task(server, project)
    assert done.stdout == "Said.\n"
    assert "<U+202E>txt <U+009B>2J" in done.stderr
    assert all(char.isprintable() or char == "\n" for char in done.stderr)


@pytest.mark.parametrize(
    "command",
    [
        "find . -delete", "git ls-files | xargs rm -f", "rm *", "for f in *; do rm -f $f; done",
        "perl -e 'unlink <*>'", "python3 -c 'import os; [os.remove(f) for f in os.listdir()]'",
        "echo gone > a.txt", "cp b.txt a.txt", "git -c alias.x='reset --hard' x",
    ],
)  # fmt: skip
def test_no_road_to_an_empty_folder_goes_unasked(project: Path, command: str) -> None:
    for name in ("a.txt", "b.txt"):
        (project / name).write_text("one\n")
    for words in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x"),
    ):
        subprocess.run(["git", *words], cwd=project, check=True)
    (project / "a.txt").write_text("mine\n")
    with ScriptedServer([f"tool: run_command({json.dumps({'command': command})})", "Said."]) as server:
        task(server, project, "--yes")
        assert "tool_result(run_command #1 denied):" in server.requests[1].last
    assert [(project / name).read_text() for name in ("a.txt", "b.txt")] == ["mine\n", "one\n"]


@pytest.mark.parametrize(
    "command",
    ["cat ./.[^x]nv", "cat ./.[[:alpha:]]nv", "xxd -pc .env", "rg '' .ssh", "rg '' keys", "diff docs linked",
     "git grep --no-index hunter2"],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["read-only", "ask", "all"])
def test_no_road_to_a_secret_goes_unasked(project: Path, command: str, mode: str) -> None:
    for name in (".env", ".ssh/id_rsa", "keys/mine", "docs/a.txt", "linked/b.txt"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(
            "-----BEGIN PRIVATE KEY-----\nhunter2\n" if name != "docs/a.txt" else "x\n"
        )
    (project / "linked/a.txt").symlink_to("../.env")
    with ScriptedServer([f"tool: run_command({json.dumps({'command': command})})", "Said."]) as server:
        task(server, project, "--permission-mode", mode)
        assert "denied" in server.requests[1].last
        assert "hunter2" not in server.requests[1].last.replace(command, "")
