"""`/undo` and `/diff` as their user sees them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.checkpoints import tree
from tests.support.command import TEXT_AGENT, run_command
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat

# Python reads no number of so many digits.
LONG = "9" * 5000


def flags(server: ScriptedServer) -> tuple[str, ...]:
    return server.flags("--yes")


def write(path: str, content: str) -> str:
    return f'tool: write_file({{"path": "{path}"}})\n```\n{content}\n```'


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *arguments]
    # `git status` must not write the index down anew while it is compared.
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return run.stdout


def repository(folder: Path) -> None:
    """A repository with a commit, a stash, something staged, and something changed."""
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.py").write_text("a = 1\n")
    (folder / "b.py").write_text("b = 1\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Begin")
    (folder / "a.py").write_text("a = 2\n")
    git(folder, "stash", "-q")
    (folder / "staged.py").write_text("s = 1\n")
    git(folder, "add", "staged.py")
    (folder / "b.py").write_text("b = 2\n")


def test_the_users_git_is_as_it_was(project: Path) -> None:
    repository(project)
    states = ("status", "--porcelain=v2", "--branch"), ("stash", "list"), ("reflog",), ("ls-files", "-s")
    before = [git(project, *state) for state in states]
    files = tree(project)
    edit = 'tool: edit_file({"path": "b.py", "old_str": "b = 2", "new_str": "b = 3"})'
    script = [f"{edit}\n{write('new/c.py', 'c = 1')}", "One.", write("staged.py", "s = 2"), "Two."]
    script[2] = f'tool: read_file({{"path": "staged.py"}})\n{script[2]}'
    with ScriptedServer([*script, "Three."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("change b")
        chat.expect("One.")
        chat.send("change staged")
        chat.expect("Two.")
        assert tree(project) != files
        chat.send("/diff")
        chat.expect("+s = 2")
        assert chat.color_of("+s = 2") == "green"
        chat.send("/undo")
        chat.expect("Restored: staged.py.")
        chat.send("/undo all")
        chat.expect("Restored: b.py.\nRemoved: new/c.py.")
        chat.send("/undo")
        chat.expect("There is nothing to undo.")
        chat.send("/diff")
        chat.expect("No file has changed in this session.")
        chat.send("and now?")
        chat.expect("Three.")
        assert 'took back changes of yours: "b.py", "new/c.py"' in server.requests[-1].last
        chat.send("/exit")
        assert chat.end() == 0
    assert tree(project) == files
    assert [git(project, *state) for state in states] == before


def test_a_command_is_undone(project: Path) -> None:
    """Through the tool that runs commands, with everything that confines it."""
    (project / "a.py").write_text("a = 1\n")
    command = 'tool: run_command({"command": "rm a.py; echo x > b"})'
    with ScriptedServer([command, "Done."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("go")
        chat.expect("Done.")
        assert not (project / "a.py").exists()
        chat.send("/undo")
        chat.expect("Restored: a.py.\nRemoved: b.")
    assert [path.name for path in project.iterdir()] == ["a.py"]


@pytest.mark.parametrize(
    ("answers", "left"),
    [
        (["n"], {"a": "user", "b": "agent"}),
        (["what", "o"], {"a": "user"}),
        (["y"], {}),
    ],
)
def test_it_asks_before_it_overwrites(project: Path, answers: list[str], left: dict[str, str]) -> None:
    script = [f"{write('a', 'agent')}\n{write('b', 'agent')}", "Done."]
    with ScriptedServer(script) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("go")
        chat.expect("Done.")
        (project / "a").write_text("user\n")
        chat.send("/undo")
        for answer in answers:
            chat.expect("Changed since, and not by the agent: a.")
            chat.expect("[o]nly the others:")
            chat.send(answer)
        chat.expect(
            {"n": "Nothing was undone", "o": "Left as you have changed it: a", "y": "Removed: a, b"}[
                answers[-1]
            ]
        )
    assert {path.name: path.read_text().strip() for path in project.iterdir()} == left


def test_ctrl_c_at_the_question_is_a_no(project: Path) -> None:
    with ScriptedServer([write("a", "agent"), "Done."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("go")
        chat.expect("Done.")
        (project / "a").write_text("user\n")
        chat.send("/undo")
        chat.expect("[o]nly the others:")
        chat.interrupt()
        chat.expect("Nothing was undone")
        chat.send("/exit")
        assert chat.end() == 0
    assert (project / "a").read_text() == "user\n"


def test_without_a_terminal_nothing_is_overwritten(project: Path) -> None:
    def change(_: object) -> str:
        (project / "a").write_text("user\n")
        return "Done."

    with ScriptedServer([write("a", "agent"), change, "Yes?"]) as server:
        run = run_command(*flags(server), cwd=project, stdin="go\n/undo 1\ny\n")
    assert "Nothing was undone. Changed by somebody else since: a." in run.stdout
    assert (project / "a").read_text() == "user\n"


def test_how_it_is_called(project: Path) -> None:
    with ScriptedServer([write("a", "1"), "Done."]) as server:
        lines = f"/undo\ngo\n/undo x\n/undo 0\n/undo {LONG}\n/undo 7\n"
        run = run_command(*flags(server), cwd=project, stdin=lines)
    assert run.stdout.count("Say /undo for the last change") == 3
    assert "There is nothing to undo." in run.stdout
    assert "Removed: a." in run.stdout


def test_without_git_the_session_says_so_once(project: Path, tmp_path: Path) -> None:
    rg = shutil.which("rg", path=str(TEXT_AGENT.parent)) or "rg"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rg").symlink_to(rg)
    environment = {"PATH": str(tmp_path / "bin")}
    script = [write("a", "1"), "One.", write("b", "2"), "Two."]
    with ScriptedServer(script) as server:
        run = run_command(
            *flags(server), cwd=project, stdin="go\ngo on\n/undo\n/diff\n", environment=environment
        )
    assert run.stdout.count("git is missing: changes cannot be undone in this session.") == 1
    assert run.stdout.count("Changes are not recorded in this session: git is missing.") == 2
    assert (project / "b").exists()


def test_a_file_that_is_gone_already_is_not_called_removed(project: Path) -> None:
    script = [f"{write('a', '1')}\n{write('b', '2')}", "Done."]
    with ScriptedServer(script) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("go")
        chat.expect("Done.")
        (project / "a").unlink()
        chat.send("/undo")
        chat.expect("Removed: b. Already as it was: a.")
    assert list(project.iterdir()) == []
