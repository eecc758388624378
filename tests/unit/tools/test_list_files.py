from __future__ import annotations

import os
from pathlib import Path

import pytest

from text_agent.config.limits import LIST_MAX_ENTRIES
from text_agent.errors import ToolError
from text_agent.files.globs import compile_glob
from text_agent.files.ripgrep import list_paths
from text_agent.files.workspace import Workspace
from text_agent.tools.list_files import list_files, modified
from text_agent.tools.search import search
from text_agent.tools.suggestions import namesakes


@pytest.fixture
def workspace(project: Path) -> Workspace:
    return Workspace(project)


def put(workspace: Workspace, *paths: str, content: str = "x\n") -> None:
    for path in paths:
        file = workspace.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)


def test_files_in_tree_order(workspace: Workspace) -> None:
    put(workspace, "b.py", "a/z.py", "a/b/c.py", "a-b/x.py", "README.md")
    assert list_files(workspace).split("\n") == ["README.md", "a-b/x.py", "a/b/c.py", "a/z.py", "b.py"]
    assert list_files(workspace, "a").split("\n") == ["a/b/c.py", "a/z.py"]
    assert list_files(workspace, "./a/").split("\n") == ["a/b/c.py", "a/z.py"]


def test_ignored_and_hidden_files_are_left_out_and_counted(workspace: Workspace) -> None:
    put(
        workspace,
        "a.py",
        "x.log",
        ".env",
        "node_modules/m.js",
        "build/o.py",
        ".git/config",
        "__pycache__/a.pyc",
    )
    put(workspace, ".gitignore", content="build/\n*.log\n")
    assert list_files(workspace).split("\n") == [
        "a.py",
        "[6 not listed, being ignored, hidden, empty or links:"
        " .git/, .gitignore, __pycache__/, build/, node_modules/, x.log]",
        "[1 secret file is left out: the user must approve of reading one]",
    ]


def test_more_names_left_out_than_are_worth_naming(workspace: Workspace) -> None:
    put(workspace, "a.py", *(f".h{n:02}" for n in range(12)))
    assert list_files(workspace).endswith(".h08, .h09, ...]")


@pytest.mark.parametrize("folder", ["node_modules", "build", "venv", ".hidden"])
def test_a_folder_that_is_named_is_listed_even_if_ignored(workspace: Workspace, folder: str) -> None:
    put(workspace, "a.py", f"{folder}/b.py")
    put(workspace, ".gitignore", content="build/\n")
    put(workspace, "venv/.gitignore", content="*\n")
    assert f"{folder}/b.py" in list_files(workspace, folder).split("\n")


def test_a_pattern_gives_the_newest_first(workspace: Workspace) -> None:
    put(workspace, "a.py", "src/b.py", "src/c.txt", "d.py", "venv/e.py")
    for age, path in enumerate(["src/b.py", "d.py", "a.py"]):
        os.utime(workspace.root / path, (1000 - age, 1000 - age))
    assert list_files(workspace, pattern="*.py").split("\n") == ["src/b.py", "d.py", "a.py"]
    assert list_files(workspace, "src", "src/*.py") == "src/b.py"
    assert list_files(workspace, "src", "*.py") == "src/b.py"
    assert list_files(workspace, pattern="*.rs") == "0 files match '*.rs'."


@pytest.mark.parametrize("pattern", ["*.py", "a*", "?.py", "*", "**", "{a,b}.py", "[ab].py", "a.py"])
def test_a_pattern_finds_no_hidden_or_ignored_files(workspace: Workspace, pattern: str) -> None:
    put(workspace, "a.py", ".a.py", ".b/a.py", "ab.py", "build/a.py", "venv/a.py")
    put(workspace, ".gitignore", content="build/\nab.py\n")
    put(workspace, "venv/.gitignore", content="*\n")
    assert list_files(workspace, pattern=pattern) == "a.py"


def test_a_pattern_that_is_only_in_ignored_files(workspace: Workspace) -> None:
    put(workspace, "a.py", "b.log", "logs/c.log")
    put(workspace, ".gitignore", content="*.log\n")
    assert list_files(workspace, pattern="*.log") == "0 files match '*.log'."
    assert list_files(workspace, "logs", "*.log") == "logs/c.log"


def test_a_workspace_that_the_folder_above_ignores(workspace: Workspace) -> None:
    (workspace.root.parent / ".gitignore").write_text("*\n")
    put(workspace, "a.py", "b.log", "node_modules/m.py", "src/c.py")
    put(workspace, ".ignore", content="*.log\n")
    assert list_files(workspace).split("\n")[:2] == ["a.py", "src/c.py"]
    assert sorted(list_files(workspace, pattern="*.py").split("\n")) == ["a.py", "src/c.py"]
    assert search(workspace, "x").split("\n") == ["a.py:1: x", "src/c.py:1: x"]


def test_a_file_that_vanished_counts_as_the_oldest(workspace: Workspace) -> None:
    put(workspace, "a.py")
    assert modified(str(workspace.root / "a.py")) > modified(str(workspace.root / "gone")) == 0.0


