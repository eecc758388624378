"""Every row: a file's bytes, a call, and the bytes afterwards or the refusal."""
# ruff: noqa: E501 - a table is read row by row

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from text_agent.errors import ToolError
from text_agent.files.workspace import Workspace
from text_agent.tools.edit_file import edit_file


@dataclass(frozen=True)
class Row:
    """`after` is the file's bytes after the edit; `refused` is a part of the refusal instead."""

    name: str
    before: bytes | None
    old: str
    new: str
    after: bytes = b""
    refused: str = ""
    file: str = "a.txt"
    said: str = ""


def edits(name: str, before: bytes | None, old: str, new: str, after: bytes, **more: str) -> Row:
    return Row(name, before, old, new, after, said=more.get("said", ""), file=more.get("file", "a.txt"))


def refuses(name: str, before: bytes | None, old: str, new: str, refused: str, **more: str) -> Row:
    return Row(name, before, old, new, refused=refused, file=more.get("file", "a.txt"))


LATIN = "# élan\nx = 1\n".encode("latin-1")
UTF16 = b"\xff\xfe" + "a\r\nb\r\n".encode("utf-16-le")

ROWS = [
    # exact
    edits("one line", b"a\nb\nc\n", "b", "B", b"a\nB\nc\n", said="2| B"),
    edits("a part of a line", b"x = add(1)\n", "add", "sub", b"x = sub(1)\n"),
    edits("several lines", b"a\nb\nc\n", "a\nb\n", "x\ny\nz\n", b"x\ny\nz\nc\n"),
    edits("the whole file", b"a\n", "a\n", "b\n", b"b\n"),
    edits("taking lines away", b"a\nb\nc\n", "b\n", "", b"a\nc\n", said="1| a\n2| c"),
    edits("taking everything away", b"a\n", "a\n", "", b""),
    edits("joining lines", b"a\nb\n", "a\n", "a", b"ab\n"),
    edits("blanks only, once", b"a b\n", " ", "  ", b"a  b\n"),
    edits("the exact place before a tolerant one", b"\tx\n    x\n", "    x", "y", b"\tx\ny\n"),
    edits("inside a longer word", b"foobar = 1\n", "bar = 1", "bar = 2", b"foobar = 2\n"),
    edits("new text with our own syntax", b"a\n", "a", 'tool: x({"a": 1})', b'tool: x({"a": 1})\n'),
    edits("nothing is interpreted in the new text", b"a\n", "a", r"\1 \n $0", b"\\1 \\n $0\n"),
    # line breaks
    edits("a CRLF file stays one", b"a\r\nb\r\nc\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\nc\r\n"),
    edits("old text across CRLF breaks", b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n"),
    edits("CRLF in the call, LF in the file", b"a\nb\n", "a\r\nb", "x\r\ny", b"x\ny\n"),
    edits("CRLF in both", b"a\r\nb\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\n"),
    edits("mixed breaks, line by line", b"a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", b"a\r\nB\nc\r\n"),
    edits("a line put in among mixed breaks", b"a\r\nb\nc\n", "a\nb", "a\nn\nb", b"a\r\nn\r\nb\nc\n"),
    edits("nothing outside the span changes", b"a\nb\r\nc\n", "c", "C", b"a\nb\r\nC\n"),
    edits("mixed breaks tell two places apart", b"a\r\nb\na\nb\n", "a\r\nb", "x", b"x\na\nb\n"),
    edits("a written CRLF in a file of mixed breaks", b"a\nb\r\nc\n", "a", "a\r\nx", b"a\r\nx\nb\r\nc\n"),
    edits("a line put below the last of mixed breaks", b"a\nb\r\nc", "c", "c\nd", b"a\nb\r\nc\r\nd"),
    edits("only carriage returns", b"a\rb\rc\r", "a\nb", "x\ny\nz", b"x\ry\rz\rc\r"),
    edits("a carriage return inside a line is text", b"a\rb\nc\n", "a\rb", "x", b"x\nc\n"),
    refuses("a carriage return inside a line is no line break", b"a\rb\nc\n", "a\nb", "x", "is not in"),
    edits("two lines in a file without any break", b"a", "a", "a\nb", b"a\nb"),
    edits("the last line of a CRLF file", b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc"),
    # the end of the file
    edits("no final line break stays none", b"a\nb", "b", "c", b"a\nc"),
    edits("a final line break in the call only", b"hello", "hello\n", "bye\n", b"bye", said="last line break"),
    edits("the same with several lines", b"a\nb\nc", "b\nc\n", "x\n", b"a\nx"),
    edits("the same, taking the line away", b"a\nhello", "hello\n", "", b"a\n"),
    edits("the same, and the new text has none", b"a\nb", "b\n", "c", b"a\nc"),
    edits("the same with indentation", b"if a:\n\treturn b", "if a:\n    return b\n", "if c:\n    return b\n", b"if c:\n\treturn b"),
    edits("the same with blanks at the end", b"a  \nb  ", "a\nb\n", "a\nc\n", b"a  \nc"),
    # byte order mark, encoding
    edits("a byte order mark stays", b"\xef\xbb\xbfa\nb\n", "a", "x", b"\xef\xbb\xbfx\nb\n"),
    edits("UTF-16 stays", UTF16, "a\nb", "x\ny", b"\xff\xfe" + "x\r\ny\r\n".encode("utf-16-le")),
    edits("UTF-8 beyond ASCII", "ä = '日本'\n".encode(), "日本", "東京", "ä = '東京'\n".encode()),
    edits("Latin-1 bytes stay", LATIN, "x = 1", "x = 2", "# élan\nx = 2\n".encode("latin-1")),
    edits("Latin-1, with a sign it has", LATIN, "x = 1", "é = 1", "# élan\né = 1\n".encode("latin-1")),
    refuses("Latin-1, with a sign it may not have", LATIN, "x = 1", "x = 'ж'", "cannot be told for certain"),
    edits("a declared encoding", "# coding: koi8-r\nи = 1\n".encode("koi8-r"), "и = 1", "ж = 1", "# coding: koi8-r\nж = 1\n".encode("koi8-r"), file="a.py"),
    refuses("a sign that a declared encoding lacks", "# coding: koi8-r\nи = 1\n".encode("koi8-r"), "и", "é", "which has no"),
    refuses("a character that no file can hold", b"a\n", "a", "\ud800", "which has no"),
    refuses("a binary file", b"\x89PNG\0\0a", "a", "b", "it is binary"),
    refuses("bytes that are no text", bytes(range(1, 256)), "a", "b", "cannot be changed as text"),
    refuses("a broken UTF-16 file", b"\xff\xfea", "a", "b", "not valid utf-16-le"),
    # trailing blanks
    edits("blanks at line ends in the file", b"a  \nb\t\nc\n", "a\nb\nc", "a\nB\nc", b"a  \nB\nc\n", said="blanks at line ends"),
    edits("blanks at line ends in the call", b"a\nb\n", "a  \nb", "a  \nc", b"a\nc\n"),
    edits("a blank line that holds blanks", b"a\n   \nb\n", "a\n\nb", "a\n\nc", b"a\n   \nc\n"),
    refuses("a blank that is not at a line end", b"x =1\n", "x = ", "y = ", "is not in"),
    # look-alike characters
    edits("a curly quote", "It\u2019s\n".encode(), "It's", "It is\u2026", "It is\u2026\n".encode(), said="U+2019"),
    edits("a curly quote in the middle of a line", "x It\u2019s y\n".encode(), "It's", "is", b"x is y\n"),
    edits("a no-break space", "list in\u00a0current\n".encode(), "list in current", "all", b"all\n", said="U+00A0"),
    edits("lines that stay keep their signs", "a \u201cb\u201d\nc\n".encode(), 'a "b"\nc', 'a "b"\nd', "a \u201cb\u201d\nd\n".encode()),
    edits("accents in two characters", "cafe\u0301 1\n".encode(), "caf\u00e9 1", "caf\u00e9 2", "caf\u00e9 2\n".encode()),
    edits("accents in one character", "caf\u00e9 1\n".encode(), "cafe\u0301 1", "tea", b"tea\n"),
    refuses("a letter without its accent", "caf\u00e9\n".encode(), "cafe", "tea", "is not in"),
    refuses("half of a sign", "a\u2026b\n".encode(), "a..", "x", "is not in"),
    edits("straight to curly is a change", b"'%s'\n", "'%s'", "\u2018%s\u2019", "\u2018%s\u2019\n".encode()),
    edits("a long dash", "a \u2014 b\n".encode(), "a - b", "c", b"c\n"),
    # indentation
    edits("tabs in the file", b"func f() {\n\treturn 1\n}\n", "    return 1", "    return 2", b"func f() {\n\treturn 2\n}\n", said="indentation"),
    edits("tabs, two levels", b"a:\n\tb:\n\t\tc\n", "    b:\n        c", "    b:\n        if d:\n            e", b"a:\n\tb:\n\t\tif d:\n\t\t\te\n"),
    edits("tabs against two blanks", b"a:\n\tb:\n\t\tc\n", "  b:\n    c", "  b:\n    d", b"a:\n\tb:\n\t\td\n"),
    edits("blanks in the file, tabs in the call", b"a:\n  b:\n    c\n", "\tb:\n\t\tc", "\tb:\n\t\td\n\t\te", b"a:\n  b:\n    d\n    e\n"),
    edits("indentation lost", b"class A:\n    def f(self):\n        return 1\n", "def f(self):\n    return 1\n", "def f(self):\n    if x:\n        return 2\n", b"class A:\n    def f(self):\n        if x:\n            return 2\n"),
    edits("whole lines with others around them", b"a:\n\tb\n\tc\n\td\n", "    b\n    c\n", "    x\n", b"a:\n\tx\n\td\n"),
    edits("indentation too deep", b"def f():\n    return 1\n", "    def f():\n        return 1", "    def f():\n        return 2", b"def f():\n    return 2\n"),
    edits("another unit", b"def f():\n    if a:\n        b()\n", "def f():\n  if a:\n    b()", "def f():\n  if a:\n    c()", b"def f():\n    if a:\n        c()\n"),
    edits("a tab inside the line", b"x\t\t= 1\n", "x  = 1", "x = 2", b"x = 2\n"),
    refuses("blanks inside the line", b"x  = 1\n", "x = 1", "x = 2", "is not in"),
    refuses("indentation that is not uniform", b"if a:\n    b\n        c\n", "if a:\n    b\n      c", "d", "is not in"),
    refuses("new text that would stand left of the margin", b"a:\nb\n", "    a:\n    b", "c\n    b", "is not in"),
    refuses("two places that differ in indentation only", b"if a:\n\tx = 1\nif b:\n\t\tx = 1\n", "    x = 1", "    x = 2", "2 times, in lines 2, 4"),
    # line numbers
    edits("copied line numbers", b"a\nb\nc\n", "2| b\n3| c", "2| B\n3| c", b"a\nB\nc\n", said="line numbers"),
    edits("copied numbers, and a new line without", b"a\nb\n", "1| a\n2| b", "1| a\nnew\n2| b", b"a\nnew\nb\n"),
    edits("the first number was not copied", b"def f():\n    return 1\n", "def f():\n2|     return 1", "def f():\n2|     return 2", b"def f():\n    return 2\n"),
    refuses("numbers of some lines only", b"a\nb\nc\n", "1| a\nb\n3| c", "x", "is not in"),
    edits("copied numbers and tabs", b"a\n\tb\n", "2|     b", "2|     c", b"a\n\tc\n", said="line numbers, indentation"),
    edits("text that holds such numbers", b"1| a\n2| b\n", "1| a", "1| x", b"1| x\n2| b\n"),
    # several and no places
    refuses("two places", b"x=1\ny=2\nx=1\n", "x=1", "x=2", "2 times, in lines 1, 3"),
    refuses("places that overlap", b"aaa\n", "aa", "b", "2 times, in line 1;"),
    refuses("more places than anybody counts", b"a" * 2000, "a", "b", "1,000 times or more, in line 1;"),
    refuses("many places", b"x\n" * 12, "x", "y", "12 times, in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ..."),
    refuses("two tolerant places", b"a  \nb\na \nb\n", "a\nb", "c", "2 times, in lines 1, 3"),
    refuses("another case", b"Foo = 1\n", "foo = 1", "x", "1| Foo = 1"),
    refuses("one word differs", b"def f(a):\n    return a\n", "def f(b):\n    return a", "x", "1| def f(a):\n2|     return a"),
    refuses("the middle of a block differs", b"a = 111\nb = 222\nc = 333\n", "a = 111\nx = 0\nc = 333", "x", "2| b = 222"),
    refuses("nothing is near", b"alpha\n", "zzzzzz", "x", 'First see what is in it: read_file({"path": "a.txt"})'),
    refuses("line breaks as two characters", b"a\nb\n", r"a\nb", "x", "they are two characters in old_str"),
    refuses("a blank line", b"a\n", "\n\n", "x", "is not in"),
    # no change
    refuses("equal texts", b"a\n", "a", "a", "No change: old_str equals new_str"),
    refuses("a change that leaves the file as it is", b"a  \nb\n", "a\nb", "a  \nb", "already reads like that"),
    # an empty old text
    edits("creating a file", None, "", "hi", b"hi", said="was created: 1 line."),
    edits("creating an empty file", None, "", "", b"", said="0 lines"),
    edits("filling an empty file", b"", "", "a\nb\n", b"a\nb\n", said="was filled: 2 lines."),
    edits("filling a file that is only a mark", b"\xef\xbb\xbf", "", "a\n", b"\xef\xbb\xbfa\n"),
    refuses("an empty old text on a file with content", b"abc", "", "X", "has content, and old_str is empty"),
    refuses("emptying what is empty", b"", "", "", "is empty already"),
    refuses("a file that does not exist", None, "a", "b", "does not exist. list_files({}) shows the files. To create it, use write_file."),
    # marks for what is left out
    refuses("a mark in a comment", b"def f():\n    pass\n", "    pass", "    # ... existing code ...", "stands for text that is left out"),
    refuses("a mark without a comment", b"a\n", "a", "... rest unchanged ...", "stands for text that is left out"),
    refuses("a mark in a new file", None, "", "a\n// ... rest of the code ...\n", "was not created"),
    edits("a mark that was there", b"# ... rest unchanged ...\na\n", "# ... rest unchanged ...\na", "# ... rest unchanged ...\nb", b"# ... rest unchanged ...\nb\n"),
    edits("dots that are code", b"class A:\n    pass\n", "    pass", "    x: tuple[int, ...] = ...\n    ...", b"class A:\n    x: tuple[int, ...] = ...\n    ...\n", file="a.py"),
    edits("dots that spread a value", b"a\n", "a", "  ...rest,", b"  ...rest,\n", file="a.js"),
    # validity
    refuses("Python that would break", b"def f():\n    return 1\n", "def f():", "def f(:", "(line 1: invalid syntax); that line is `def f(:`", file="a.py"),
    edits("Python that was broken before", b"def f(\n    return 1\n", "return 1", "return 2", b"def f(\n    return 2\n", file="a.py"),
    refuses("a new file that is broken", None, "", "def f(:\n", "a.py was not created", file="a.py"),
    refuses("JSON that would break", b'{"a": 1}\n', "1", "1,", "no valid JSON", file="a.json"),
    refuses("TOML that would break", b"a = 1\nb = 2\n", "2", "", "no valid TOML (line 2: Invalid value)", file="a.toml"),
    refuses("YAML that would break", b"a:\n  b: 1\n", "b: 1", "b: [1", "no valid YAML", file="a.yaml"),
    edits("no check for other files", b"def f():\n", "def f():", "def f(:", b"def f(:\n", file="a.txt"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_edit_row(row: Row, tmp_path: Path) -> None:
    workspace, file = Workspace(tmp_path), tmp_path / row.file
    if row.before is not None:
        file.write_bytes(row.before)
    if row.refused:
        with pytest.raises(ToolError) as refusal:
            edit_file(workspace, row.file, row.old, row.new)
        assert row.refused in str(refusal.value)
        assert (file.read_bytes() if file.exists() else None) == row.before
        return
    change = edit_file(workspace, row.file, row.old, row.new)
    assert (file.read_bytes() if file.exists() else None) == row.before, "a proposal must not write"
    workspace.apply(change)
    assert file.read_bytes() == row.after
    assert row.said in change.summary


def test_the_table_is_large_enough() -> None:
    assert len(ROWS) >= 40
    assert len({row.name for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize(
    ("before", "span", "other"),
    [
        (b"caf\xe9\n", "caf\u00e9", "tea"),
        (b"a\r\nb\nc\n", "a\nb\nc", "x"),
        (b"a\nb\r\nc", "b\nc", "x"),
        (b"\xef\xbb\xbfa\r\nb\n", "a\nb\n", "x"),
        ("a\u2019\r\nb\n".encode(), "a\u2019\nb\n", "x"),
    ],
)
def test_an_edit_and_the_edit_back(before: bytes, span: str, other: str, tmp_path: Path) -> None:
    """What the file no longer shows after the first edit comes back with the second."""
    workspace, file = Workspace(tmp_path), tmp_path / "a.txt"
    file.write_bytes(before)
    workspace.apply(edit_file(workspace, "a.txt", span, other))
    assert file.read_bytes() != before
    workspace.apply(edit_file(workspace, "a.txt", other, span))
    assert file.read_bytes() == before


def test_a_file_that_somebody_else_changed_is_not_taken_back(tmp_path: Path) -> None:
    workspace, file = Workspace(tmp_path), tmp_path / "a.txt"
    file.write_bytes(b"a\r\nb\nc\n")
    workspace.apply(edit_file(workspace, "a.txt", "a\nb", "x"))
    file.write_bytes(b"x\nc\nd\n")
    workspace.apply(edit_file(workspace, "a.txt", "x", "a\nb"))
    assert file.read_bytes() == b"a\nb\nc\nd\n"


def test_large_blocks_of_equal_lines(tmp_path: Path) -> None:
    workspace, file = Workspace(tmp_path), tmp_path / "a.txt"
    file.write_bytes(b"{\r\n" + b"}  \n" * 3000)
    workspace.apply(edit_file(workspace, "a.txt", "{\n" + "}\n" * 3000, "[\n" + "}\n" * 3000))
    assert file.read_bytes().startswith(b"[\r\n}")
