from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from text_agent.config.limits import EDIT_MAX_BYTES, LINE_MAX_CHARS, READ_MAX_LINES, RESULT_MAX_CHARS
from text_agent.errors import ToolError
from text_agent.files.line_window import LineWindow
from text_agent.files.workspace import Workspace
from text_agent.tools.read_file import read_file


@pytest.fixture
def workspace(project: Path) -> Workspace:
    return Workspace(project)


def put(workspace: Workspace, content: bytes, name: str = "a.txt") -> Path:
    file = workspace.root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"a\n  b\n\nc\n", "1| a\n2|   b\n3| \n4| c"),
        (b"no line break", "1| no line break"),
        (b"a\r\nb\r\n", "1| a\n2| b"),
        (b"a\rb\r", "1| a\n2| b"),
        (b"a\rb\nc", "1| a\rb\n2| c"),
        (b"\xef\xbb\xbfa\n", "1| a"),
        (b"\xff\xfe" + "ä\r\nb".encode("utf-16-le"), "1| ä\n2| b"),
        ("日本\n".encode(), "1| 日本"),
        (b"caf\xe9\n", "1| café\n[not UTF-8: read as cp1252, which is a guess]"),
        (b"", "a.txt is empty."),
        (b"\xef\xbb\xbf", "a.txt is empty."),
        (b"\n", "1| "),
        ("a\u2028b\x0cc\x85d\n".encode(), "1| a\u2028b\x0cc\x85d"),
    ],
)
def test_lines_are_numbered(workspace: Workspace, content: bytes, shown: str) -> None:
    put(workspace, content)
    assert read_file(workspace, "a.txt") == shown


def test_a_part(workspace: Workspace) -> None:
    put(workspace, b"a\nb\nc\nd\n")
    assert read_file(workspace, "a.txt", 2, 3) == "2| b\n3| c\n[lines 2-3 of 4]"
    assert read_file(workspace, "a.txt", 3) == "3| c\n4| d\n[lines 3-4 of 4]"
    assert read_file(workspace, "a.txt", 0, 1) == "1| a\n[lines 1-1 of 4]"
    assert read_file(workspace, "a.txt", 1, 99) == "1| a\n2| b\n3| c\n4| d"


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (5, None, r"has only 4 lines; start is 5"),
        (-1, None, r"lines are counted from 1"),
        (3, 2, r"end \(2\) is before start \(3\)"),
        (1, 0, r"end \(0\) is before start \(1\)"),
    ],
)
def test_ranges_that_are_none(workspace: Workspace, start: int, end: int | None, message: str) -> None:
    put(workspace, b"a\nb\nc\nd\n")
    with pytest.raises(ToolError, match=message):
        read_file(workspace, "a.txt", start, end)


def test_a_long_file_comes_in_parts(workspace: Workspace) -> None:
    put(workspace, b"".join(b"%d\n" % n for n in range(1, 1201)), "sub/long.txt")
    first = read_file(workspace, "sub/long.txt").split("\n")
    assert len(first) == READ_MAX_LINES + 1
    assert first[-1] == '[lines 1-500 of 1200; go on with read_file({"path": "sub/long.txt", "start": 501})]'
    second = read_file(workspace, "sub/long.txt", 501, 2000).split("\n")
    assert second[0] == "501| 501"
    assert '"start": 1001' in second[-1]
    assert read_file(workspace, "sub/long.txt", 1001).endswith("1200| 1200\n[lines 1001-1200 of 1200]")


def test_a_result_is_bounded_in_characters(workspace: Workspace) -> None:
    put(workspace, (b"x" * 400 + b"\n") * 300)
    shown = read_file(workspace, "a.txt")
    assert len(shown) <= RESULT_MAX_CHARS
    assert '"start": 39' in shown.split("\n")[-1]


def test_a_long_line_is_clipped(workspace: Workspace) -> None:
    put(workspace, b"x" * 5_000_000 + b"\r\nb\n")
    shown = read_file(workspace, "a.txt")
    assert shown == f"1| {'x' * LINE_MAX_CHARS} [... {5_000_000 - LINE_MAX_CHARS:,} more characters]\n2| b"


def test_a_clipped_line_that_is_longer_than_a_result_would_be(workspace: Workspace) -> None:
    put(workspace, b"y" * LINE_MAX_CHARS + b"\n" + b"z" * (LINE_MAX_CHARS + 1))
    shown = read_file(workspace, "a.txt").split("\n")
    assert shown[0] == "1| " + "y" * LINE_MAX_CHARS
    assert shown[1].endswith("[... 1 more characters]")


def test_binary_files_are_described(workspace: Workspace) -> None:
    put(workspace, b"\x89PNG\r\n\0\0", "logo.png")
    put(workspace, bytes(range(1, 256)), "data")
    assert (
        read_file(workspace, "logo.png")
        == "logo.png cannot be shown as text: it is binary (image/png, 8 bytes)."
    )
    assert "its encoding cannot be told (unknown kind, 255 bytes)" in read_file(workspace, "data")


