"""Paths that no tool may follow: a clear result from each of them, and nothing written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from text_agent.errors import ToolError
from text_agent.files.workspace import FileChange, Workspace
from text_agent.tools.registry import default_tools

CALLS: dict[str, Callable[[str], dict[str, str]]] = {
    "read_file": lambda path: {"path": path},
    "list_files": lambda path: {"path": path},
    "search": lambda path: {"pattern": "secret", "path": path},
    "edit_file": lambda path: {"path": path, "old_str": "secret", "new_str": "x"},
    "write_file": lambda path: {"path": path, "content": "x"},
}


@pytest.fixture
def workspace(project: Path) -> Workspace:
    (project.parent / "secret.txt").write_text("secret\n")
    (project / "out").symlink_to("..")
    (project / "out.txt").symlink_to("../secret.txt")
    (project / "loop").symlink_to("loop")
    (project / "null").symlink_to("/dev/null")
    (project / "proc").symlink_to("/proc/self")
    return Workspace(project)


def everything(folder: Path) -> list[tuple[str, bytes]]:
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return sorted((str(path), path.read_bytes()) for path in files)


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../secret.txt", "outside the workspace"),
        ("out/secret.txt", "outside the workspace"),
        ("out.txt", "outside the workspace"),
        ("/etc/passwd", "outside the workspace"),
        ("~/.ssh/id_rsa", "outside the workspace"),
        ("null", "outside the workspace"),
        ("proc/environ", "outside the workspace"),
        ("/proc/self/environ", "outside the workspace"),
        ("src/../../secret.txt", "outside the workspace"),
        ("loop", "links lead in a circle"),
        ("loop/x", "links lead in a circle"),
        ("a\0b", "NUL character"),
        ("", "path is empty"),
        ("\ud800", "cannot be the name"),
        ("x" * 5000, "name is too long"),
    ],
)
def test_a_bad_path(workspace: Workspace, tool: str, path: str, message: str) -> None:
    before = everything(workspace.root.parent)
    with pytest.raises(ToolError, match=message) as refusal:
        default_tools(workspace)[tool].function(**CALLS[tool](path))
    str(refusal.value).encode("utf-8")
    assert everything(workspace.root.parent) == before


@pytest.mark.parametrize("tool", ["read_file", "edit_file", "write_file"])
def test_a_pipe_is_no_file_and_does_not_block(workspace: Workspace, tool: str) -> None:
    os.mkfifo(workspace.root / "pipe")
    with pytest.raises(ToolError, match="pipe is a named pipe, not a file"):
        default_tools(workspace)[tool].function(**CALLS[tool]("pipe"))


def test_other_capitals_are_another_file(workspace: Workspace) -> None:
    (workspace.root / "Calc.py").write_text("x = 1\n")
    if (workspace.root / "calc.py").exists():
        pytest.skip("this file system does not tell capitals apart")
    for tool in ("read_file", "edit_file", "write_file"):
        with pytest.raises(
            ToolError, match=r"calc\.py does not exist.* Did you mean Calc\.py\?|but Calc\.py does"
        ):
            default_tools(workspace)[tool].function(**CALLS[tool]("calc.py"))


def test_a_file_that_vanishes_between_proposal_and_writing(workspace: Workspace) -> None:
    file = workspace.root / "a.txt"
    file.write_text("secret\n")
    change = default_tools(workspace)["edit_file"].function("a.txt", "secret", "x")
    file.unlink()
    assert isinstance(change, FileChange)
    with pytest.raises(ToolError, match=r"a\.txt has changed on disk meanwhile; it was not written"):
        workspace.apply(change)
    assert not file.exists()
