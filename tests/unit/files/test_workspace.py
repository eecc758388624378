from __future__ import annotations

import errno
import os
import socket
import stat
from pathlib import Path

import pytest

from text_agent.errors import PathOutsideWorkspaceError, ToolError, WorkspaceNotFoundError
from text_agent.files.atomic_write import folders_for, write_atomically
from text_agent.files.problems import kind_of_file, readable, reason_of
from text_agent.files.scratch import ScratchFolder
from text_agent.files.workspace import FileChange, Workspace


@pytest.fixture
def workspace(project: Path) -> Workspace:
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text("a\n")
    return Workspace(project)


def change(workspace: Workspace, path: str, before: bytes | None, after: bytes) -> FileChange:
    return FileChange(path, workspace.resolve(path), before, after, "done")


@pytest.mark.parametrize(
    "path",
    [
        "src/a.py",
        "./src/a.py",
        "src//a.py",
        "src/../src/a.py",
        " src/a.py ",
        '"src/a.py"',
        "`src/a.py`",
        "src/a.py\n",
    ],
)
def test_spellings_of_a_path_inside(workspace: Workspace, path: str) -> None:
    assert workspace.display(workspace.resolve(path)) == "src/a.py"


def test_an_absolute_path_inside_is_taken(workspace: Workspace) -> None:
    assert workspace.resolve(str(workspace.root / "src" / "a.py")) == workspace.root / "src" / "a.py"


@pytest.mark.parametrize("path", [".", "./", " . ", "src/.."])
def test_the_workspace_itself(workspace: Workspace, path: str) -> None:
    assert workspace.resolve(path) == workspace.root
    assert workspace.display(workspace.root) == "."


def test_a_name_with_blanks_or_quotes_of_its_own(workspace: Workspace) -> None:
    (workspace.root / " 'x' ").write_text("")
    assert workspace.resolve(" 'x' ").name == " 'x' "


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../secret",
        "src/../../secret",
        "/etc/passwd",
        "/",
        "~",
        "~/.ssh/id_rsa",
        "~root/x",
        "/proc/self/mem",
        "/dev/sda",
    ],
)
def test_paths_outside_are_refused(workspace: Workspace, path: str) -> None:
    with pytest.raises(PathOutsideWorkspaceError, match="outside the workspace"):
        workspace.resolve(path)


def test_a_neighbour_whose_name_begins_alike_is_outside(workspace: Workspace) -> None:
    neighbour = workspace.root.with_name(workspace.root.name + "2")
    neighbour.mkdir()
    with pytest.raises(PathOutsideWorkspaceError):
        workspace.resolve(f"../{neighbour.name}/x")
    with pytest.raises(PathOutsideWorkspaceError):
        workspace.resolve(str(neighbour))


def test_an_absolute_path_that_was_meant_relative(workspace: Workspace) -> None:
    with pytest.raises(PathOutsideWorkspaceError, match=r"Did you mean 'src/a.py'\?"):
        workspace.resolve("/src/a.py")


def test_the_root_folder_is_not_taken_for_the_workspace(workspace: Workspace) -> None:
    with pytest.raises(PathOutsideWorkspaceError, match=r"only paths inside it can be used\.$"):
        workspace.resolve("/")


def test_a_folder_named_like_a_home_is_inside(workspace: Workspace) -> None:
    (workspace.root / "~").mkdir()
    assert workspace.resolve("~/x") == workspace.root / "~" / "x"
    assert workspace.resolve("~backup.txt").name == "~backup.txt"


