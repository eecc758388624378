"""Edits in the notations of other programs, through the command: permissions, undo, answers and copies."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.command import run_command, run_here
from tests.support.scripted_server import ScriptedServer

TEXT = "one\ntwo\nthree\n"
DIFF = "--- a/x.txt\n+++ b/x.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
PATCH = "*** Begin Patch\n*** Update File: x.txt\n@@\n-two\n+2\n*** End Patch"
BLOCK = "x.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE"
NOTATIONS = [DIFF, PATCH, BLOCK, f"```diff\n{DIFF}```", f"I change it:\n\n```\n{BLOCK}\n```"]


def task(
    project: Path, *replies: str, flags: tuple[str, ...] = ("--yes",)
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Runs one task whose model replies so; returns it with what each request of it ended with."""
    with ScriptedServer([*replies, "Done.", "Done.", "Done."], strict=False) as server:
        own = ("--small-model", "off", "--sandbox", "off", "--project-view", "off")
        run = run_here("-p", "Change it.", *server.flags(*own, *flags), cwd=project)
        return run, [request.last for request in server.requests]


@pytest.fixture
def text(project: Path) -> Path:
    (project / "x.txt").write_text(TEXT)
    return project / "x.txt"


@pytest.mark.parametrize("reply", NOTATIONS)
@pytest.mark.parametrize("mode", ["ask", "edits", "all"])
def test_the_mode_decides_as_for_every_change(project: Path, text: Path, mode: str, reply: str) -> None:
    run, told = task(project, reply, flags=("--permission-mode", mode))
    allowed = mode != "ask"
    assert text.read_text() == (TEXT.replace("two", "2") if allowed else TEXT)
    assert run.returncode == (0 if allowed else 3)
    assert ("x.txt was changed" if allowed else "needs the user's approval") in told[1]


@pytest.mark.parametrize("reply", NOTATIONS)
def test_a_bare_edit_that_fits_nowhere_is_no_silent_end(project: Path, text: Path, reply: str) -> None:
    run, told = task(project, reply.replace("two", "zwei"))
    assert text.read_text() == TEXT
    assert "old_str is not in x.txt" in told[1]
    assert run.returncode == 3


def test_a_file_is_deleted_and_moved_as_far_as_the_mode_allows(project: Path, text: Path) -> None:
    (project / "y.txt").write_text("y\n")
    patch = (
        "*** Begin Patch\n*** Delete File: y.txt\n*** Update File: x.txt\n*** Move to: z.txt\n*** End Patch"
    )
    run, _ = task(project, patch, flags=("--permission-mode", "ask"))
    assert run.returncode == 3
    assert text.exists()
    run, told = task(project, patch, flags=("--permission-mode", "edits"))
    assert "y.txt was deleted." in told[1]
    assert "x.txt is now z.txt." in told[1]
    assert [path.name for path in project.glob("*.txt")] == ["z.txt"]


def test_what_is_done_can_be_told_in_the_answer(project: Path, text: Path) -> None:
    answer = f"It says 2 now:\n\n```diff\n{DIFF}```"
    run, told = task(project, PATCH, answer)
    assert text.read_text() == TEXT.replace("two", "2")
    assert run.stdout.strip() == answer
    assert (run.returncode, len(told)) == (0, 2)


@pytest.mark.parametrize("notation", [DIFF, PATCH, BLOCK])
@pytest.mark.parametrize("written", [DIFF, PATCH, BLOCK])
def test_an_edit_that_a_file_holds_does_not_run(
    project: Path, text: Path, notation: str, written: str
) -> None:
    (project / "page.md").write_text(f"# Notes\n\n```\n{notation}\n```\n")
    run, _ = task(project, 'tool: read_file({"path": "page.md"})', written)
    assert text.read_text() == TEXT
    assert run.returncode == 3


def test_json_output_and_the_saved_session_know_the_calls(project: Path, text: Path) -> None:
    with ScriptedServer([BLOCK, "Done.", "Still done."]) as server:
        flags = server.flags("--small-model", "off", "--project-view", "off", "--yes")
        run = run_command("-p", "Change it.", *flags, "--output", "json", cwd=project)
        told = json.loads(run.stdout.splitlines()[-1])
        assert told["protocol"]["calls"] == 1
        again = run_command("--continue", "-p", "And now?", *flags, cwd=project)
        assert again.stdout == "Still done.\n"
        assert "x.txt was changed" in json.dumps(server.requests[-1].body)
    assert text.read_text() == TEXT.replace("two", "2")


def test_the_heredoc_of_a_whole_file_is_told_once(project: Path, text: Path) -> None:
    run, told = task(project, "I wrote it:\n\n```sh\ncat > x.txt <<EOF\none\n2\nthree\nEOF\n```", "Done.")
    assert text.read_text() == TEXT
    assert "no file was changed" in told[1]
    assert run.returncode == 3
