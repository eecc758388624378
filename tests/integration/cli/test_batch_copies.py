"""A copy starts nothing that lies in what is copied, and its patch says what has changed in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.git_traps import KEPT_OFF, RUNNING, run_git, trapped
from text_agent.cli.batch.repositories import CopyError
from text_agent.cli.batch.tasks import Task
from text_agent.cli.batch.workspaces import make_copy, remove_tree
from text_agent.commands.supervision import Lifeline

ALL_SETTINGS = {name: value for settings in (KEPT_OFF, *RUNNING.values()) for name, value in settings.items()}


def copy_and_compare(task: Task, folder: Path) -> str:
    """Makes a copy, changes a file of it and adds one; returns the patch."""
    folder.mkdir()
    copy = make_copy(task, folder, folder, Lifeline())
    (copy.folder / "a.txt").write_text("changed\n")
    (copy.folder / "new.txt").write_text("new\n")
    assert copy.write_patch(folder / "patch")
    return (folder / "patch").read_text()


@pytest.mark.parametrize("place", ["the root", "a submodule", "settings of a work tree"])
def test_a_repository_starts_nothing(project: Path, tmp_path: Path, place: str) -> None:
    repository = trapped(place, project)
    repository.set(ALL_SETTINGS)
    for number, task in enumerate(
        [
            Task("a", "p", workspace=str(repository.folder)),
            Task("a", "p", repository=str(repository.folder)),
            Task("a", "p", repository=f"file://{repository.folder}"),
        ]
    ):
        assert "+new\n" in copy_and_compare(task, tmp_path / str(number))
    assert not repository.mark.exists(), repository.mark.read_text()


def test_a_patch_brings_all_changes_to_the_original(project: Path, tmp_path: Path) -> None:
    run_git(project, "init", "-q")
    files = {"a.txt": b"one\n", "gone.txt": b"x\n", "data": bytes(range(256)), "kind": b"file\n"}
    for name, content in files.items():
        (project / name).write_bytes(content)
    (project / ".gitignore").write_text("ignored\n")
    (project / "link").symlink_to("a.txt")
    run_git(project, "add", ".")
    run_git(project, "commit", "-qm", "first")
    (tmp_path / "task").mkdir()
    copy = make_copy(Task("a", "p", repository=str(project)), tmp_path / "task", tmp_path, Lifeline())
    assert run_git(copy.folder, "status", "--short") == ""
    assert not copy.write_patch(tmp_path / "patch")
    (copy.folder / "a.txt").chmod(0o755)
    (copy.folder / "gone.txt").unlink()
    (copy.folder / "data").write_bytes(bytes(range(255, -1, -1)))
    (copy.folder / "kind").unlink()
    (copy.folder / "kind").mkdir()
    (copy.folder / "kind/in \t\n").write_text("it")
    (copy.folder / "link").unlink()
    (copy.folder / "link").symlink_to("data")
    (copy.folder / "ignored").write_text("left out")
    run_git(copy.folder, "add", "-A")
    run_git(copy.folder, "commit", "-qm", "of the model's own")
    assert copy.write_patch(tmp_path / "patch")
    run_git(project, "apply", "--index", str(tmp_path / "patch"))
    assert run_git(project, "write-tree") == run_git(copy.folder, "rev-parse", "HEAD^{tree}")


def test_a_copy_of_a_folder_is_whole(project: Path, tmp_path: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub/run.sh").write_text("#!/bin/sh\n")
    (project / "sub/run.sh").chmod(0o755)
    (project / "dangling").symlink_to("/nowhere")
    (tmp_path / "task").mkdir()
    task = Task("a", "p", workspace=str(project), files={"sub/deep/b.txt": "b\r\n", "sub/run.sh": "new"})
    copy = make_copy(task, tmp_path / "task", tmp_path, Lifeline())
    listing = ["find", ".", "-printf", "%P %M %l\n"]
    before, after = (
        set(subprocess.check_output(listing, cwd=folder, text=True).splitlines())
        for folder in (project, copy.folder)
    )
    assert before < after
    assert (copy.folder / "sub/deep/b.txt").read_bytes() == b"b\r\n"
    assert (project / "sub/run.sh").read_text() == "#!/bin/sh\n"
    remove_tree(copy.folder)
    assert not copy.folder.exists()


def test_a_copy_that_the_model_has_locked_is_removed(project: Path, tmp_path: Path) -> None:
    (tmp_path / "task").mkdir()
    copy = make_copy(Task("a", "p"), tmp_path / "task", tmp_path, Lifeline())
    (copy.folder / "locked").mkdir()
    (copy.folder / "locked/file").touch()
    (copy.folder / "locked").chmod(0o500)
    copy.folder.chmod(0o500)
    remove_tree(copy.folder)
    assert not copy.folder.exists()


def test_a_folder_that_is_no_repository(project: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    (tmp_path / "task").mkdir()
    with pytest.raises(CopyError, match="is no git repository"):
        make_copy(Task("a", "p", repository=str(project)), tmp_path / "task", tmp_path, Lifeline())
