"""The programs that this one starts for itself: none of the workspace's, and none that a repository names."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.bubblewrap import need_bubblewrap
from tests.support.command import run_command, run_here
from tests.support.git_traps import KEPT_OFF, PLACES, RUNNING, run_git, trap_in, trapped
from tests.support.scripted_server import ScriptedServer

LINES = ("git status", "git diff HEAD", "git log -p", "git log -m -p", "git show")
ALL_SETTINGS = {name: value for settings in (KEPT_OFF, *RUNNING.values()) for name, value in settings.items()}
# What this program, git, bash, Python or a library might look for on the PATH.
NAMES = (
    *(
        "git",
        "rg",
        "bwrap",
        "bash",
        "sh",
        "dash",
        "env",
        "true",
        "false",
        "python",
        "python3",
        "pip",
        "uname",
        "file",
    ),
    *(
        "ldconfig",
        "gcc",
        "cc",
        "lsb_release",
        "xclip",
        "xsel",
        "wl-copy",
        "gpg",
        "gpg2",
        "ssh",
        "ssh-keygen",
        "less",
    ),
    *(
        "cat",
        "more",
        "git-lfs",
        "git-remote-ext",
        "git-log",
        "git-status",
        "sandbox-exec",
        "setsid",
        "ps",
        "tput",
    ),
)


def call(tool: str, **arguments: str) -> str:
    return f"tool: {tool}({json.dumps(arguments)})"


def commands(*lines: str) -> str:
    return "\n".join(call("run_command", command=line) for line in lines)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("mode", "sandbox", "settings"),
    [
        ("read-only", "require", ALL_SETTINGS),
        ("ask", "off", ALL_SETTINGS),
        ("all", "off", KEPT_OFF),
        ("all", "require", KEPT_OFF),
    ],
)
def test_a_repository_starts_nothing(
    project: Path, place: str, mode: str, sandbox: str, settings: Mapping[str, str]
) -> None:
    if sandbox == "require":
        need_bubblewrap()
    repository = trapped(place, project)
    repository.set(settings)
    with ScriptedServer([commands(*LINES), "Done."]) as server:
        flags = server.flags("--permission-mode", mode, "--sandbox", sandbox)
        run_here("-p", "look", *flags, cwd=repository.folder)
    assert not repository.mark.exists()


@pytest.mark.parametrize("settings", ["signatures", "partial clone"])
def test_a_folder_that_looks_like_a_repository(project: Path, settings: str) -> None:
    """A clone brings one as plain files; nobody has said yes to anything, and the sandbox is required."""
    need_bubblewrap()
    repository = trapped("a bare repository below", project)
    repository.set(RUNNING[settings])
    with ScriptedServer([commands("git log -p"), "Done."]) as server:
        flags = server.flags("--permission-mode", "read-only", "--sandbox", "require")
        run_command("-p", "look", "-C", "sub", *flags, cwd=project)
        assert "denied" in server.requests[1].last
    assert not repository.mark.exists()


def test_a_repository_that_the_model_writes_as_text_asks(project: Path) -> None:
    trap = trap_in(project.parent / "trap")
    config = (
        f"[core]\nrepositoryformatversion = 1\nsshCommand = {trap}\n[extensions]\npartialClone = origin\n"
    )
    files = {
        "config": config,
        "objects/info/x": "x\n",
        "refs/heads/other": "y\n",
        "HEAD": "ref: refs/heads/main\n",
    }
    calls = "\n".join(call("write_file", path=f"sub/{name}", content=text) for name, text in files.items())
    with ScriptedServer([calls, "Done."]) as server:
        done = run_command("-p", "go", *server.flags("--permission-mode", "edits"), cwd=project)
        assert "tool_result(write_file #4 denied)" in server.requests[1].last
    assert done.returncode == 3
    assert not (project / "sub/HEAD").exists()


def test_no_program_of_the_workspace_is_started(project: Path) -> None:
    """Be it first on the PATH as a relative folder, as an absolute one, or as a link from elsewhere."""
    trap = trap_in(project.parent / "trap")
    own, other = project / "node_modules/.bin", project.parent / "linked"
    own.mkdir(parents=True)
    other.mkdir()
    for name in NAMES:
        (own / name).write_text(trap.read_text())
        (own / name).chmod(0o755)
    for name in ("git", "rg", "bwrap", "bash", "sh"):
        (other / name).symlink_to(own / name)
    run_git(project, "init", "-q")
    (project / "a.txt").write_text("alpha\n")
    run_git(project, "add", "a.txt")
    run_git(project, "commit", "-qm", "first")
    calls = [
        call("list_files", path="."), call("list_files", path="node_modules"),
        call("search", pattern="alpha"),
        *(call("run_command", command=line) for line in ("git status", "git log -p", "echo $((1 + 1))")),
        call("write_file", path="b.txt", content="beta\n"), call("run_command", command="echo > c.txt"),
    ]  # fmt: skip
    first = os.pathsep.join(["node_modules/.bin", ".", "", str(own), str(other), os.environ["PATH"]])
    with ScriptedServer(["\n".join(calls), "Done."]) as server:
        flags = server.flags("--yes", "--sandbox", "auto")
        run_command("-p", "go", *flags, cwd=project, environment={"PATH": first})
        assert "exit code 0\n2" in server.requests[1].last
    assert not trap.with_name("mark").exists(), trap.with_name("mark").read_text()
    assert (project / "b.txt").exists()


@pytest.mark.parametrize("above", ["node_modules/.bin", "packages/node_modules/.bin", "tools"])
def test_no_program_of_the_repository_around_the_workspace_is_started(project: Path, above: str) -> None:
    trap, own, root = trap_in(project.parent / "trap"), project / above, project / "packages/one"
    root.mkdir(parents=True)
    own.mkdir(parents=True)
    for name in NAMES:
        (own / name).write_text(trap.read_text())
        (own / name).chmod(0o755)
    run_git(project, "init", "-q")
    (root / "a.txt").write_text("alpha\n")
    calls = [call("search", pattern="alpha"), call("run_command", command="git status"), call("list_files")]
    path = os.pathsep.join([str(own), os.environ["PATH"]])
    with ScriptedServer(["\n".join(calls), "Done."]) as server:
        flags = server.flags("-C", "packages/one", "--sandbox", "auto")
        run_command("-p", "go", *flags, cwd=project, environment={"PATH": path})
        assert "a.txt" in server.requests[1].last
    assert not trap.with_name("mark").exists(), trap.with_name("mark").read_text()


@pytest.mark.parametrize("place", [".venv/bin/rg", "venv/Scripts/rg.exe", "sub/node_modules/.bin/tsc"])
def test_programs_that_are_started_by_name_are_not_replaced_unasked(project: Path, place: str) -> None:
    (project / place).parent.mkdir(parents=True)
    (project / place).write_text("before\n")
    calls = f"{call('read_file', path=place)}\n{call('write_file', path=place, content='evil')}"
    with ScriptedServer([calls, "Done."]) as server:
        run_here("-p", "go", *server.flags("--permission-mode", "edits"), cwd=project)
        assert "tool_result(write_file #2 denied)" in server.requests[1].last
    assert (project / place).read_text() == "before\n"
