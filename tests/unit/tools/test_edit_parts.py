"""What `edit_file` takes beside one text for another: several edits, lines, and other paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.checkpoints import Recorded, tree
from tests.support.edit_cases import play
from text_agent.errors import ToolError
from text_agent.files.checkpoints.undo import undo
from text_agent.files.workspace import FileChange, Workspace
from text_agent.tools.edit_file import edit_file, is_done
from text_agent.tools.registry import default_tools
from text_agent.tools.write_file import is_done as is_written

TEXT = "one\ntwo\nthree\n"


@pytest.fixture
def workspace(project: Path) -> Workspace:
    (project / "x.txt").write_text(TEXT)
    return Workspace(project)


def after(workspace: Workspace, path: str = "x.txt", **arguments: Any) -> str:
    change = edit_file(workspace, path, **arguments)
    assert change.after is not None
    return change.after.decode()


def test_several_edits_count_together_or_not_at_all(workspace: Workspace) -> None:
    parts = [{"old_str": "one", "new_str": "1"}, {"old_str": "1\ntwo", "new_str": "1\n2"}]
    assert after(workspace, edits=parts) == "1\n2\nthree\n"
    assert after(workspace, old_str="three", new_str="3", edits=parts) == "1\n2\n3\n"
    with pytest.raises(ToolError, match="Edit 2 of 2, none of which was made: old_str is not in x"):
        edit_file(workspace, "x.txt", edits=[parts[0], {"old_str": "zwei", "new_str": "2"}])


@pytest.mark.parametrize(
    ("text", "old", "new", "meant"),
    [("a a\na\n", "a", "b", "b b\nb\n"), ("aaa\n", "aa", "b", "ba\n"), ("x\n", "x", "xx", "xx\n")],
)
def test_every_place_is_replaced_once(
    workspace: Workspace, text: str, old: str, new: str, meant: str
) -> None:
    (workspace.root / "x.txt").write_text(text)
    assert after(workspace, old_str=old, new_str=new, replace_all=True) == meant


def test_every_place_has_to_be_certain(workspace: Workspace) -> None:
    (workspace.root / "x.txt").write_text("  a\n    b\n\n    a\n      b\n")
    with pytest.raises(ToolError, match="2 times"):
        edit_file(workspace, "x.txt", "a\n  b\n", "c\n  d\n", replace_all=True, whole_lines=True)


def test_a_line_number_counts_only_for_what_was_read(workspace: Workspace) -> None:
    with pytest.raises(ToolError, match="was not read yet as it is now"):
        edit_file(workspace, "x.txt", "", "1b", insert_line=1)
    default_tools(workspace)["read_file"].function("x.txt")
    assert after(workspace, new_str="1b\n1c", insert_line=1) == "one\n1b\n1c\ntwo\nthree\n"
    assert after(workspace, new_str="4", insert_line=3) == f"{TEXT}4\n"
    with pytest.raises(ToolError, match="no line -1"):
        edit_file(workspace, "x.txt", "", "x", insert_line=-1)


def test_whole_lines_are_no_parts_of_lines(workspace: Workspace) -> None:
    (workspace.root / "x.txt").write_text("max = 1\nx = 1\nx = 10\n")
    assert after(workspace, old_str="x = 1", new_str="x = 2", whole_lines=True) == "max = 1\nx = 2\nx = 10\n"
    with pytest.raises(ToolError, match="3 times"):
        edit_file(workspace, "x.txt", "x = 1", "x = 2")


@pytest.mark.parametrize("under", [["class B:"], ["class B:", "def f(self):"], ["class B"]])
def test_a_heading_tells_places_apart(workspace: Workspace, under: list[str]) -> None:
    part = "    def f(self):\n        pass\n"
    (workspace.root / "x.txt").write_text(f"class A:\n{part}\nclass B:\n{part}")
    changed = after(workspace, old_str="pass", new_str="return", under=under)
    assert changed == f"class A:\n{part}\nclass B:\n{part.replace('pass', 'return')}"


def test_a_file_is_deleted_and_moved_and_comes_back(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    recorded = Recorded(tmp_path / "w", tmp_path / "d")
    root = recorded.root
    (root / "x.sh").write_text(TEXT)
    (root / "x.sh").chmod(0o755)
    before = tree(root)
    for arguments in ({"delete": True}, {"move_to": "sub/y.sh", "old_str": "two", "new_str": "2"}):
        change = edit_file(recorded.workspace, "x.sh", **arguments)
        recorded.recorder.begin_step()
        with recorded.recorder.recording_write(change.target):
            if change.moved:
                with recorded.recorder.recording_write(change.moved.target):
                    recorded.workspace.apply(change)
            else:
                recorded.workspace.apply(change)
        assert not (root / "x.sh").exists()
        assert "x.sh" in change.diff()
        if change.moved:
            assert (root / "sub" / "y.sh").read_text() == TEXT.replace("two", "2")
            assert (root / "sub" / "y.sh").stat().st_mode & 0o111
            assert recorded.workspace.memory.knowledge(change.target, change.after or b"") == "nothing"
        undo(recorded.recorder, 1)
        assert tree(root) == before


def test_a_move_without_an_edit_shows_only_the_names(workspace: Workspace) -> None:
    change = edit_file(workspace, "x.txt", move_to="y.txt")
    assert change.diff() == "rename from x.txt\nrename to y.txt"
    (workspace.root / "x.txt").write_text("other\n")
    with pytest.raises(ToolError, match="has changed on disk meanwhile"):
        workspace.apply(change)
    assert not (workspace.root / "y.txt").exists()


def test_a_file_that_cannot_be_removed_stays(workspace: Workspace) -> None:
    change = edit_file(workspace, "x.txt", delete=True)
    folder = workspace.root / "x.txt"
    before = change.before
    folder.unlink()
    folder.mkdir()
    with pytest.raises(ToolError):
        workspace.apply(FileChange("x.txt", folder, before, None, ""))


def test_a_link_is_neither_deleted_nor_moved(workspace: Workspace) -> None:
    (workspace.root / "link.txt").symlink_to("x.txt")
    for arguments in ({"delete": True}, {"move_to": "y.txt"}):
        with pytest.raises(ToolError, match="is a link to x\\.txt; both"):
            edit_file(workspace, "link.txt", **arguments)


@pytest.mark.parametrize(
    ("arguments", "done"),
    [
        ({"path": "x.txt", "old_str": "zwei\n", "new_str": "two\n"}, True),
        ({"path": "x.txt", "old_str": "one\n", "new_str": "one\ntwo\n"}, True),
        ({"path": "x.txt", "old_str": "two\n", "new_str": "2\n"}, False),
        ({"path": "x.txt", "old_str": "two\n", "new_str": ""}, False),
        ({"path": "x.txt", "old_str": "zwei\n", "new_str": ""}, False),
        ({"path": "x.txt", "old_str": "one\n", "new_str": "two\n"}, False),
        ({"path": "x.txt", "delete": True}, False),
        ({"path": "gone.txt", "delete": True}, True),
        ({"path": "gone.txt", "move_to": "x.txt"}, True),
        ({"path": "gone.txt", "move_to": "x.txt", "old_str": "zwei\n", "new_str": "two\n"}, True),
        ({"path": "gone.txt", "old_str": "a\n", "new_str": "b\n"}, False),
        ({"path": "../x.txt", "delete": True}, False),
    ],
)
def test_what_only_tells_of_an_edit_is_known_by_the_file(
    workspace: Workspace, arguments: dict[str, Any], done: bool
) -> None:
    assert is_done(workspace, arguments) is done


def test_what_only_tells_of_a_new_file_is_known_by_the_file(workspace: Workspace) -> None:
    assert is_written(workspace, {"path": "x.txt", "content": TEXT})
    assert not is_written(workspace, {"path": "x.txt", "content": "one\n"})
    assert not is_written(workspace, {"path": "y.txt", "content": ""})
    assert not is_written(workspace, {"path": "../y.txt", "content": ""})


def test_an_edit_of_a_test_file_tells_its_number(tmp_path: Path) -> None:
    reply = 'tool: edit_file({"path": "a.py", "edits": [{"old_str": "", "new_str": "x = 1\\n"}]})'
    left, results = play(tmp_path, {}, reply)
    assert (left, results[0].text) == ({"a.py": "x = 1\n"}, "a.py was created: 1 line.")
