"""Attempts to get out: through every tool, the classifier of commands, links, archives and the environment.

Nobody can be asked here, so that each attempt has to fail; commands run without a sandbox.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from text_agent.agent.answers import Answer
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.config.permission_mode import PermissionMode
from text_agent.files.workspace import Workspace
from text_agent.permissions.command_lines.system import look_around
from text_agent.permissions.policy import Action, PermissionPolicy
from text_agent.protocol.types import ToolCall
from text_agent.tools.registry import default_tools
from text_agent.tools.run_command import CommandHost

INSIDE = "hunter2-inside"
OUTSIDE = "hunter2-outside"
KEY = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{INSIDE}\n"


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace with secrets in it and a secret beside it, and what an agent may do there."""

    root: Path

    def answer(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        mode: PermissionMode = "ask",
        environment: Mapping[str, str] = os.environ,
    ) -> Answer:
        workspace = Workspace(self.root)
        host = CommandHost(workspace, environment=environment)
        around = look_around(workspace.root, workspace.secrets, environment)
        runner = ToolRunner(
            default_tools(workspace, host), workspace, PermissionPolicy(around, mode), Unattended()
        )
        (answer,) = runner.answer([ToolCall(tool, arguments)], "", 1)
        return answer

    def state(self) -> dict[str, bytes | str]:
        """Everything in and beside the workspace."""
        top = self.root.parent
        return {
            str(path): str(path.readlink()) if path.is_symlink() else path.read_bytes()
            for path in sorted(top.rglob("*"))
            if path.is_symlink() or path.is_file()
        }

    def assert_failed(self, answer: Answer, before: Mapping[str, bytes | str]) -> None:
        assert answer.result.status != "ok", answer.result.text
        assert INSIDE not in answer.result.text
        assert OUTSIDE not in answer.result.text
        assert self.state() == before


@pytest.fixture
def place(project: Path) -> Place:
    top = project.parent
    (top / "outside.txt").write_text(f"{OUTSIDE}\n")
    (top / "project2").mkdir()
    (top / "project2/x").write_text(f"{OUTSIDE}\n")
    for folder in ("src", ".git/hooks", "private", "bin"):
        (project / folder).mkdir(parents=True)
    (project / "a.txt").write_text("alpha\n")
    (project / "src/app.py").write_text("print('app')\n")
    (project / ".env").write_text(f"PASSWORD={INSIDE}\n")
    (project / "src/server.pem").write_text(f"{INSIDE}\n")
    (project / "deploy").write_text(KEY)
    (project / "private/notes.txt").write_text(f"{INSIDE}\n")
    (project / ".text-agent-ignore").write_text("/private/\n")
    (project / "link").symlink_to(top / "outside.txt")
    (project / "up").symlink_to(top)
    (project / "chain").symlink_to("link")
    (project / "plain").symlink_to(".env")
    (project / "hooks").symlink_to(".git/hooks")
    (project / "id_rsa").symlink_to("a.txt")
    os.link(project / ".env", project / "hard.txt")
    os.mkfifo(project / "pipe")
    return Place(project)


# Through the tools that read, with every mode's rights.
READS = [
    ("read_file", {"path": "../outside.txt"}),
    ("read_file", {"path": "src/../../outside.txt"}),
    ("read_file", {"path": "../project2/x"}),
    ("read_file", {"path": "/etc/passwd"}),
    ("read_file", {"path": "~/.ssh/id_rsa"}),
    ("read_file", {"path": "~root/.bashrc"}),
    ("read_file", {"path": "file:///etc/passwd"}),
    ("read_file", {"path": "link"}),
    ("read_file", {"path": "chain"}),
    ("read_file", {"path": "up/outside.txt"}),
    ("read_file", {"path": "/proc/self/environ"}),
    ("read_file", {"path": "a.txt\0/../../outside.txt"}),
    ("read_file", {"path": "pipe"}),
    ("read_file", {"path": ".env"}),
    ("read_file", {"path": "./.env"}),
    ("read_file", {"path": " '.env' "}),
    ("read_file", {"path": "src/../.env"}),
    ("read_file", {"path": "plain"}),
    ("read_file", {"path": "hard.txt"}),
    ("read_file", {"path": "deploy"}),
    ("read_file", {"path": "src/server.pem"}),
    ("read_file", {"path": "private/notes.txt"}),
    ("read_file", {"path": "id_rsa"}),
    ("read_file", {"path": ".env", "start": 1, "end": 1}),
    ("list_files", {"path": ".."}),
    ("list_files", {"path": "up"}),
    ("list_files", {"path": "/"}),
    ("list_files", {"path": "private"}),
    ("search", {"pattern": "hunter2", "path": ".."}),
    ("search", {"pattern": "hunter2", "path": "/etc"}),
    ("search", {"pattern": "hunter2", "path": "link"}),
    ("search", {"pattern": "hunter2", "path": ".env"}),
    ("search", {"pattern": "hunter2", "path": "plain"}),
    ("search", {"pattern": "hunter2", "path": "hard.txt"}),
    ("search", {"pattern": "hunter2", "path": "private"}),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["ask", "all"])
