"""Commands with real processes: what they get, and what the model reads."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.support.commands import failure, outcome
from tests.support.processes import Mark
from text_agent.commands.shell import Shell
from text_agent.config.limits import COMMAND_MAX_SECONDS
from text_agent.files.workspace import Workspace
from text_agent.tools.run_command import CommandHost


def test_the_exit_code_comes_first(host: CommandHost) -> None:
    assert outcome(host, "echo out; echo err >&2") == "exit code 0\nout\nerr"
    assert outcome(host, "true") == "exit code 0\n(no output)"
    assert failure(host, "echo no; exit 3") == "exit code 3\nno"
    assert failure(host, "kill -SEGV $$").startswith("exit code 139 (SIGSEGV)")


def test_it_runs_in_the_workspace_with_the_named_shell(host: CommandHost, project: Path) -> None:
    assert outcome(host, "pwd") == f"exit code 0\n{project}"
    (project / "a b.txt").write_text("x")
    assert outcome(host, 'for f in *.txt\ndo\n  echo "<$f>"\ndone | cat') == "exit code 0\n<a b.txt>"


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
    assert outcome(host, command).startswith("exit code 0\n")
    assert time.monotonic() - started < 5


def test_there_is_no_terminal(host: CommandHost) -> None:
    assert failure(host, "echo x > /dev/tty").startswith("exit code 1\n")


def test_a_folder_that_is_deleted(host: CommandHost, project: Path) -> None:
    assert outcome(host, f"rm -r '{project}'; echo gone") == "exit code 0\ngone"
    assert "does not exist any more" in failure(host, "ls")


def test_a_larger_timeout_than_there_is(host: CommandHost) -> None:
    assert outcome(host, "echo fine", COMMAND_MAX_SECONDS * 1000) == "exit code 0\nfine"


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
    result = outcome(host, "env; cat /proc/self/environ; cat /proc/$PPID/environ")
    assert "PATH=" in result
    assert key not in result
    assert not any(name in result for name in names)


@pytest.mark.parametrize(
    "command", ["git log", "git diff HEAD~1", "git -c core.pager=less show HEAD", "man true || true"]
)
def test_no_pager_waits(host: CommandHost, project: Path, command: str) -> None:
    commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m"
    outcome(host, f"git init -q && git config core.pager less && for i in $(seq 99); do {commit} $i; done")
    started = time.monotonic()
    outcome(host, command)
    assert time.monotonic() - started < 10


def test_no_editor_waits(host: CommandHost, project: Path) -> None:
    outcome(
        host, "git init -q && git config user.name a && git config user.email a@b && touch a && git add a"
    )
    assert failure(host, "git commit").startswith("exit code 1\n")
    outcome(host, "git commit -qm one")
    assert outcome(host, "git commit --amend").startswith("exit code 0\n")


def test_git_runs_no_watcher_of_the_repository(host: CommandHost, project: Path) -> None:
    outcome(host, "git init -q && git config core.fsmonitor 'touch owned; false'")
    outcome(host, "git status")
    assert not (project / "owned").exists()


def test_an_edit_within_the_same_second_counts(host: CommandHost, project: Path) -> None:
    (project / "calc.py").write_text("def f():\n    return 1\n")
    assert outcome(host, "python3 -c 'import calc; print(calc.f())'") == "exit code 0\n1"
    (project / "calc.py").write_text("def f():\n    return 2\n")
    assert outcome(host, "python3 -c 'import calc; print(calc.f())'") == "exit code 0\n2"
    assert [path.name for path in project.iterdir()] == ["calc.py"]
