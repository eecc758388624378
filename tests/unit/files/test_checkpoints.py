"""What the agent changes is recorded, and can be taken back: bytes, modes, links and folders."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkpoints import Recorded, tree
from text_agent.errors import ToolError
from text_agent.files.checkpoints.session_diff import render_session_diff
from text_agent.files.checkpoints.states import PathState, Sighting, look_at
from text_agent.files.checkpoints.undo import find_conflicts, undo


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def recorded(project: Path, data: Path) -> Recorded:
    (project / "src").mkdir()
    (project / "src" / "a.py").write_bytes(b"a = 1\r\nb = 2\n")
    (project / "src" / "a.py").chmod(0o640)
    (project / "run.sh").write_bytes(b"#!/bin/sh\n")
    (project / "run.sh").chmod(0o755)
    (project / "link").symlink_to("./src//a.py")
    (project / ".hidden").write_bytes(b"h\n")
    (project / "empty").mkdir()
    (project / ".gitignore").write_bytes(b"build/\n*.log\n")
    (project / "build").mkdir()
    (project / "build" / "product").write_bytes(b"p")
    (project / "debug.log").write_bytes(b"log")
    return Recorded(project, data)


# --- Writes by tools


def test_a_write_is_taken_back_to_the_byte(recorded: Recorded) -> None:
    before = tree(recorded.root)
    recorded.write("src/a.py", b"new\n")
    assert (recorded.root / "src" / "a.py").read_bytes() == b"new\n"
    report = undo(recorded.recorder, 1)
    assert (report.restored, report.removed, report.failed) == (["src/a.py"], [], {})
    assert tree(recorded.root) == before
    assert recorded.recorder.steps == []


def test_a_new_file_goes_and_so_do_its_folders(recorded: Recorded) -> None:
    before = tree(recorded.root)
    recorded.write("x/y/z.txt", b"z")
    assert undo(recorded.recorder, 1).removed == ["x/y/z.txt"]
    assert tree(recorded.root) == before


def test_a_folder_that_somebody_else_uses_stays(recorded: Recorded) -> None:
    recorded.write("x/y/z.txt", b"z")
    (recorded.root / "x" / "mine").write_bytes(b"")
    undo(recorded.recorder, 1)
    assert [path.name for path in (recorded.root / "x").iterdir()] == ["mine"]


def test_the_steps_are_taken_back_one_by_one(recorded: Recorded) -> None:
    for content in (b"1", b"2", b"3"):
        recorded.write("n", content)
    recorded.write("m", b"4", step=False)
    undo(recorded.recorder, 1)
    assert (recorded.root / "n").read_bytes() == b"2"
    assert not (recorded.root / "m").exists()
    undo(recorded.recorder, 2)
    assert not (recorded.root / "n").exists()


def test_several_writes_of_one_step_are_one(recorded: Recorded) -> None:
    recorded.write("n", b"1")
    recorded.write("n", b"2", step=False)
    assert len(recorded.recorder.steps) == 1
    undo(recorded.recorder, 1)
    assert not (recorded.root / "n").exists()


def test_a_failed_write_is_no_change(recorded: Recorded) -> None:
    recorded.recorder.begin_step()
    with pytest.raises(ToolError), recorded.recorder.recording_write(recorded.root / "n"):
        raise ToolError("the disk is full")
    assert recorded.recorder.steps == []


@pytest.mark.parametrize("path", ["debug.log", "build/product", ".git/config", "vendor/lib/c.c"])
def test_ignored_files_and_nested_repositories_count(recorded: Recorded, path: str) -> None:
    for folder in (".", "vendor/lib"):
        subprocess.run(["git", "init", "-q", folder], cwd=recorded.root, check=True)
    (recorded.root / "vendor" / "lib" / "c.c").write_bytes(b"c")
    before = tree(recorded.root)
    recorded.write(path, b"changed")
    undo(recorded.recorder, 1)
    assert tree(recorded.root) == before


def test_attributes_and_filters_do_not_see_the_bytes(recorded: Recorded) -> None:
    (recorded.root / ".gitattributes").write_text(
        "* text eol=crlf ident filter=shout working-tree-encoding=UTF-16\n"
    )
    (recorded.root / "t").write_bytes(b"$Id$\n\r\n\0\xff")
    before = tree(recorded.root)
    recorded.write("t", b"x")
    recorded.command("printf y > t; printf z >> run.sh")
    undo(recorded.recorder, 2)
    assert tree(recorded.root) == before


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes only UTF-8")
def test_any_name_is_kept(recorded: Recorded) -> None:
    names = [os.fsdecode(b"caf\xe9"), 'quote"', "line\nbreak", "back\\slash", "-dash", "tab\t", " blank "]
    for name in names:
        (recorded.root / name).write_bytes(name.encode("utf-8", "surrogateescape"))
    (recorded.root / "debug.log").unlink()
    before = tree(recorded.root)
    recorded.command('for f in *; do [ -f "$f" ] && echo x >> "./$f"; done; rm -- \'-dash\'')
    assert tree(recorded.root) != before
    assert undo(recorded.recorder, 1).failed == {}
    assert tree(recorded.root) == before


# --- Changes by commands

COMMANDS = {
    "changes": "echo x >> src/a.py",
    "creates": "echo x > new.txt",
    "creates folders": "mkdir -p d/e && echo x > d/e/f",
    "creates an empty folder": "mkdir -p d/e",
    "deletes": "rm src/a.py run.sh",
    "deletes a folder": "rm -r src",
    "deletes an empty folder": "rmdir empty",
    "writes into an empty folder": "echo x > empty/f; mkdir empty/g",
    "changes a mode": "chmod 600 src/a.py; chmod -x run.sh",
    "changes a folder's mode": "chmod 700 src",
    "renames": "mv src/a.py src/b.py",
    "renames a folder": "mv src lib",
    "makes a link": "ln -s src other; ln -s nowhere dangling",
    "changes a link": "ln -sfn run.sh link",
    "deletes a link": "rm link",
    "makes a file of a link": "rm link; echo x > link",
    "makes a link of a file": "rm run.sh; ln -s /etc/passwd run.sh",
    "makes a folder of a file": "rm run.sh; mkdir run.sh; echo x > run.sh/in",
    "makes a file of a folder": "rm -r src; echo x > src",
    "makes a link of a folder": "rm -r src; ln -s /etc src",
    "touches what is hidden": "echo x > .hidden; echo x > .new",
    "keeps the size and the time": "touch -r src/a.py t; sed -i s/a/A/ src/a.py; touch -r t src/a.py",
    "is a build": "make() { mkdir out; for n in 1 2 3; do echo $n > out/$n; done; }; make; rm .hidden",
    "write-protects": "chmod 400 run.sh; echo x > src/new; chmod 500 src",
}  # fmt: skip


@pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS.keys())
def test_what_a_command_does_is_taken_back(recorded: Recorded, line: str) -> None:
    before = tree(recorded.root)
    recorded.command(line)
    assert tree(recorded.root) != before
    assert find_conflicts(recorded.recorder, 1) == []
    assert undo(recorded.recorder, 1).failed == {}
    assert tree(recorded.root) == before


@pytest.mark.parametrize("line", ["true", "cat src/a.py", "touch src/a.py", "echo x > new; rm new"])
def test_a_command_that_changes_nothing_is_no_step(recorded: Recorded, line: str) -> None:
    recorded.command(line)
    assert recorded.recorder.steps == []


def test_commands_and_writes_are_taken_back_together(recorded: Recorded) -> None:
    before = tree(recorded.root)
    recorded.write("src/a.py", b"1\n")
    recorded.command("echo 2 >> src/a.py; mv src lib")
    recorded.write("lib/a.py", b"3\n")
    recorded.command("rm -r lib; echo 4 > lib", step=False)
    assert len(recorded.recorder.steps) == 3
    undo(recorded.recorder, 3)
    assert tree(recorded.root) == before


def test_a_failing_command_counts(recorded: Recorded) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        recorded.command("echo x > new; false")
    undo(recorded.recorder, 1)
    assert not (recorded.root / "new").exists()


def test_a_touched_ignored_file_counts_when_a_command_changes_it(recorded: Recorded) -> None:
    recorded.write("debug.log", b"mine")
    recorded.command("echo more >> debug.log; echo x > other.log")
    undo(recorded.recorder, 1)
    assert (recorded.root / "debug.log").read_bytes() == b"mine"
    assert (recorded.root / "other.log").exists()


def test_a_file_that_is_only_no_longer_ignored_is_not_removed(recorded: Recorded) -> None:
    (recorded.root / "build" / "deep").mkdir()
    (recorded.root / "build" / "deep" / "data").write_bytes(b"precious")
    before = tree(recorded.root)
    recorded.command("echo > .gitignore")
    undo(recorded.recorder, 1)
    assert tree(recorded.root) == before


def test_a_file_that_is_ignored_from_now_on_is_not_missed(recorded: Recorded) -> None:
    before = tree(recorded.root)
    recorded.command("echo '*.py' > .gitignore")
    assert list(recorded.recorder.steps[0]) == [".gitignore"]
    recorded.command("echo x >> src/a.py")
    undo(recorded.recorder, 2)
    assert tree(recorded.root) == before


def test_what_the_user_does_between_commands_is_not_the_commands(recorded: Recorded) -> None:
    recorded.command("echo 1 > one")
    (recorded.root / "mine").write_bytes(b"mine")
    (recorded.root / "src" / "a.py").write_bytes(b"mine")
    recorded.command("echo 2 > two")
    assert [list(step) for step in recorded.recorder.steps] == [["one"], ["two"]]
    undo(recorded.recorder, 2)
    assert (recorded.root / "mine").exists()
    assert (recorded.root / "src" / "a.py").read_bytes() == b"mine"


def test_pipes_and_sockets_are_left_alone(recorded: Recorded) -> None:
    os.mkfifo(recorded.root / "pipe")
    recorded.command("echo x > new; mkfifo other")
    undo(recorded.recorder, 1)
    assert not (recorded.root / "new").exists()
    assert (recorded.root / "pipe").is_fifo()


def test_a_workspace_that_is_ignored_as_a_whole(tmp_path: Path, data: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("*\n")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "f").write_bytes(b"1")
    recorded = Recorded(tmp_path / "inner", data)
    recorded.command("echo 2 > f")
    undo(recorded.recorder, 1)
    assert (tmp_path / "inner" / "f").read_bytes() == b"1"


def test_a_store_inside_the_workspace_does_not_record_itself(project: Path) -> None:
    (project / ".local" / "share").mkdir(parents=True)
    recorded = Recorded(project, project / ".local" / "share")
    recorded.command("echo 1 > one")
    recorded.command("echo 2 > two")
    assert [list(step) for step in recorded.recorder.steps] == [["one"], ["two"]]


# --- What somebody else did since


def test_a_later_change_by_the_user_is_found_and_left(recorded: Recorded) -> None:
    recorded.write("n", b"agent")
    recorded.write("m", b"agent", step=False)
    (recorded.root / "n").write_bytes(b"user")
    assert find_conflicts(recorded.recorder, 1) == ["n"]
    report = undo(recorded.recorder, 1)
    assert (report.left, report.removed) == (["n"], ["m"])
    assert (recorded.root / "n").read_bytes() == b"user"
    assert not (recorded.root / "m").exists()


def test_it_is_overwritten_only_when_that_is_said(recorded: Recorded) -> None:
    recorded.write("src/a.py", b"agent")
    (recorded.root / "src" / "a.py").write_bytes(b"user")
    undo(recorded.recorder, 1, overwrite=["src/a.py"])
    assert (recorded.root / "src" / "a.py").read_bytes() == b"a = 1\r\nb = 2\n"


@pytest.mark.parametrize(
    "meanwhile", ["chmod 600 n", "rm n; ln -s m n", "rm n", "rm n; mkdir n", "echo >> n"]
)
def test_every_kind_of_later_change_is_found(recorded: Recorded, meanwhile: str) -> None:
    (recorded.root / "n").write_bytes(b"former")
    recorded.write("n", b"agent")
    subprocess.run(meanwhile, shell=True, cwd=recorded.root, check=True)
    assert find_conflicts(recorded.recorder, 1) == ["n"]


def test_a_change_between_two_steps_is_found_too(recorded: Recorded) -> None:
    recorded.write("n", b"agent")
    (recorded.root / "n").write_bytes(b"user")
    recorded.write("n", b"agent again")
    assert find_conflicts(recorded.recorder, 1) == []
    assert find_conflicts(recorded.recorder, 2) == ["n"]
    undo(recorded.recorder, 1)
    assert (recorded.root / "n").read_bytes() == b"user"
    assert find_conflicts(recorded.recorder, 1) == ["n"]


def test_what_the_user_has_taken_back_already_is_no_conflict(recorded: Recorded) -> None:
    recorded.write("n", b"agent")
    (recorded.root / "n").unlink()
    assert find_conflicts(recorded.recorder, 1) == []
    assert undo(recorded.recorder, 1).failed == {}


def test_no_link_leads_an_undo_out_of_the_workspace(recorded: Recorded, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.py").write_bytes(b"new\n")
    (tmp_path / "out" / "a.py").chmod(0o640)
    recorded.write("src/a.py", b"new\n")
    (recorded.root / "src" / "a.py").unlink()
    (recorded.root / "src").rmdir()
    (recorded.root / "src").symlink_to(tmp_path / "out")
    report = undo(recorded.recorder, 1)
    assert report.failed == {"src/a.py": "a link leads to its folder"}
    assert (tmp_path / "out" / "a.py").read_bytes() == b"new\n"


# --- What cannot be kept or brought back


def test_what_is_too_large_is_said_and_not_tried_again(recorded: Recorded) -> None:
    with (recorded.root / "big").open("wb") as file:
        file.truncate(20_000_000)
    recorded.command("truncate -s 20000001 big; echo x > small")
    report = undo(recorded.recorder, 1)
    assert "too large" in report.failed["big"]
    assert report.removed == ["small"]
    assert recorded.recorder.steps == []
    assert (recorded.root / "big").stat().st_size == 20_000_001


def test_what_fails_can_be_tried_again(recorded: Recorded) -> None:
    before = tree(recorded.root)
    recorded.write("src/a.py", b"new\n")
    recorded.write("n", b"n", step=False)
    (recorded.root / "src").rename(recorded.root / "away")
    (recorded.root / "src").write_bytes(b"in the way")
    assert list(undo(recorded.recorder, 1, overwrite=["src/a.py"]).failed) == ["src/a.py"]
    (recorded.root / "src").unlink()
    (recorded.root / "away").rename(recorded.root / "src")
    assert undo(recorded.recorder, 1).restored == ["src/a.py"]
    assert tree(recorded.root) == before


def test_a_store_that_cannot_be_made_is_said_once_and_stops_nothing(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    recorded = Recorded(project, tmp_path / "file")
    recorded.write("a", b"1")
    recorded.write("b", b"2")
    recorded.command("echo 3 > c")
    recorded.command("echo 4 > d")
    assert sorted(path.name for path in project.iterdir()) == ["a", "b", "c", "d"]
    assert recorded.recorder.steps == []
    assert recorded.told == [
        "The next changes cannot be undone: Not a directory.",
        "What commands change cannot be undone: Not a directory.",
    ]


def test_files_that_cannot_be_listed_are_said_once(project: Path, data: Path) -> None:
    def too_many() -> list[str]:
        raise ToolError("There are more than 3 files.")

    recorded = Recorded(project, data, list_files=too_many)
    recorded.command("echo 1 > a")
    recorded.command("echo 1 > b")
    recorded.write("c", b"3")
    assert recorded.told == ["What commands change cannot be undone: There are more than 3 files."]
    assert [list(step) for step in recorded.recorder.steps] == [["c"]]


def test_a_broken_git_is_said(project: Path, data: Path, tmp_path: Path) -> None:
    fake = tmp_path / "git"
    fake.write_text("#!/bin/sh\nread x\necho fatal: no space left on device >&2\nexit 128\n")
    fake.chmod(0o755)
    recorded = Recorded(project, data, git=str(fake))
    recorded.write("a", b"1" * 1_000_000)
    assert recorded.told == ["The next changes cannot be undone: fatal: no space left on device."]
    assert Recorded(project, data, git="/nowhere/git").recorder.steps == []


def test_a_folder_that_a_link_leads_to_is_not_filled(recorded: Recorded) -> None:
    recorded.write("x/y/f", b"f")
    recorded.command("rm -r x/y")
    (recorded.root / "x").rename(recorded.root / "away")
    (recorded.root / "x").symlink_to("away")
    assert undo(recorded.recorder, 1).failed == dict.fromkeys(["x/y", "x/y/f"], "a link leads to its folder")
    assert list((recorded.root / "away").iterdir()) == []


def test_a_file_that_vanishes_while_it_is_looked_for(project: Path, data: Path) -> None:
    recorded = Recorded(project, data, list_files=lambda: ["gone/file", "there"])
    recorded.command("echo 1 > there")
    assert [list(step) for step in recorded.recorder.steps] == [["there"]]


# --- Looking at a path


def test_what_is_no_file(project: Path) -> None:
    os.mkfifo(project / "pipe")
    assert look_at(str(project / "pipe"), 10) == Sighting(PathState("other", 0o644))
    assert look_at(str(project / "pipe" / "x"), 10) == Sighting(None)
    assert look_at(str(project / ("x" * 300)), 10) == Sighting(PathState("other", kept=False))


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that fails when it is read")
def test_a_file_that_cannot_be_read() -> None:
    state = look_at("/proc/self/mem", 10).state
    assert state is not None
    assert not state.kept


# --- The diff of the session


def test_the_diff_of_a_session(recorded: Recorded) -> None:
    assert render_session_diff(recorded.recorder) == ""
    recorded.write("src/a.py", b"a = 1\r\nb = 3\n")
    recorded.command("rm .hidden; chmod 600 run.sh; ln -sfn run.sh link; mkdir -p d; printf x > d/new")
    recorded.write("temporary", b"t")
    undo(recorded.recorder, 1)
    assert render_session_diff(recorded.recorder).split("\n") == [
        "--- .hidden", "+++ deleted file", "@@ -1 +0,0 @@", "-h",
        "--- new file", "+++ d/new", "@@ -0,0 +1 @@", "+x", "\\ No newline at end of file",
        "link: a link to ./src//a.py becomes a link to run.sh",
        "run.sh: mode 755 becomes 600",
        "--- src/a.py", "+++ src/a.py", "@@ -1,2 +1,2 @@", " a = 1", "-b = 2", "+b = 3",
    ]  # fmt: skip


def test_a_diff_of_what_is_large_is_short(recorded: Recorded) -> None:
    recorded.write("n", b"line\n" * 300_000)
    with (recorded.root / "big").open("wb") as file:
        file.truncate(20_000_000)
    recorded.command("rm big; mkfifo pipe")
    assert render_session_diff(recorded.recorder).split("\n") == [
        "big: a file whose content was not kept becomes nothing",
        "n: 0 bytes become 1,500,000 bytes",
    ]
