"""What git takes for a repository, whatever it is called."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

from tests.support.git_traps import run_git
from text_agent.own_programs.git import (
    is_git_folder,
    is_own_work_tree,
    leads_to_its_own,
    lies_in_git_folder,
    makes_git_folder,
)

FILES = {
    "HEAD": "ref: refs/heads/main\n",
    "config": "[core]\nrepositoryformatversion = 0\n",
    "objects/info/alternates": "",
    "refs/heads/keep": "",
}


@pytest.mark.parametrize("order", list(itertools.permutations(FILES)))
def test_the_file_that_makes_one_asks_and_so_does_all_that_follows(
    project: Path, order: tuple[str, ...]
) -> None:
    asked = []
    for name in order:
        path = f"sub/deep/{name}"
        if makes_git_folder(project, [path]):
            asked.append(name)
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(FILES[name])
    needed = [name for name in order if name != "config"]
    assert asked == list(order[order.index(needed[-1]) :])
    assert is_git_folder(project / "sub/deep")
    done = subprocess.run(
        ["git", "rev-parse", "--git-dir"], cwd=project / "sub/deep", capture_output=True, text=True
    )
    assert done.stdout == ".\n"


def test_all_parts_at_once(project: Path) -> None:
    assert makes_git_folder(project, FILES) == "HEAD"
    assert makes_git_folder(project, ["head", "OBJECTS/x", "Refs/x"]) == "head"
    assert makes_git_folder(project, ["HEAD", "commondir"]) == "HEAD"
    assert makes_git_folder(project, ["a/HEAD", "b/objects/x", "c/refs/x", "config", "src/refs/x.py"]) == ""


def test_where_git_comes_upon_one(project: Path) -> None:
    run_git(project, "init", "-q")
    run_git(project, "init", "-q", "--bare", "sub")
    (project / "src").mkdir()
    assert lies_in_git_folder(project / "sub/objects")
    assert lies_in_git_folder(project / ".git/hooks")
    assert not lies_in_git_folder(project / "src")
    assert not lies_in_git_folder(project)


def test_the_work_tree_of_a_submodule_is_its_own(project: Path) -> None:
    (project / "module/src").mkdir(parents=True)
    (project / "module/.git").write_text("gitdir: ../.git/modules/module\n")
    for folder in (project / "module", project / "module/src"):
        assert is_own_work_tree(folder, "../../../module")
        assert not is_own_work_tree(folder, "../../..")
        assert not is_own_work_tree(folder, "/")
    assert not is_own_work_tree(project, "src")
    (project / ".git").mkdir()
    assert is_own_work_tree(project, "..")


def test_a_git_file_that_leads_to_a_repository_of_the_users(project: Path, tmp_path: Path) -> None:
    private, linked = tmp_path / "private", tmp_path / "linked"
    for folder in (private, project / "sub", project / "own"):
        folder.mkdir(parents=True)
        run_git(folder, "init", "-q")
    run_git(private, "commit", "-q", "--allow-empty", "-m", "x")
    run_git(private, "worktree", "add", "-q", str(linked))
    (project / ".git").write_text(f"gitdir: {private}/.git\n")
    (project / "sub/.git/commondir").write_text(f"{private}/.git\n")
    assert not leads_to_its_own(project)
    assert not leads_to_its_own(project / "sub")
    (project / ".git").write_text(f"gitdir: {private}/.git/worktrees/linked\n")
    assert not leads_to_its_own(project)
    for folder in (private, linked, project / "own", tmp_path):
        assert leads_to_its_own(folder)
    (project / ".git").unlink()
    (project / ".git").symlink_to(private / ".git")
    assert not leads_to_its_own(project)
