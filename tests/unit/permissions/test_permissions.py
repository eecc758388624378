"""What runs, what is asked, and what is remembered."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from tests.support.command_lines import READS
from tests.support.surroundings import surroundings_of
from text_agent.config.permission_mode import PermissionMode
from text_agent.permissions.allowed import AllowedCommands
from text_agent.permissions.policy import Action, PermissionPolicy, Review

MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)
READ = Action("read_file", "read", ("a.txt",))
WRITE = Action("write_file", "write", ("a.txt",))
SECRET_FILE = Action("read_file", "read", (".env",), secret=True)
YES = Review(approved=True)
ALWAYS = Review(approved=True, for_session=True)


def command(text: str) -> Action:
    return Action("run_command", "execute", command=text)


def policy_of(folder: Path, mode: PermissionMode = "ask", *, allow_secrets: bool = False) -> PermissionPolicy:
    return PermissionPolicy(surroundings_of(folder), mode, allow_secrets=allow_secrets)


def verdicts(folder: Path, action: Action) -> list[str]:
    """What the modes say, from the strictest on."""
    return [policy_of(folder, mode).decide(action).verdict for mode in MODES]


def say_yes(policy: PermissionPolicy, action: Action, review: Review) -> None:
    decision = policy.decide(action)
    assert decision.verdict == "ask"
    policy.remember(action, policy.request(action, decision, "tool: x()"), review)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (READ, ["allow", "allow", "allow", "allow"]),
        (WRITE, ["deny", "ask", "allow", "allow"]),
        (command("ls"), ["allow", "allow", "allow", "allow"]),
        (command("make"), ["deny", "ask", "ask", "allow"]),
        (command("cat .env"), ["ask", "ask", "ask", "ask"]),
        (command("source .env"), ["deny", "ask", "ask", "ask"]),
        (command("git reset --hard"), ["deny", "ask", "ask", "ask"]),
        (command("echo x > .git/config"), ["deny", "ask", "ask", "ask"]),
        (command("ls 'unclosed"), ["deny", "ask", "ask", "ask"]),
        (Action("other_tool", "execute"), ["deny", "ask", "ask", "allow"]),
        (Action("other_tool", "write"), ["deny", "ask", "ask", "ask"]),
        (SECRET_FILE, ["ask", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".git/hooks/pre-commit",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", ("sub/.git/config",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".GIT/config",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".text-agent/x",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".text-agent-ignore",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".env",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".bashrc",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".zshenv",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".envrc",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".ssh/authorized_keys",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".config/text-agent/config.env",)), ["deny", "ask", "ask", "ask"]),
        (Action("write_file", "write", (".gitignore",)), ["deny", "ask", "allow", "allow"]),
        (Action("write_file", "write", (".github/workflows/x.yml",)), ["deny", "ask", "allow", "allow"]),
        (Action("write_file", "write", ("web/.env",)), ["deny", "ask", "allow", "allow"]),
    ],
)
def test_what_each_mode_says(project: Path, action: Action, expected: list[str]) -> None:
    assert verdicts(project, action) == expected


@pytest.mark.parametrize("mode", MODES)
def test_a_line_that_always_asks_is_never_allowed(project: Path, mode: PermissionMode) -> None:
    policy = policy_of(project, mode)
    for line in (
        "rm -rf /",
        "sudo ls",
        "curl x | sh",
        "git clean -fd",
        "git push -f",
        "dd if=a of=b",
        "cat .env",
    ):
        for review in (YES, ALWAYS, Review(approved=True, for_project=True, by_prefix=True)):
            decision = policy.decide(command(line))
            policy.remember(command(line), policy.request(command(line), decision, ""), review)
            assert policy.decide(command(line)).verdict != "allow"
    assert policy.approvals() == []


def test_what_reads_runs_without_asking_in_every_mode(project: Path) -> None:
    for line in READS:
        assert verdicts(project, command(line)) == ["allow"] * 4, line


def test_secrets_may_be_allowed_by_a_flag(project: Path) -> None:
    policy = policy_of(project, allow_secrets=True)
    assert policy.decide(SECRET_FILE).verdict == "allow"
    assert policy.decide(command("cat .env")).verdict == "allow"
    assert policy.decide(command("source .env")).verdict == "ask"
    assert policy.decide(command("source .env")).cause == "mode"
    assert policy_of(project, "all", allow_secrets=True).decide(command("source .env")).verdict == "allow"


def test_a_secret_file_may_be_allowed_for_the_session(project: Path) -> None:
    policy = policy_of(project, "all")
    say_yes(policy, SECRET_FILE, YES)
    assert policy.decide(SECRET_FILE).verdict == "ask"
    say_yes(policy, SECRET_FILE, ALWAYS)
    assert policy.decide(SECRET_FILE).verdict == "allow"
    assert policy.decide(Action("edit_file", "read", (".env",), secret=True)).verdict == "allow"
    assert policy.decide(Action("read_file", "read", (".env.local",), secret=True)).verdict == "ask"


def test_changes_of_files_may_be_allowed_for_the_session(project: Path) -> None:
    policy = policy_of(project)
    say_yes(policy, WRITE, ALWAYS)
    assert policy.decide(Action("edit_file", "write", ("b.txt",))).verdict == "allow"
    assert policy.decide(Action("edit_file", "write", (".git/config",))).verdict == "ask"
    assert policy.decide(command("make")).verdict == "ask"
    assert policy.approvals() == ["this session: changes of files"]
    policy.forget()
    assert policy.decide(WRITE).verdict == "ask"


def test_a_whole_command_is_remembered(project: Path) -> None:
    policy = policy_of(project)
    say_yes(policy, command("make test"), ALWAYS)
    assert policy.decide(command("make test")).verdict == "allow"
    for other in ("make", "make test2", "make test; ls", "make test ", "make  test"):
        assert policy.decide(command(other)).verdict == "ask"


def test_a_beginning_is_remembered_for_plain_commands_only(project: Path) -> None:
    policy = policy_of(project)
    say_yes(policy, command("git commit -m x"), Review(approved=True, for_session=True, by_prefix=True))
    for line in ("git commit -m 'more; of | it'", "git commit", "git  commit --amend"):
        assert policy.decide(command(line)).verdict == "allow"
    for line in (
        "git commit -m x; make", "git commit -m x && make", "git commit -m $(make)", "git commit > x",
        "git commit\nmake",
        "X=1 git commit", "git commitx", "git", "(git commit)", "git commit -m `make`", "git commit -F .env",
        "git commit {a,b}", "time git commit",
    ):  # fmt: skip
        assert policy.decide(command(line)).verdict == "ask", line
    assert policy.approvals() == ["this session: git commit ..."]


def test_read_only_keeps_out_what_was_allowed(project: Path) -> None:
    policy = policy_of(project)
    say_yes(policy, command("make"), ALWAYS)
    say_yes(policy, WRITE, ALWAYS)
    policy.mode = "read-only"
    assert policy.decide(command("make")).verdict == "deny"
    assert policy.decide(WRITE).verdict == "deny"


def test_a_tool_without_a_command_is_remembered_by_name(project: Path) -> None:
    policy = policy_of(project)
    say_yes(policy, Action("deploy", "execute"), ALWAYS)
    assert policy.decide(Action("deploy", "execute")).verdict == "allow"
    assert policy.decide(Action("release", "execute")).verdict == "ask"
    assert policy.approvals() == ["this session: deploy"]


def test_what_a_person_is_asked(project: Path) -> None:
    file = project.parent / "rules.json"
    policy = PermissionPolicy(surroundings_of(project), allowed=AllowedCommands(project, file))
    make, reset = command("npm run build"), command("git reset --hard")
    request = policy.request(make, policy.decide(make), "tool: run_command()")
    assert (request.cause, request.command, request.prefix, request.lasts) == (
        "mode",
        "npm run build",
        "npm run build",
        True,
    )
    request = policy.request(reset, policy.decide(reset), "tool: run_command()")
    assert (request.cause, request.prefix, request.lasts) == ("danger", "", False)
    assert "git reset" in request.reason
