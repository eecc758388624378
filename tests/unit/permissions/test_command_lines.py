"""The table of command lines, each with what the permission policy is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_lines import DANGER, LONGER, OTHER, POWER, READS, SECRET
from tests.support.surroundings import surroundings_of
from text_agent.permissions.command_lines.assessment import assess
from text_agent.permissions.command_lines.surroundings import Surroundings

TABLE = {
    **dict.fromkeys(READS, "reads"),
    **dict.fromkeys(OTHER, "other"),
    **dict.fromkeys(SECRET, "secret"),
    **dict.fromkeys(POWER, "power"),
    **dict.fromkeys(DANGER, "danger"),
    **LONGER,
}


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Surroundings:
    root = tmp_path_factory.mktemp("outer") / "project"
    fill(root)
    return surroundings_of(root)


def fill(root: Path) -> None:
    for folder in ("src", "docs", "certs", ".git", ".ssh", "keys", "linked", "out-links"):
        (root / folder).mkdir(parents=True)
    for name in ("a.txt", "src/app.py", ".env", "certs/server.pem", "r.sh", ".git/index"):
        (root / name).write_text("x\n")
    (root / "certs/ca.pem").write_text("-----BEGIN CERTIFICATE-----\nx\n")
    (root / "out").symlink_to("/etc/hostname")
    (root / "safe").symlink_to(".env")
    (root / ".git/hooks").mkdir()
    (root / "hooks").symlink_to(".git/hooks")
    (root / ".ssh/id_ed25519").write_text("x\n")
    (root / "keys/mine").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n")
    (root / "linked/b.txt").symlink_to("../.env")
    (root / "out-links/a.txt").symlink_to("/etc/hostname")


@pytest.mark.parametrize(("line", "kind"), TABLE.items())
def test_what_a_line_is(line: str, kind: str, around: Surroundings) -> None:
    assessment = assess(line, around)
    assert assessment.kind == kind, assessment.reason
    assert bool(assessment.reason) == (kind != "reads")


def test_the_table_is_large_and_says_each_line_once() -> None:
    lines = [*READS, *OTHER, *SECRET, *POWER, *DANGER, *LONGER]
    assert len(lines) == len(set(lines)) >= 500


def test_a_program_of_the_workspace_is_no_harmless_one(around: Surroundings) -> None:
    places = {"ls": str(around.root / ".venv/bin/ls"), "cat": "./cat", "grep": "/usr/bin/grep"}
    other = surroundings_of(around.root, find_program=places.get)
    assert assess("ls", other).kind == "other"
    assert assess("cat a.txt", other).kind == "other"
    assert assess("grep foo a.txt", other).kind == "reads"
    assert assess("head a.txt", other).kind == "other"
    assert assess("echo hello", other).kind == "reads"


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("filter.evil.clean", "sh -c x", "other"),
        ("filter.evil.process", "x", "other"),
        ("filter.lfs.clean", "git-lfs clean -- %f", "reads"),
        ("filter.lfs.clean", "evil", "other"),
        ("gpg.program", "evil", "other"),
        ("gpg.ssh.program", "evil", "other"),
        ("extensions.partialclone", "origin", "other"),
        ("remote.origin.promisor", "true", "other"),
        ("core.worktree", "/", "other"),
        ("core.pager", "evil", "reads"),
        ("diff.external", "evil", "reads"),
        ("core.fsmonitor", "evil", "reads"),
        ("user.name", "me", "reads"),
    ],
)
def test_git_settings_that_run_programs(name: str, value: str, kind: str, around: Surroundings) -> None:
    assert assess("git status", surroundings_of(around.root, settings={name: [value]})).kind == kind


def test_git_shows_no_secret_that_it_tracks(around: Surroundings) -> None:
    tracking = surroundings_of(around.root, tracks_secrets=True)
    for line in ("git diff", "git log -p", "git show", "git grep x", "git diff | head", "git blame a.txt"):
        assert assess(line, tracking).kind == "secret"
    for line in (
        "git log -U1",
        "git log -L1,2:a.txt",
        "git log -c",
        "git log --word-diff",
        "git log --nonsense",
        *("git add -p", "git checkout --patch", "git stash list -p", "git reflog -p", "git commit -qp"),
        *("git format-patch -1 --stdout", "git -C src stash push -p"),
    ):
        assert assess(line, tracking).kind == "secret", line
    assert assess("git fetch -p", tracking).kind == "other"
    for line in ("git ls-files | xargs cat", "cat $(git ls-files)", "git ls-tree -r HEAD | xargs tail -n1"):
        assert assess(line, tracking).kind == "secret", line
        hiding = surroundings_of(around.root, tracks_secrets=True, hides_secrets=True)
        assert assess(line, hiding).kind == "other", line
    for line in ("git status", "git branch", "git ls-files", "git log", "git log --oneline -5 --stat -- src"):
        assert assess(line, tracking).kind == "reads"


def test_a_sandbox_that_hides_secrets_lets_folders_be_read(around: Surroundings) -> None:
    hiding = surroundings_of(around.root, hides_secrets=True, tracks_secrets=True)
    assert assess("grep -rn foo certs", hiding).kind == "reads"
    assert assess("tar cf x.tar certs", hiding).kind == "other"
    assert assess("find certs -type f -exec cat {} +", hiding).kind == "other"
    # It hides files by their names only.
    assert assess("grep -rn foo keys", hiding).kind == "secret"
    assert assess("cat .env", hiding).kind == "secret"
    # Of a file that is hidden, git shows what it has kept.
    assert assess("git diff", hiding).kind == "secret"


def test_a_pattern_of_too_many_names_asks(tmp_path: Path) -> None:
    for number in range(1001):
        (tmp_path / f"n{number}").touch()
    assert assess("cat n*", surroundings_of(tmp_path)).kind == "other"
    assert assess("cat n1*", surroundings_of(tmp_path)).kind == "reads"
