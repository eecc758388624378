"""One odd entry in a folder is left out and named; everything else is still found by all that walk."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tests.support.checkpoints import Recorded
from text_agent.agent.project_view import view_project
from text_agent.commands.sandbox.repositories import find_repositories
from text_agent.errors import ToolError
from text_agent.files.checkpoints.undo import undo
from text_agent.files.problems import readable, unreadable
from text_agent.files.ripgrep import list_project
from text_agent.files.workspace import Workspace
from text_agent.tools.list_files import list_files, visible_files
from text_agent.tools.read_file import read_file
from text_agent.tools.search import find_lines, search
from text_agent.tools.suggestions import nearest_paths


def link_in_a_circle(folder: Path) -> None:
    (folder / "odd").symlink_to("odd")


def two_links_in_a_circle(folder: Path) -> None:
    (folder / "odd").symlink_to("odd2")
    (folder / "odd2").symlink_to("odd")


def link_below_a_circle(folder: Path) -> None:
    (folder / "odd2").symlink_to("odd2")
    (folder / "odd").symlink_to("odd2/x")


def link_to_nothing(folder: Path) -> None:
    (folder / "odd").symlink_to("nowhere")


def link_to_itself_above(folder: Path) -> None:
    (folder / "odd").symlink_to("..")


def link_to_a_long_name(folder: Path) -> None:
    (folder / "odd").symlink_to("x" * 300)


def link_to_a_device(folder: Path) -> None:
    (folder / "odd").symlink_to("/dev/null")


def named_pipe(folder: Path) -> None:
    os.mkfifo(folder / "odd")


def unix_socket(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{descriptor}/odd")  # the path itself may be too long for a socket
    os.close(descriptor)


def locked_folder(folder: Path) -> None:
    (folder / "odd").mkdir(mode=0)


def locked_file(folder: Path) -> None:
    (folder / "odd").touch(mode=0)


def name_that_is_not_utf8(folder: Path) -> None:
    (folder / os.fsdecode(b"odd\xe9.txt")).write_text("odd\n")


def name_with_a_line_break(folder: Path) -> None:
    (folder / "odd\nb.txt:1: needle").write_text("odd\n")


def name_with_controls(folder: Path) -> None:
    (folder / "odd\x1b[2J\r\u2028\x7f.txt").write_text("odd\n")


def folder_with_a_line_break(folder: Path) -> None:
    (folder / "odd\n").mkdir()
    (folder / "odd\n" / "c.txt").write_text("odd\n")


def deep_folder(folder: Path) -> None:
    (folder / "/".join(["odd"] * 100)).mkdir(parents=True)


def many_files(folder: Path) -> None:
    for number in range(3000):
        (folder / f"odd{number}").touch()


def binary_file(folder: Path) -> None:
    (folder / "odd").write_bytes(b"odd\0needle\n\xff")


ODD = (
    link_in_a_circle, two_links_in_a_circle, link_below_a_circle, link_to_nothing, link_to_itself_above,
    link_to_a_long_name, link_to_a_device, named_pipe, unix_socket, locked_folder, locked_file,
    name_that_is_not_utf8, name_with_a_line_break, name_with_controls, folder_with_a_line_break, deep_folder,
    many_files, binary_file,
)  # fmt: skip
WALKS: dict[str, Callable[[Workspace], str]] = {
    "list_files": list_files,
    "list_files with a pattern": lambda workspace: list_files(workspace, pattern="*.txt"),
    "search": lambda workspace: search(workspace, "needle"),
    "find_lines": lambda workspace: "\n".join(map(str, find_lines(workspace, "needle", 9999))),
    "view": lambda workspace: view_project(workspace, "Look at a.txt and sub/b.txt").text,
    "visible_files": lambda workspace: "\0".join(visible_files(workspace)),
    "list_project": lambda workspace: "\0".join(list_project(workspace.root)),
    "nearest_paths": lambda workspace: "\n".join(
        nearest_paths(workspace, workspace.root / "x" / "a.txt")
        + nearest_paths(workspace, workspace.root / "b.txt")
    ),
}
Make = Callable[[Path], None]


@pytest.fixture
def workspace(project: Path) -> Workspace:
    (project / "a.txt").write_text("needle\n")
    (project / "sub").mkdir()
    (project / "sub" / "b.txt").write_text("needle\n")
    (project / "sub" / ".env").write_text("A=1\n")
    return Workspace(project)


@pytest.mark.parametrize(("make", "place", "walk"), list(product(ODD, [".", "sub"], WALKS)))
def test_everything_else_is_found(workspace: Workspace, make: Make, place: str, walk: str) -> None:
    make(workspace.root / place)
    found = WALKS[walk](workspace)
    assert "a.txt" in found
    assert "b.txt" in found or make is many_files, "it may be folded"
    assert "\0" in found or "\nb.txt:1: needle" not in found, "a name is one line"
    found.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize(("make", "place"), list(product(ODD, [".", "sub"])))
def test_what_others_look_for_is_found(workspace: Workspace, make: Make, place: str) -> None:
    (workspace.root / "sub" / ".git").mkdir()
    make(workspace.root / place)
    assert workspace.root / "sub" / ".env" in list(workspace.secrets.files(workspace.root))
    assert workspace.root / "sub" / ".git" in list(find_repositories(workspace.root))
    assert not workspace.secrets.is_secret(workspace.root / "a.txt")


@pytest.mark.parametrize(("make", "place"), list(product(ODD, [".", "sub"])))
def test_commands_can_be_undone(workspace: Workspace, tmp_path: Path, make: Make, place: str) -> None:
    make(workspace.root / place)
    recorded = Recorded(workspace.root, tmp_path / "data")
    recorded.command("echo x > a.txt; echo x > sub/b.txt; echo x > new.txt")
    assert not [text for text in recorded.told if "undone" in text and "Keeping" not in text]
    report = undo(recorded.recorder, 1)
    assert sorted(report.restored + report.removed) == ["a.txt", "new.txt", "sub/b.txt"]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (link_in_a_circle, "odd (its links lead in a circle)"),
        (two_links_in_a_circle, "odd (its links lead in a circle), odd2 (its links lead in a circle)"),
        (link_to_a_long_name, "odd (the name is too long)"),
        (link_to_a_device, "odd (a device)"),
        (named_pipe, "odd (a named pipe)"),
        (unix_socket, "odd (a socket)"),
    ],
)
def test_what_cannot_be_used_is_named(workspace: Workspace, make: Make, reason: str) -> None:
    make(workspace.root)
    assert f"cannot be used: {reason}]" in list_files(workspace)


@pytest.mark.parametrize("make", [named_pipe, unix_socket])
def test_what_is_neither_file_nor_folder(workspace: Workspace, make: Make) -> None:
    make(workspace.root)
    for call in (list_files, lambda *at: search(at[0], "x", at[1]), read_file):
        with pytest.raises(ToolError, match=r"odd is a (named pipe|socket)"):
            call(workspace, "odd")


@pytest.mark.parametrize("make", [name_that_is_not_utf8, name_with_a_line_break, name_with_controls])
def test_a_name_as_it_is_shown_leads_to_the_file(workspace: Workspace, make: Make) -> None:
    make(workspace.root)
    (name,) = (path.name for path in workspace.root.iterdir() if path.name.startswith("odd"))
    shown = readable(name)
    assert shown.isprintable()
    assert unreadable(shown) == name
    assert shown in list_files(workspace).split("\n")
    assert search(workspace, "odd") == f"{shown}:1: odd"
    assert read_file(workspace, shown) == read_file(workspace, name) == "1| odd"


LOOK = """
import sys
from pathlib import Path
from text_agent.files.workspace import Workspace
from text_agent.tools.registry import default_tools
tools = default_tools(Workspace(Path(sys.argv[1])))
print(tools["list_files"].function())
print(tools["search"].function("needle"))
"""


def test_what_may_not_be_read_is_named(workspace: Workspace) -> None:
    """Root may read everything, unless it gives that up."""
    (workspace.root / "sub" / "deep").mkdir()
    locked_folder(workspace.root)
    locked_folder(workspace.root / "sub" / "deep")
    (workspace.root / "closed.txt").write_text("needle\n")
    (workspace.root / "closed.txt").chmod(0)
    dropping = ["setpriv", "--bounding-set", "-all"] if os.geteuid() == 0 else []
    if dropping and not shutil.which("setpriv"):
        pytest.skip("there is no setpriv")
    run = subprocess.run(
        [*dropping, sys.executable, "-c", LOOK, str(workspace.root)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split("\n") == [
        "a.txt",
        "closed.txt",
        "sub/b.txt",
        "[1 cannot be used: odd/ (there is no permission)]",
        "a.txt:1: needle",
        "sub/b.txt:1: needle",
        "[3 could not be read: closed.txt, odd, sub/deep/odd]",
        "",
    ]


@pytest.mark.parametrize(
    ("encoding", "text", "word"),
    [
        ("gb18030", "你好\n中文\n", "中文"),
        ("big5", "你好\n繁體\n", "繁體"),
        ("shift_jis", "こんにちは\n日本語\n", "日本語"),
        ("euc-jp", "こんにちは\n日本語\n", "日本語"),
        ("euc-kr", "안녕하세요\n한국어\n", "한국어"),
        ("cp1252", "caf\u00e9\nna\u00efve\n", "na\u00efve"),
        ("cp1251", "Привет\nслово\n", "слово"),  # noqa: RUF001
    ],
)
def test_a_word_in_a_file_of_another_encoding(
    workspace: Workspace, encoding: str, text: str, word: str
) -> None:
    (workspace.root / "old.txt").write_bytes(text.encode(encoding))
    (workspace.root / "new.txt").write_text("\u9f98 \u0416 \ud7a3\n", encoding="utf-8")
    found = search(workspace, word).split("\n")
    assert found[0] == f"old.txt:2: {word}"
    assert found[1].startswith("[not UTF-8: read as ")
    assert search(workspace, "\u9f99").startswith("0 matches")
    (workspace.root / "binary").write_bytes(b"\0" + text.encode(encoding))
    assert search(workspace, word, "binary").startswith("0 matches")