@pytest.mark.parametrize(("tool", "arguments"), READS)
def test_reading(place: Place, tool: str, arguments: Mapping[str, Any], mode: PermissionMode) -> None:
    before = place.state()
    place.assert_failed(place.answer(tool, arguments, mode), before)


# These succeed, and show nothing of what is secret.
SEARCHES = [
    {"pattern": "hunter2"},
    {"pattern": "PASSWORD|hunter2"},
    {"pattern": "hunter2", "glob": ".env"},
    {"pattern": "hunter2", "glob": "*.pem"},
    {"pattern": "hunter2", "glob": "**/.env*"},
    {"pattern": "hunter2", "path": "src"},
    {"pattern": "hunter2(", "path": "src"},
    {"pattern": "(?<=PASSWORD=).*"},
    {"pattern": "PRIVATE KEY"},
]


@pytest.mark.parametrize("arguments", SEARCHES)
def test_searches_leave_secrets_out(place: Place, arguments: Mapping[str, Any]) -> None:
    text = place.answer("search", arguments, "all").result.text
    assert INSIDE not in text
    assert "server.pem" not in text
    assert "deploy" not in text


def test_a_search_does_not_tell_whether_a_secret_matches(place: Place) -> None:
    right = place.answer("search", {"pattern": "PASSWORD=hunter2"}).result.text
    wrong = place.answer("search", {"pattern": "PASSWORD=hunter3"}).result.text
    assert right.replace("hunter2", "hunter3") == wrong
    assert "secret file" in right


def test_listings_leave_secrets_out_and_count_them(place: Place) -> None:
    lines = place.answer("list_files", {}).result.text
    assert "src/app.py" in lines
    for name in (".env", "server.pem", "notes.txt"):
        assert name not in lines
    assert "secret files are left out" in lines
    matches = place.answer("list_files", {"pattern": "*.pem"}).result.text
    assert "server.pem" not in matches
    assert "1 secret file is left out" in matches