def test_a_missing_file_names_the_nearest(workspace: Workspace) -> None:
    put(workspace, b"x", "src/calc.py")
    with pytest.raises(ToolError, match=r"clac\.py does not exist\. Did you mean src/calc\.py\?"):
        read_file(workspace, "clac.py")
    with pytest.raises(ToolError, match=r"lib/calc\.py does not exist\. Did you mean src/calc\.py\?"):
        read_file(workspace, "lib/calc.py")
    with pytest.raises(ToolError, match=r"zzz does not exist\. list_files"):
        read_file(workspace, "zzz")
    with pytest.raises(ToolError, match=r"src/calc\.py/x does not exist"):
        read_file(workspace, "src/calc.py/x")


def test_a_folder(workspace: Workspace) -> None:
    put(workspace, b"x", "src/calc.py")
    with pytest.raises(ToolError, match=r'src is a folder\. Use list_files\(\{"path": "src"\}\)'):
        read_file(workspace, "src")


def test_a_named_pipe_does_not_block(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "pipe")
    with pytest.raises(ToolError, match="pipe is a named pipe"):
        read_file(workspace, "pipe")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that fails when it is read")
def test_a_file_that_fails_while_it_is_read() -> None:
    workspace = Workspace(Path("/proc/self"))
    with pytest.raises(ToolError, match=r"mem cannot be read: Input/output error\."):
        read_file(workspace, "mem")
    with pytest.raises(ToolError, match=r"mem cannot be read: Input/output error\."):
        workspace.read_for_change(workspace.resolve("mem"), 10)


def test_a_file_larger_than_memory_should_hold(workspace: Workspace) -> None:
    line = b"line of text " * 8 + b"\r\n"
    count = EDIT_MAX_BYTES // len(line) + 1000
    put(workspace, "ä".encode() + line * count + b"\xff\n")
    shown = read_file(workspace, "a.txt", count, count + 1).split("\n")
    assert shown[0] == f"{count}| {'line of text ' * 8}"
    assert shown[1] == f"{count + 1}| \ufffd"
    assert shown[2] == f"[lines {count}-{count + 1} of {count + 1}]"


MEASURE = """
import resource, sys
from pathlib import Path
from text_agent.tools.read_file import read_file
from text_agent.files.workspace import Workspace
workspace = Workspace(Path(sys.argv[1]))
read_file(workspace, "small.txt")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
shown = read_file(workspace, "big.txt", int(sys.argv[2]))
assert shown.endswith("of " + sys.argv[3] + "]"), shown[-200:]
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_the_end_of_a_gigabyte_needs_little_memory(workspace: Workspace) -> None:
    """The file is a hole with lines at its end, so that it takes no room on the disk."""
    put(workspace, b"a\n", "small.txt")
    with (workspace.root / "big.txt").open("wb") as file:
        file.write(b"x" * 8192 + b"\n")
        file.seek(1 << 30)
        file.write(b"\n" + b"y\n" * 2000)
    arguments = [sys.executable, "-c", MEASURE, str(workspace.root), "1603", "2002"]
    run = subprocess.run(arguments, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 50_000, "kilobytes"


# --- What the model has been shown


def known(workspace: Workspace, file: Path) -> str:
    return workspace.memory.knowledge(file, file.read_bytes())


def test_reading_all_of_a_file_in_parts(workspace: Workspace) -> None:
    file = put(workspace, b"a\nb\nc\n")
    assert known(workspace, file) == "nothing"
    read_file(workspace, "a.txt", 1, 1)
    read_file(workspace, "a.txt", 3, 3)
    assert known(workspace, file) == "part"
    read_file(workspace, "a.txt", 2, 2)
    assert known(workspace, file) == "whole"
    file.write_bytes(b"a\nb\nC\n")
    assert known(workspace, file) == "outdated"
    read_file(workspace, "a.txt")
    assert known(workspace, file) == "whole"


def test_an_empty_file_is_known_once_it_was_read(workspace: Workspace) -> None:
    file = put(workspace, b"")
    read_file(workspace, "a.txt")
    assert known(workspace, file) == "whole"


def test_a_clipped_line_is_not_known(workspace: Workspace) -> None:
    file = put(workspace, b"a\n" + b"x" * (LINE_MAX_CHARS + 1))
    read_file(workspace, "a.txt")
    assert known(workspace, file) == "part"


def test_lines_left_out_for_their_length_are_not_known(workspace: Workspace) -> None:
    file = put(workspace, (b"x" * 400 + b"\n") * 100)
    read_file(workspace, "a.txt")
    assert known(workspace, file) == "part"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_a_window_does_not_depend_on_the_pieces(size: int) -> None:
    text = "a\r\n\r\nlonger line\r\nb\rc\n\nlast\r"
    window = LineWindow(2, 6, 6)
    for start in range(0, len(text), size):
        window.feed(text[start : start + size])
    window.feed("")
    window.finish()
    assert [(line.text, line.length) for line in window.lines] == [
        ("", 0), ("longer", 11), ("b\rc", 3), ("", 0), ("last\r", 5),
    ]  # fmt: skip
    assert window.total == 6
