from __future__ import annotations

from pathlib import Path

import pytest

from text_agent.config.limits import EDIT_MAX_BYTES
from text_agent.errors import ToolError
from text_agent.files.workspace import Workspace
from text_agent.tools.edit_file import edit_file
from text_agent.tools.read_file import read_file
from text_agent.tools.write_file import write_file


@pytest.fixture
def workspace(project: Path) -> Workspace:
    return Workspace(project)


def write(workspace: Workspace, path: str, content: str) -> str:
    change = write_file(workspace, path, content)
    workspace.apply(change)
    return change.summary


def read_then_write(workspace: Workspace, before: bytes, content: str, path: str = "a.txt") -> bytes:
    (workspace.root / path).write_bytes(before)
    read_file(workspace, path)
    write(workspace, path, content)
    return (workspace.root / path).read_bytes()


UNNUMBERED = "\nThe line numbers in `content` were left out."


@pytest.mark.parametrize(
    ("content", "after", "summary"),
    [
        ("print(1)", b"print(1)\n", "a.py was created: 1 line."),
        ("a = 1\nb = 2\n", b"a = 1\nb = 2\n", "a.py was created: 2 lines."),
        ("", b"", "a.py was created: 0 lines."),
        ("a = 1\r\n", b"a = 1\r\n", "a.py was created: 1 line."),
        ("1| a = 1\n2| b = 2\n", b"a = 1\nb = 2\n", f"a.py was created: 2 lines.{UNNUMBERED}"),
        ("1| a = 1\n2|\n3| b = 2", b"a = 1\n\nb = 2\n", f"a.py was created: 3 lines.{UNNUMBERED}"),
    ],
)
def test_new_files(workspace: Workspace, content: str, after: bytes, summary: str) -> None:
    assert write(workspace, "a.py", content) == summary
    assert (workspace.root / "a.py").read_bytes() == after


def test_numbers_that_are_text(workspace: Workspace) -> None:
    for number, content in enumerate(["1| a\nb\n", "2| a\n3| b\n", "1| a\n3| b\n", "|\n"]):
        write(workspace, f"{number}.txt", content)
        assert (workspace.root / f"{number}.txt").read_text() == content


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\nb\n", "a\nc\n", b"a\nc\n"),
        (b"a\nb\n", "a\nc", b"a\nc\n"),
        (b"a\nb", "a\nc", b"a\nc"),
        (b"a\nb", "a\nb\n", b"a\nb\n"),
        (b"a\r\nb\r\n", "a\nx\nb", b"a\r\nx\r\nb\r\n"),
        (b"a\r\nb\nc\n", "a\nb\nx\nc\n", b"a\r\nb\nx\nc\n"),
        (b"a\r\nb\nc\n", "a\nB\nc\n", b"a\r\nB\nc\n"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        (b"\xff\xfea\0\n\0", "b", b"\xff\xfeb\0\n\0"),
        (b"caf\xe9\n", "th\u00e9\n", b"th\xe9\n"),
        (b"a\n", "", b""),
        (b"a", "", b""),
        (b"", "a", b"a\n"),
    ],
)
def test_a_file_keeps_its_line_breaks_and_encoding(
    workspace: Workspace, before: bytes, content: str, after: bytes
) -> None:
    assert read_then_write(workspace, before, content) == after


def test_the_changed_lines_are_shown(workspace: Workspace) -> None:
    (workspace.root / "a.txt").write_text("a\nb\nc\nd\ne\nf\n")
    read_file(workspace, "a.txt")
    summary = write(workspace, "a.txt", "a\nb\nc\nd\nE\nf\n")
    assert summary == "a.txt was written: 6 lines. Changed:\n3| c\n4| d\n5| E\n6| f"


def test_what_is_no_longer_in_a_file_is_told(workspace: Workspace) -> None:
    (workspace.root / "a.py").write_text("def f(): ...\n\ndef g(): ...\n")
    read_file(workspace, "a.py")
    change = write_file(workspace, "a.py", "def g(): ...\n")
    assert change.loses == (), "nobody has said what is asked for"
    assert change.summary == "a.py was written: 1 line. No longer in it: f. Changed:\n1| def g(): ..."


def test_what_nobody_asked_to_remove_stays(workspace: Workspace) -> None:
    file = workspace.root / "a.py"
    file.write_text("def f(): ...\n\ndef g(): ...\n")
    read_file(workspace, "a.py")
    workspace.memory.request = "Add a function h."
    for _ in range(2):
        change = write_file(workspace, "a.py", "def h(): ...\n")
        assert change.loses == ("f", "g")
        assert "a.py would lose f, g, which the user has not asked for; a.py is unchanged" in change.objection
    workspace.memory.request = "Replace f and g by h."
    assert write_file(workspace, "a.py", "def h(): ...\n").loses == ()


def test_an_existing_file_must_have_been_read(workspace: Workspace) -> None:
    file = workspace.root / "a.txt"
    file.write_text("a\n")
    with pytest.raises(ToolError, match=r"was not read yet.*it is unchanged\.\n?.*First: read_file"):
        write_file(workspace, "a.txt", "b\n")
    read_file(workspace, "a.txt")
    file.write_text("theirs\n")
    with pytest.raises(ToolError, match="has changed since it was read"):
        write_file(workspace, "a.txt", "b\n")
    read_file(workspace, "a.txt")
    write(workspace, "a.txt", "b\n")
    write(workspace, "a.txt", "c\n")
    assert file.read_text() == "c\n"