def test_links(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")
    (workspace.root / "out").symlink_to(tmp_path)
    (workspace.root / "in").symlink_to("src")
    (workspace.root / "loop").symlink_to("loop")
    assert workspace.display(workspace.resolve("in/a.py")) == "src/a.py"
    for path in ("out", "out/secret", "out/new", "in/../out/secret"):
        with pytest.raises(PathOutsideWorkspaceError):
            workspace.resolve(path)
    with pytest.raises(ToolError, match="links lead in a circle"):
        workspace.status(workspace.resolve("loop"))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "path is empty"),
        ("  ", "path is empty"),
        ("a\0b", "NUL character"),
        ("\ud800", "cannot be the name of a file"),
        ("x" * 300, "name is too long"),
        ("x/" * 3000, "name is too long"),
    ],
)
def test_what_is_no_path(workspace: Workspace, path: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        workspace.status(workspace.resolve(path))


def test_the_kernel_is_no_part_of_a_workspace_at_the_root() -> None:
    workspace = Workspace(Path("/"))
    for path in ("/proc/self/environ", "dev/null", "/sys"):
        with pytest.raises(PathOutsideWorkspaceError):
            workspace.resolve(path)
    assert workspace.resolve("/etc") == Path("/etc").resolve()
    assert workspace.resolve("/") == Path("/")


def test_a_workspace_must_be_a_folder(project: Path) -> None:
    (project / "file").write_text("")
    with pytest.raises(WorkspaceNotFoundError, match="does not exist"):
        Workspace(project / "missing")
    with pytest.raises(WorkspaceNotFoundError, match="is not a folder"):
        Workspace(project / "file")


def test_names_that_are_not_utf8(workspace: Workspace) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (workspace.root / name).write_text("x\n")
    shown = workspace.display(workspace.resolve(name))
    assert shown == r"caf\udce9.txt"
    assert workspace.resolve(shown) == workspace.root / name
    assert workspace.resolve(r"new\udce9.txt").name == r"new\udce9.txt"


def test_a_path_that_is_not_inside_is_shown_whole(workspace: Workspace) -> None:
    assert workspace.display(Path("/etc")) == "/etc"


def test_only_regular_files_are_opened(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        folder = os.open(workspace.root, os.O_RDONLY)
        server.bind(f"/proc/self/fd/{folder}/socket")  # the path itself may be too long for a socket
        os.close(folder)
    for name, kind in (("pipe", "a named pipe"), ("socket", "a socket"), ("src", "a folder")):
        with pytest.raises(ToolError, match=f"{name} is {kind}, not a file"):
            workspace.open_file(workspace.resolve(name))
        with pytest.raises(ToolError, match=f"{name} is {kind}, not a file"):
            workspace.read_for_change(workspace.resolve(name), 10)
    with pytest.raises(ToolError, match=r"gone cannot be read: it does not exist\."):
        workspace.open_file(workspace.resolve("gone"))


def test_kinds_of_files() -> None:
    assert kind_of_file(Path("/dev/null").stat().st_mode) == "a device"
    assert kind_of_file(stat.S_IFBLK) == "a device"
    assert kind_of_file(0) == "no regular file"


def test_reasons() -> None:
    assert reason_of(OSError(errno.ENOSPC, "x")) == "the disk is full"
    assert reason_of(OSError(errno.EIO, "Input/output error")) == "Input/output error"
    assert reason_of(OSError("odd")) == "odd"
    assert readable("a\ud800") == r"a\ud800"


# --- Applying changes


def test_a_change_is_written_with_the_files_mode(workspace: Workspace) -> None:
    file = workspace.root / "src" / "a.py"
    file.chmod(0o755)
    workspace.apply(change(workspace, "src/a.py", b"a\n", b"b\n"))
    assert file.read_bytes() == b"b\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o755


def test_a_new_file_gets_its_folders_and_the_usual_mode(workspace: Workspace) -> None:
    workspace.apply(change(workspace, "x/y/z.txt", None, b"z"))
    file = workspace.root / "x" / "y" / "z.txt"
    assert file.read_bytes() == b"z"
    other = workspace.root / "other"
    other.write_bytes(b"")
    assert file.stat().st_mode == other.stat().st_mode


def test_a_change_goes_through_a_link(workspace: Workspace) -> None:
    (workspace.root / "link").symlink_to("src/a.py")
    workspace.apply(change(workspace, "link", b"a\n", b"b\n"))
    assert (workspace.root / "link").is_symlink()
    assert (workspace.root / "src" / "a.py").read_bytes() == b"b\n"


@pytest.mark.parametrize("now", [b"c\n", b"a\n\n", None])
def test_a_file_that_changed_meanwhile_is_left_alone(workspace: Workspace, now: bytes | None) -> None:
    file = workspace.root / "src" / "a.py"
    proposed = change(workspace, "src/a.py", b"a\n", b"b\n")
    file.unlink()
    if now is not None:
        file.write_bytes(now)
    with pytest.raises(ToolError, match="changed on disk meanwhile"):
        workspace.apply(proposed)
    assert (file.read_bytes() if file.exists() else None) == now


def test_a_file_that_came_up_meanwhile_is_left_alone(workspace: Workspace) -> None:
    proposed = change(workspace, "new", None, b"b\n")
    (workspace.root / "new").write_bytes(b"theirs")
    with pytest.raises(ToolError, match="changed on disk meanwhile"):
        workspace.apply(proposed)
    assert (workspace.root / "new").read_bytes() == b"theirs"


def test_a_folder_that_became_a_link_out_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    proposed = change(workspace, "sub/new", None, b"b\n")
    (workspace.root / "sub").symlink_to(tmp_path)
    with pytest.raises(PathOutsideWorkspaceError, match="nothing was written"):
        workspace.apply(proposed)
    assert not (tmp_path / "new").exists()


def test_read_only_files_and_folders(workspace: Workspace) -> None:
    file, folder = workspace.root / "src" / "a.py", workspace.root / "src"
    file.chmod(0o444)
    with pytest.raises(ToolError, match=r"src/a\.py is read-only; it is unchanged"):
        workspace.apply(change(workspace, "src/a.py", b"a\n", b"b\n"))
    file.chmod(0o644)
    folder.chmod(0o555)
    for path, before in (("src/a.py", b"a\n"), ("src/new", None), ("src/x/new", None)):
        with pytest.raises(ToolError, match="the folder src is read-only; nothing was written"):
            workspace.apply(change(workspace, path, before, b"b\n"))
    folder.chmod(0o755)
    assert file.read_bytes() == b"a\n"


def test_a_file_is_no_folder(workspace: Workspace) -> None:
    with pytest.raises(ToolError, match=r"src/a\.py is not a folder; nothing was written"):
        workspace.apply(change(workspace, "src/a.py/x", None, b""))


def test_a_dangling_link_is_filled(workspace: Workspace) -> None:
    (workspace.root / "link").symlink_to("later")
    workspace.apply(change(workspace, "link", None, b"x"))
    assert (workspace.root / "later").read_bytes() == b"x"


def test_too_large_files_are_not_changed(workspace: Workspace) -> None:
    (workspace.root / "big").write_bytes(b"x" * 11)
    with pytest.raises(ToolError, match="has 11 bytes; files of more than 10 bytes"):
        workspace.read_for_change(workspace.resolve("big"), 10)
    assert workspace.read_for_change(workspace.resolve("big"), 11) == b"x" * 11


def test_a_full_disk_leaves_everything_as_it_was(workspace: Workspace) -> None:
    """The limit on a file's size fails in the middle of a write, as a full disk does."""
    file = workspace.root / "src" / "a.py"
    resource = pytest.importorskip("resource")
    import signal

    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        for path, before in (("src/a.py", b"a\n"), ("new/deep/b.py", None)):
            with pytest.raises(ToolError, match=r"cannot be written: File too large\. It is unchanged"):
                workspace.apply(change(workspace, path, before, b"x" * 100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert file.read_bytes() == b"a\n"
    assert [path.name for path in file.parent.iterdir()] == ["a.py"]
    assert not (workspace.root / "new").exists()


def test_folders_made_for_nothing_are_taken_away(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        write_atomically(tmp_path / "x" / ("y" * 300), b"")
    assert not (tmp_path / "x").exists()


def test_a_folder_that_somebody_else_filled_meanwhile_stays(tmp_path: Path) -> None:
    def fail_beside_a_new_file() -> None:
        with folders_for(tmp_path / "x" / "y" / "z"):
            (tmp_path / "x" / "theirs").write_text("")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail_beside_a_new_file()
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["theirs"]


# --- Showing changes


def test_a_diff_of_an_edit(workspace: Workspace) -> None:
    proposed = change(workspace, "src/a.py", b"a\nb\r\nc", b"a\nB\r\nc")
    assert proposed.diff().split("\n") == [
        "--- src/a.py", "+++ src/a.py", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c",
        "\\ No newline at end of file",
    ]  # fmt: skip


def test_a_diff_of_a_new_file(workspace: Workspace) -> None:
    assert change(workspace, "n", None, b"a\n").diff() == "--- new file\n+++ n\n@@ -0,0 +1 @@\n+a"
    assert change(workspace, "n", None, b"").diff() == "--- new file\n+++ n"


def test_a_diff_that_only_the_end_differs_in(workspace: Workspace) -> None:
    lines = change(workspace, "n", b"a", b"a\n").diff().split("\n")
    assert lines[3:] == ["-a", "\\ No newline at end of file", "+a"]


def test_a_diff_of_what_is_no_text(workspace: Workspace) -> None:
    assert "3 bytes become 1 bytes" in change(workspace, "n", b"\0ab", b"a").diff()


def test_the_scratch_folder_may_be_read_only(project: Path, tmp_path: Path) -> None:
    workspace = Workspace(project, ScratchFolder(tmp_path / "cache"))
    file = workspace.scratch.save("kept")
    assert workspace.resolve(str(file), reading=True) == file
    for path, reading in ((file, False), (tmp_path / "cache", True), (tmp_path / "cache" / "other", True)):
        with pytest.raises(PathOutsideWorkspaceError):
            workspace.resolve(str(path), reading=reading)
    (workspace.scratch.path / "link").symlink_to("/etc/passwd")
    with pytest.raises(PathOutsideWorkspaceError):
        workspace.resolve(str(workspace.scratch.path / "link"), reading=True)