def test_links_are_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    put(workspace, "a.py")
    (workspace.root / "out").symlink_to(tmp_path)
    assert list_files(workspace) == "a.py\n[1 not listed, being ignored, hidden, empty or links: out/]"
    with pytest.raises(ToolError, match="outside the workspace"):
        list_files(workspace, "out")


def test_many_files_are_folded(workspace: Workspace) -> None:
    put(workspace, "a.py", *(f"src/{n % 7}/{n}.py" for n in range(300)))
    shown = list_files(workspace).split("\n")
    assert shown[:3] == ["a.py", "src/0/ (43 files)", "src/1/ (43 files)"]
    assert shown[-1] == "[301 files in all; list one folder with path, or find names with pattern]"
    assert len(list_files(workspace, "src/0").split("\n")) == 43


def test_many_files_in_folders_only_are_folded(workspace: Workspace) -> None:
    put(workspace, *(f"d{n % 2}/{n:03}.py" for n in range(LIST_MAX_ENTRIES + 10)))
    assert list_files(workspace).split("\n")[:2] == ["d0/ (105 files)", "d1/ (105 files)"]


def test_many_files_in_one_folder_are_cut(workspace: Workspace) -> None:
    put(workspace, *(f"{n:03}.py" for n in range(LIST_MAX_ENTRIES + 10)))
    shown = list_files(workspace).split("\n")
    assert shown[LIST_MAX_ENTRIES - 1] == "199.py"
    assert shown[-1].startswith("[210 files in all, 10 entries left out; ")
    matches = list_files(workspace, pattern="*.py").split("\n")
    assert matches[-1] == "[10 older ones left out; narrow the pattern or the path]"


def test_an_empty_folder(workspace: Workspace) -> None:
    assert list_files(workspace) == "The workspace holds no files."
    (workspace.root / "sub").mkdir()
    assert list_files(workspace, "sub") == "sub holds no files."


def test_what_is_no_folder(workspace: Workspace) -> None:
    put(workspace, "src/a.py")
    assert list_files(workspace, "src/a.py").startswith("src/a.py is a file, not a folder. read_file(")
    with pytest.raises(ToolError, match="scr does not exist"):
        list_files(workspace, "scr")


def test_names_that_are_not_utf8_and_names_with_line_breaks(workspace: Workspace) -> None:
    put(workspace, os.fsdecode(b"caf\xe9.txt"), "-x.py")
    assert list_files(workspace).split("\n") == ["-x.py", r"caf\udce9.txt"]


def test_no_file_can_be_opened_any_more(workspace: Workspace) -> None:
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        with pytest.raises(ToolError, match=r"\. cannot be listed: Too many open files"):
            list_files(workspace)
        with pytest.raises(ToolError, match="Files cannot be listed: Too many open files"):
            list_paths(workspace.root)
        assert namesakes(workspace, workspace.root / "a.py") == [], "a suggestion is no reason to fail"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_folder_that_vanished(workspace: Workspace) -> None:
    with pytest.raises(ToolError, match="it does not exist"):
        list_paths(workspace.root / "gone")


def test_a_deep_tree(workspace: Workspace) -> None:
    deep = "/".join(["d"] * 300) + "/a.py"
    put(workspace, deep)
    assert list_files(workspace) == deep


@pytest.mark.parametrize(
    ("glob", "matching", "other"),
    [
        ("*.py", ["a.py", "x/a.py"], ["a.pyc", "a.js"]),
        ("a?.py", ["ab.py"], ["a.py", "a/.py"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "lib/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py"]),
        ("**/test_*.py", ["test_a.py", "x/test_a.py"], ["x/a.py"]),
        ("src/**", ["src/a", "src/x/a"], ["a"]),
        ("./src/a.py", ["src/a.py"], []),
        ("/src/a.py", ["src/a.py"], []),
        ("*.{js,ts}", ["a.js", "x/a.ts"], ["a.py", "a.{js,ts}"]),
        ("a,b", ["a,b"], ["a"]),
        ("[ab].py", ["a.py"], ["c.py"]),
        ("[!ab].py", ["c.py"], ["a.py"]),
        (r"\*.py", ["*.py"], ["a.py"]),
        ("a+(b).py", ["a+(b).py"], ["aab.py"]),
        (r"[a\].py", [r"\.py"], ["b.py"]),
    ],
)
def test_globs(glob: str, matching: list[str], other: list[str]) -> None:
    assert [path for path in [*matching, *other] if compile_glob(glob).matches(path)] == matching


@pytest.mark.parametrize("glob", ["{a", "a}", "[z-a]"])
def test_globs_that_cannot_be_read(glob: str) -> None:
    with pytest.raises(ToolError, match="cannot be read"):
        compile_glob(glob)


def test_namesakes(workspace: Workspace) -> None:
    put(workspace, "app/db.py", "app/__init__.py", "app/README.md", "a.py")
    assert namesakes(workspace, workspace.root / "db.py") == ["app/db.py"]
    assert namesakes(workspace, workspace.root / "A.py") == ["a.py"]
    for name in ("__init__.py", "README.md", "dc.py"):
        assert namesakes(workspace, workspace.root / "lib" / name) == []
