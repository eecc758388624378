"""What a model is shown of the project before its first reply."""

from pathlib import Path

import pytest

from text_agent.agent.project_view import text_of, view_project
from text_agent.config.limits import PROJECT_VIEW_MAX_CHARS
from text_agent.files.workspace import Workspace
from text_agent.tools.write_file import write_file


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def test_a_small_project_is_shown_whole_and_counts_as_read(workspace: Workspace) -> None:
    (workspace.root / "sub").mkdir()
    (workspace.root / "sub/a.py").write_bytes(b"x = 1\r\ny = 2\r\n")
    (workspace.root / "test_a.py").write_text("```\n")
    view = view_project(workspace, "Change a.py")
    assert view.text == (
        "The files in the folder:\nsub/a.py\ntest_a.py\n\n"
        "sub/a.py is now:\n```python\nx = 1\ny = 2\n```\n\n"
        "test_a.py is now:\n````python\n```\n````"
    )
    assert (view.is_whole, view.has_tests) == (True, True)
    assert write_file(workspace, "sub/a.py", "x = 2\ny = 2\n").after == b"x = 2\r\ny = 2\r\n"


def test_an_empty_folder(workspace: Workspace) -> None:
    view = view_project(workspace, "Create a.py")
    assert view.text == "The files in the folder:\nThe workspace holds no files."
    assert (view.is_whole, view.has_tests) == (True, False)


def test_of_a_large_project_what_the_request_names_is_shown(workspace: Workspace) -> None:
    for number in range(40):
        (workspace.root / f"part{number}.py").write_text(f"x = {number}\n")
    view = view_project(workspace, "What is x in part7.py?")
    assert dict(view.texts) == {"part7.py": "x = 7\n"}
    assert "part39.py" in view.text
    assert not view.is_whole


def test_long_texts_are_left_out(workspace: Workspace) -> None:
    (workspace.root / "long.py").write_text("x" * PROJECT_VIEW_MAX_CHARS + "y")
    (workspace.root / "short.py").write_text("x = 1\n")
    view = view_project(workspace, "Change long.py")
    assert not view.texts
    assert not view.is_whole


def test_a_long_list_is_cut(workspace: Workspace) -> None:
    for number in range(150):
        (workspace.root / f"{'long' * 20}{number:03}.txt").write_text("x\n" * 200)
    view = view_project(workspace, "")
    assert view.text.endswith("[the rest is left out; list_files shows more]")
    assert len(view.text) < PROJECT_VIEW_MAX_CHARS + 100


def test_what_is_secret_or_no_text_is_not_shown(workspace: Workspace) -> None:
    (workspace.root / ".env").write_text("KEY=1\n")
    (workspace.root / "note.txt").write_text("-----BEGIN PRIVATE KEY-----\nabc\n")
    (workspace.root / "image.bin").write_bytes(b"\0\1\2")
    (workspace.root / "empty.py").write_text("")
    (workspace.root / "Makefile").write_text("all:\n")
    (workspace.root / "AGENTS.md").write_text("Notes that stand in the system prompt already.\n")
    assert list(view_project(workspace, ".env").texts) == ["Makefile"]


def test_a_folder_that_cannot_be_listed(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    workspace = Workspace(folder)
    folder.rmdir()
    view = view_project(workspace, "")
    assert not view.texts
    assert "gone" in view.text or "." in view.text


def test_what_is_no_file_has_no_text(project: Path) -> None:
    assert text_of(Workspace(project), "../none") == text_of(Workspace(project), "none") == ""