def test_reading_a_part_is_not_enough(workspace: Workspace) -> None:
    (workspace.root / "a.txt").write_text("a\nb\n")
    read_file(workspace, "a.txt", 2)
    with pytest.raises(ToolError, match="was read in part only"):
        write_file(workspace, "a.txt", "b\n")
    workspace.apply(edit_file(workspace, "a.txt", "b", "c"))
    with pytest.raises(ToolError, match="was not read yet"):
        write_file(workspace, "a.txt", "b\n")


def test_own_edits_keep_a_file_known(workspace: Workspace) -> None:
    (workspace.root / "a.txt").write_text("a\nb\n")
    read_file(workspace, "a.txt")
    workspace.apply(edit_file(workspace, "a.txt", "b", "c"))
    write(workspace, "a.txt", "d\n")
    workspace.apply(edit_file(workspace, "new.txt", "", "x\n"))
    write(workspace, "new.txt", "y\n")
    assert (workspace.root / "new.txt").read_text() == "y\n"


def test_a_touched_file_is_still_known(workspace: Workspace) -> None:
    file = workspace.root / "a.txt"
    file.write_text("a\n")
    read_file(workspace, "a.txt")
    file.write_text("a\n")
    write(workspace, "a.txt", "b\n")
    assert file.read_text() == "b\n"


@pytest.mark.parametrize(("before", "content"), [("a\n", "a\n"), ("a\n", "a"), ("a\r\n", "a\n"), ("", "")])
def test_equal_content_is_no_change_however_often(workspace: Workspace, before: str, content: str) -> None:
    (workspace.root / "a.txt").write_bytes(before.encode())
    read_file(workspace, "a.txt")
    for _ in range(2):
        with pytest.raises(ToolError, match=r"Nothing changed: a\.txt already has exactly this content"):
            write_file(workspace, "a.txt", content)


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        (
            "a.py",
            "def f(:\n",
            r"no valid Python \(line 1: invalid syntax\); that line is `def f\(:`; a\.py was not created",
        ),
        ("a.json", "{}\n{}", r"no valid JSON \(line 2: Extra data\)"),
        ("a.toml", "a = \n", r"no valid TOML \(line 1: Invalid value\)"),
        ("a.yml", "a: b: c\n", r"no valid YAML \(line 1: mapping values are not allowed"),
    ],
)
def test_what_does_not_parse_is_refused_once(
    workspace: Workspace, path: str, content: str, message: str
) -> None:
    with pytest.raises(ToolError, match=message):
        write_file(workspace, path, content)
    assert not (workspace.root / path).exists()
    write(workspace, path, content)
    assert (workspace.root / path).exists()


def test_what_was_broken_before_is_refused_too(workspace: Workspace) -> None:
    (workspace.root / "a.py").write_text("def f(\n")
    read_file(workspace, "a.py")
    with pytest.raises(ToolError, match="no valid Python"):
        write_file(workspace, "a.py", "def f(:\n")
    with pytest.raises(ToolError, match="no valid Python"):
        write_file(workspace, "a.py", "def f(::\n")
    write(workspace, "a.py", "def f(): ...\n")


def test_a_refused_edit_passes_when_it_is_repeated(workspace: Workspace) -> None:
    (workspace.root / "a.py").write_text("x = 1\n")
    for call in ("x = ", "x = ("):
        with pytest.raises(ToolError, match="repeat the call unchanged"):
            edit_file(workspace, "a.py", "x = 1", call)
    workspace.apply(edit_file(workspace, "a.py", "x = 1", "x = ("))
    assert (workspace.root / "a.py").read_text() == "x = (\n"


def test_a_mark_for_what_is_left_out(workspace: Workspace) -> None:
    with pytest.raises(ToolError, match=r"stands for text that is left out; a\.py was not created"):
        write_file(workspace, "a.py", "x = 1\n# ... rest of the code ...\n")
    for _ in range(2):
        (workspace.root / "b.txt").write_text("a\n[... 12 more lines]\n")
        read_file(workspace, "b.txt")
        write(workspace, "b.txt", "b\n[... 12 more lines]\n")


def test_a_file_of_that_name_somewhere_else(workspace: Workspace) -> None:
    (workspace.root / "app").mkdir()
    (workspace.root / "app" / "db.py").write_text("x = 1\n")
    with pytest.raises(ToolError, match=r"Did you mean app/db\.py\?"):
        write_file(workspace, "db.py", "x = 2\n")
    assert not (workspace.root / "db.py").exists()
    write(workspace, "db.py", "x = 2\n")
    write(workspace, "lib/db.py", "x = 3\n")  # two of that name: it is usual in this project
    write(workspace, "app/__init__.py", "")
    write(workspace, "lib/__init__.py", "")


def test_what_cannot_be_written(workspace: Workspace) -> None:
    (workspace.root / "src").mkdir()
    (workspace.root / "a.png").write_bytes(b"\x89PNG\0")
    with pytest.raises(ToolError, match="src is a folder, not a file"):
        write_file(workspace, "src", "x")
    with pytest.raises(ToolError, match=r"a\.png cannot be changed as text: it is binary; it is unchanged"):
        write_file(workspace, "a.png", "x")
    with pytest.raises(ToolError, match="more than 10,000,000"):
        write_file(workspace, "big.txt", "x" * EDIT_MAX_BYTES)
    with pytest.raises(ToolError, match="outside the workspace"):
        write_file(workspace, "../a.py", "x")


def test_what_was_written_before_is_not_said_to_be_left(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    workspace = Workspace(tmp_path)
    workspace.memory.request = "Set x to 2."
    workspace.memory.note_shown(tmp_path / "a.py", b"x = 1\n", [1], 1)
    workspace.apply(write_file(workspace, "a.py", "x = 2\n"))
    with pytest.raises(ToolError, match="since its last change"):
        write_file(workspace, "a.py", "x = 2\n")