# Through the tools that write, where everything is allowed that a flag can allow.
WRITES = [
    ("write_file", {"path": "../new.txt", "content": "x"}),
    ("write_file", {"path": "/tmp/text-agent-escape", "content": "x"}),
    ("write_file", {"path": "up/new.txt", "content": "x"}),
    ("write_file", {"path": "link", "content": "x"}),
    ("write_file", {"path": "~/.bashrc", "content": "x"}),
    ("write_file", {"path": ".git/hooks/pre-commit", "content": "x"}),
    ("write_file", {"path": "hooks/pre-commit", "content": "x"}),
    ("write_file", {"path": ".git/config", "content": "x"}),
    ("write_file", {"path": "src/.git/config", "content": "x"}),
    ("write_file", {"path": ".GIT/config", "content": "x"}),
    ("write_file", {"path": "./.git//config", "content": "x"}),
    ("write_file", {"path": ".text-agent/settings", "content": "x"}),
    ("write_file", {"path": ".text-agent-ignore", "content": ""}),
    ("write_file", {"path": ".env", "content": "x"}),
    ("write_file", {"path": ".bashrc", "content": "x"}),
    ("write_file", {"path": ".zshrc", "content": "x"}),
    ("write_file", {"path": ".profile", "content": "x"}),
    ("write_file", {"path": ".envrc", "content": "x"}),
    ("edit_file", {"path": "../outside.txt", "old_str": OUTSIDE, "new_str": "x"}),
    ("edit_file", {"path": ".env", "old_str": "PASS", "new_str": "x"}),
    ("edit_file", {"path": ".env", "old_str": "nothing like it", "new_str": "x"}),
    ("edit_file", {"path": "plain", "old_str": "nothing like it", "new_str": "x"}),
    ("edit_file", {"path": "hard.txt", "old_str": "nothing like it", "new_str": "x"}),
    ("edit_file", {"path": "deploy", "old_str": "nothing like it", "new_str": "x"}),
    ("edit_file", {"path": "private/notes.txt", "old_str": "nothing like it", "new_str": "x"}),
    ("edit_file", {"path": ".text-agent-ignore", "old_str": "/private/", "new_str": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments"), WRITES)
def test_writing(place: Place, tool: str, arguments: Mapping[str, Any]) -> None:
    before = place.state()
    place.assert_failed(place.answer(tool, arguments, "all"), before)
    assert not Path("/tmp/text-agent-escape").exists()


# Through commands that want to pass for reading ones. Where the line ran, `owned` would be there.
COMMANDS = [
    "ls; touch owned", "ls && touch owned", "ls || touch owned", "ls | tee owned", "ls & touch owned",
    "ls\ntouch owned",
    "ls > owned", "ls >> owned", "ls 2> owned", "ls &> owned", "ls >| owned", "echo $(touch owned)",
    "echo `touch owned`",
    'echo "$(touch owned)"', "cat <(touch owned)", "ls > >(tee owned)", "echo ${x:=$(touch owned)}",
    "X=1 touch owned",
    "PATH=bin ls", "env touch owned", "command touch owned", "exec touch owned", "eval touch owned",
    "eval 'touch owned'",
    "bash -c 'touch owned'", "sh -c 'touch owned'", "xargs touch owned", "nice touch owned",
    "timeout 5 touch owned",
    "find . -maxdepth 0 -exec touch owned ;", "find . -maxdepth 0 -exec touch owned \\;",
    "find . -fprint owned",
    "find . -name a.txt -execdir touch owned \\;", "git -c alias.x='!touch owned' x",
    "git -c core.pager='touch owned' log",
    "git -c core.fsmonitor='touch owned' status", "git -c diff.external='touch owned' diff",
    "git diff --output=owned",
    "git log --output=owned", "git grep --open-files-in-pager='touch owned' alpha",
    "git config alias.x '!touch owned'",
    "python3 -c \"open('owned', 'w')\"", "perl -e 'open F, \">owned\"'",
    "awk 'BEGIN { system(\"touch owned\") }'",
    "sed -n 'w owned' a.txt", "sed -n '1w owned' a.txt", "sed '1e touch owned' a.txt", "sed -i s/a/b/ a.txt",
    "sort -o owned a.txt", "sort --compress-program='touch owned' a.txt", "uniq a.txt owned",
    "xxd a.txt owned",
    "tree -o owned", "rg --pre 'touch owned' alpha a.txt", "tee owned", "cp a.txt owned", "mv a.txt owned",
    "rm a.txt",
    "ln a.txt owned", "dd if=a.txt of=owned", "tar cf owned a.txt", "tar xf x.tar", "date -s 12:00",
    "bin/ls", "./bin/ls",
    "printf -v 'x[$(touch owned)]' y", "test -v 'x[$(touch owned)]'", "[ -v 'x[$(touch owned)]' ]",
    "ls $(touch owned)",
    "ls {a,$(touch owned)}", "! touch owned", "{ touch owned; }", "(touch owned)",
    "if touch owned; then ls; fi",
    "f() { touch owned; }; f", "coproc touch owned", "time touch owned", "trap 'touch owned' EXIT",
    "source bin/ls",
    ". bin/ls", "ls #\ntouch owned", "cat <<EOF\n$(touch owned)\nEOF", "cat <<< $(touch owned)",
    "ls ''\ttouch;touch owned",
    "tar xf a.txt --to-command='touch owned'",
    "tar cf /dev/null a.txt --checkpoint=1 --checkpoint-action=exec='touch owned'",
    "unzip x.zip", "zip owned a.txt", "git archive -o owned HEAD", "make -f /dev/stdin",
    "ssh -oProxyCommand='touch owned' x",
    "man -P 'touch owned' ls", "less a.txt", "vi -c ':w owned' a.txt", "awk 1 a.txt > owned",
    "ls \\\n; touch owned",
]  # fmt: skip
SHOWING = [
    "cat ../outside.txt", "cat link", "cat chain", "cat up/outside.txt", "cat up/*.txt",
    "head -1 /etc/../etc/passwd",
    "cat ~/x", "cat $PWD/../outside.txt", "grep -r hunter2 ..", "grep hunter2 link",
    "tail -n1 src/../../outside.txt",
    "diff a.txt link", "sort link", "cat .env", "cat ./.env", "cat plain", "cat hard.txt", "cat deploy",
    "cat .e*",
    "cat .en?", "cat '.env'", 'cat ".e"nv', "cat \\.env", "cat src/*.pem", "cat src/*",
    "cat private/notes.txt",
    "cat private/*", "grep hunter2 .env", "grep -r hunter2 .", "grep -rh hunter2", "rg -g .env hunter2",
    "rg hunter2 src",
    "rg hunter2 deploy", "diff -r src private", "xxd .env", "od -c .env", "strings .env", "base64 .env",
    "nl .env",
    "sed -n 1p .env", "tac .env", "rev .env", "cut -c1-99 .env", "git diff --no-index a.txt .env",
    "git grep --no-index hunter",
    "wc -l < .env", "cat < .env", "bash -c 'cat .env'", "echo \"$(cat .env)\"", "echo $(<.env)",
    "while read x; do echo $x; done < .env",
    "python3 -c \"print(open('.env').read())\"", "tar cO .env", "env", "printenv", "ps auxe",
    "cat /proc/self/environ",
    "find . -name .env -exec cat {} \\;", "xargs cat .env", "file -f .env", "date -f .env",
    "grep -f .env .env",
    "comm .env a.txt", "join .env .env", "paste .env", "od .e[n]v", "head -c 99 .env", "git show :.env",
    "git cat-file -p :.env",
]  # fmt: skip


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_that_does_more_than_read(place: Place, line: str) -> None:
    (place.root / "bin/ls").write_text("#!/bin/sh\ntouch owned\n")
    (place.root / "bin/ls").chmod(0o755)
    before = place.state()
    answer = place.answer("run_command", {"command": line})
    place.assert_failed(answer, before)
    assert answer.unattended


@pytest.mark.parametrize("line", SHOWING)
def test_a_command_that_shows_what_it_should_not(place: Place, line: str) -> None:
    before = place.state()
    answer = place.answer("run_command", {"command": line})
    place.assert_failed(answer, before)
    assert answer.unattended


@pytest.mark.parametrize("line", [line for line in SHOWING if ".e" in line and "--no-index" not in line])
def test_a_secret_needs_its_own_yes_even_where_everything_is_allowed(place: Place, line: str) -> None:
    answer = place.answer("run_command", {"command": line}, "all")
    assert answer.unattended, answer.result.text
    assert "--yes" not in answer.result.text


def test_a_program_of_the_workspace_that_has_a_harmless_name(place: Place) -> None:
    """As with an environment of Python's, or with direnv, which put a folder of the project into PATH."""
    (place.root / "bin/cat").write_text("#!/bin/sh\ntouch owned\n")
    (place.root / "bin/cat").chmod(0o755)
    before = place.state()
    for folder in (str(place.root / "bin"), "bin", "./bin", "src/../bin"):
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        place.assert_failed(
            place.answer("run_command", {"command": "cat a.txt"}, environment=environment), before
        )


def test_settings_of_other_programs_do_not_turn_reading_into_running(place: Place) -> None:
    (place.root / "rc").write_text("--pre=./bin/ls\n--hidden\n")
    (place.root / "bin/ls").write_text("#!/bin/sh\ntouch owned\n")
    (place.root / "bin/ls").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "RIPGREP_CONFIG_PATH": str(place.root / "rc"),
        "BASH_ENV": str(place.root / "bin/ls"),
        "ENV": str(place.root / "bin/ls"),
        "GIT_EXTERNAL_DIFF": str(place.root / "bin/ls"),
        "GIT_PAGER": str(place.root / "bin/ls"),
        "LESSOPEN": f"|{place.root}/bin/ls %s",
    }
    subprocess.run(["git", "init", "-q"], cwd=place.root, check=True)
    subprocess.run(["git", "add", "a.txt"], cwd=place.root, check=True)
    (place.root / "a.txt").write_text("beta\n")
    for line in ("rg alpha a.txt", "cat a.txt", "git diff", "git status", "ls"):
        assert not place.answer("run_command", {"command": line}, environment=environment).unattended
        assert not (place.root / "owned").exists(), line


@pytest.mark.parametrize(
    ("name", "kind", "target"),
    [
        ("gift", tarfile.SYMTYPE, "../../outside.txt"),
        ("gift", tarfile.SYMTYPE, "../.env"),
        ("gift", tarfile.LNKTYPE, ".env"),
    ],
)
def test_what_an_archive_has_laid_down(place: Place, name: str, kind: bytes, target: str) -> None:
    """A link that came with an archive, or with a repository, leads no further than any other."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo(f"src/{name}")
        entry.type, entry.linkname = kind, target
        archive.addfile(entry)
    packed.seek(0)
    with tarfile.open(fileobj=packed) as archive:
        archive.extractall(place.root, filter="fully_trusted")
    before = place.state()
    for mode in ("ask", "all"):
        place.assert_failed(place.answer("read_file", {"path": f"src/{name}"}, mode), before)
    place.assert_failed(place.answer("run_command", {"command": f"cat src/{name}"}), before)
    assert INSIDE not in place.answer("search", {"pattern": "hunter2", "path": "src"}, "all").result.text


def test_a_repository_in_an_archive_runs_nothing(place: Place) -> None:
    (place.root / "evil").write_text("#!/bin/sh\ntouch owned\n")
    (place.root / "evil").chmod(0o755)
    subprocess.run(["git", "init", "-q"], cwd=place.root, check=True)
    subprocess.run(["git", "add", "a.txt"], cwd=place.root, check=True)
    (place.root / ".gitattributes").write_text("* diff=evil filter=evil\n")
    (place.root / ".git/config").write_text(
        "[core]\nfsmonitor = ./evil\npager = ./evil\nhooksPath = .\n[diff]\nexternal = ./evil\n"
        '[diff "evil"]\ntextconv = ./evil\ncommand = ./evil\n'
    )
    (place.root / "a.txt").write_text("beta\n")
    for line in (
        "git status",
        "git diff",
        "git log -p",
        "git show",
        "git grep beta",
        "git ls-files",
        "git blame a.txt",
    ):
        place.answer("run_command", {"command": line})
        assert not (place.root / "owned").exists(), line
    (place.root / ".git/config").write_text('[filter "evil"]\nclean = ./evil\nrequired\n')
    for line in ("git status", "git diff"):
        assert place.answer("run_command", {"command": line}).unattended
        assert not (place.root / "owned").exists(), line


def git(root: Path, *words: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


@pytest.mark.parametrize("kept", ["tracked", "deleted", "branch", "stash", "reset"])
@pytest.mark.parametrize("line", ["git log -p --all", "git show HEAD", "git diff HEAD", "git stash show -p"])
def test_what_git_has_kept_of_a_secret(place: Place, kept: str, line: str) -> None:
    root = place.root
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "a.txt")
    git(root, "commit", "-qm", "one")
    for command in ("git log -p", "git show"):
        assert place.answer("run_command", {"command": command}).result.status == "ok"
    git(root, "add", "-f", ".env")
    if kept == "stash":
        git(root, "stash")
        (root / ".env").write_text(f"PASSWORD={INSIDE}\n")
    else:
        git(root, "commit", "-qm", "two")
    if kept == "deleted":
        git(root, "rm", "-q", "--cached", ".env")
        git(root, "commit", "-qm", "three")
    if kept == "branch":
        git(root, "branch", "other")
    if kept in ("branch", "reset"):
        git(root, "reset", "-q", "HEAD~1")
    answer = place.answer("run_command", {"command": line})
    assert answer.unattended
    assert "--allow-secrets" in answer.result.text
    assert place.answer("run_command", {"command": "git log --oneline --stat"}).result.status == "ok"
    assert INSIDE not in place.answer("run_command", {"command": "git status"}).result.text


# What may end this very program, and with it the test; so it is only decided on, whatever comes of it.
ENDINGS = [
    "kill -9 -1", "kill -1", "kill -9 $PPID", "kill -9 <pid>", f"pkill -f {sys.executable}",
    "killall python", "bash -c 'kill -9 -1'", "env kill -9 -1", "pgrep python | xargs kill",
    "kill $(pgrep python)",
]  # fmt: skip


@pytest.mark.parametrize("mode", ["ask", "edits", "all"])
@pytest.mark.parametrize("line", ENDINGS)
def test_a_command_that_may_end_other_programs_always_asks(
    place: Place, line: str, mode: PermissionMode
) -> None:
    workspace = Workspace(place.root)
    policy = PermissionPolicy(look_around(workspace.root, workspace.secrets, os.environ), mode)
    # Not in the parameter: every process of a test run must call the tests by the same names.
    command = line.replace("<pid>", str(os.getpid()))
    decision = policy.decide(Action("run_command", "execute", command=command))
    assert (decision.verdict, decision.cause) == ("ask", "danger")


def test_a_command_may_end_its_own_programs(place: Place) -> None:
    for line in ("sleep 60 & kill $!", "sleep 60 & PID=$!; kill -9 $PID", "sleep 60 & kill %1"):
        assert place.answer("run_command", {"command": line}, "all").result.status == "ok"
