"""Commands in a real sandbox: what must work does."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.commands import SECRET, outcome, sandboxed
from tests.support.processes import Mark
from text_agent.files.scratch import ScratchFolder
from text_agent.files.workspace import Workspace
from text_agent.tools.run_command import CommandHost, run_command


def test_the_workspace_can_be_worked_in(host: CommandHost, project: Path) -> None:
    assert (
        outcome(host, "cat a.txt; echo beta > b.txt; mkdir c; mv b.txt c/; pwd")
        == f"exit code 0\nalpha\n{project}"
    )
    assert (project / "c" / "b.txt").read_text() == "beta\n"
    assert outcome(host, "python3 -c 'print(6*7)'; id -u").startswith(f"exit code 0\n42\n{os.getuid()}")


def test_a_failure_says_that_it_was_in_a_sandbox(host: CommandHost) -> None:
    text = outcome(host, "echo out; exit 3")
    assert text.startswith("exit code 3\nout\n[it ran in a sandbox: no network, only the workspace")


def test_the_temporary_folder_is_the_sessions_own(host: CommandHost) -> None:
    outside = Path("/tmp") / f"outside-{os.getpid()}"
    outside.write_text(SECRET)
    try:
        assert SECRET not in outcome(host, f"cat {outside}; echo kept > /tmp/mine; mktemp")
        assert outcome(host, "cat /tmp/mine") == "exit code 0\nkept"
        assert not Path("/tmp/mine").exists()
    finally:
        outside.unlink()


def test_without_a_sandbox_all_that_would_be_there(host: CommandHost, home: Path) -> None:
    outside = CommandHost(host.workspace, environment=host.environment)
    files = f".env sub/key.pem '{home}/.ssh/id_ed25519' '{home}/.config/text-agent/config.env'"
    assert outcome(outside, f"cat {files}").count(SECRET) == 4


def test_other_files_of_the_home_folder_can_be_read(host: CommandHost, home: Path) -> None:
    assert outcome(host, f"cat '{home}/notes.txt'") == "exit code 0\nharmless"


def test_git_can_look_at_the_repository(host: CommandHost, project: Path) -> None:
    shutil.rmtree(project / ".git")
    outside = CommandHost(host.workspace, environment=host.environment)
    run_command(
        outside, "git init -q && git add a.txt && git -c user.name=a -c user.email=a@b commit -qm one"
    )
    run_command(outside, "echo more >> a.txt")
    assert "M a.txt" in outcome(host, "git status --short")
    assert "+more" in outcome(host, "git diff")
    assert "one" in outcome(host, "git log --oneline")


def test_a_server_and_its_client_in_one_command(host: CommandHost) -> None:
    command = (
        "python3 -m http.server 8765 --bind 127.0.0.1 >/dev/null 2>&1 & "
        "for i in $(seq 50); do (echo > /dev/tcp/127.0.0.1/8765) 2>/dev/null && break; sleep 0.1; done; "
        "python3 -c \"import urllib.request as r; print(r.urlopen('http://127.0.0.1:8765/a.txt').read())\""
    )
    assert outcome(host, command) == "exit code 0\nb'alpha\\n'"


@pytest.mark.parametrize(
    "command",
    [
        "sleep 300",
        "trap '' TERM; sleep 300; sleep 300",
        "setsid sh -c 'trap \"\" TERM HUP; sleep 300' & sleep 300",
        "env -i setsid sleep 300 & sleep 300",
    ],
)
def test_a_time_out_ends_everything(host: CommandHost, mark: Mark, command: str) -> None:
    assert outcome(host, f"echo before; {command}", 1).startswith("ended after 1 seconds")
    assert mark.wait_until_none_runs() == []


def test_nothing_runs_on_afterwards(host: CommandHost) -> None:
    assert outcome(host, "(setsid sleep 300 &); echo done") == "exit code 0\ndone"


def test_a_workspace_in_a_hidden_folder(tmp_path: Path, home: Path, mark: Mark) -> None:
    inside = home / ".config" / "text-agent" / "project"
    inside.mkdir()
    host = sandboxed(Workspace(inside, ScratchFolder(tmp_path / "cache")), home, mark)
    assert SECRET not in outcome(host, "echo x > made; cat ../config.env")
    assert (inside / "made").read_text() == "x\n"


def test_a_secret_link_hides_what_it_leads_to(host: CommandHost, project: Path, home: Path) -> None:
    (home / "real").write_text(SECRET)
    (project / ".env").unlink()
    (project / ".env").symlink_to(home / "real")
    assert SECRET not in outcome(host, f"cat .env '{home}/real'")


def test_all_names_of_a_secret_are_hidden(host: CommandHost, project: Path) -> None:
    os.link(project / ".env", project / "sub/plain.txt")
    os.link(project / "sub/key.pem", project / "other.txt")
    assert SECRET not in outcome(host, "cat sub/plain.txt other.txt; cp sub/plain.txt x; cat x")


def test_names_with_odd_characters_are_hidden_too(host: CommandHost, project: Path) -> None:
    odd = project / "a 'b\" $(x)\n"
    odd.mkdir()
    (odd / ".env").write_text(SECRET)
    assert SECRET not in outcome(host, "cat */.env")


def test_what_is_hidden_is_there_and_empty(host: CommandHost, project: Path) -> None:
    (project / "tests/certs").mkdir(parents=True)
    (project / "tests/certs/ca.key").write_text(f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n")
    look = (
        "from pathlib import Path; key = Path('tests/certs/ca.key'); print(key.is_file(), key.read_bytes())"
    )
    assert outcome(host, f'python3 -c "{look}"') == "exit code 0\nTrue b''"
    assert outcome(host, "test -f .env && wc -c < sub/key.pem && echo x > .env").startswith(
        "exit code 1\n0\n"
    )
    assert (project / ".env").read_text() == SECRET
