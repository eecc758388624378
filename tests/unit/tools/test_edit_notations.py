"""An edit in the notation of some other program is no text of a file."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from text_agent.errors import ToolError
from text_agent.files.workspace import FileChange, Workspace
from text_agent.tools.editing.notation import EDIT_NOTATIONS, find_edit_markers, find_edit_notation
from text_agent.tools.registry import default_tools

BEFORE = 'package main\n\nfunc main() {\n\tprintln("a")\n}\n'
OLD, NEW = '\tprintln("a")', '\tprintln("b")'
# What a model may write in the place of the whole text, or of a part of it, by notation.
EDITS = {
    "a SEARCH/REPLACE block": [
        f"<<<<<<< SEARCH\n{OLD}\n=======\n{NEW}\n>>>>>>> REPLACE\n",
        f"<<<<<<< ORIGINAL\n{OLD}\n=======\n{NEW}\n>>>>>>> UPDATED\n",
        f"<<<<<SEARCH\n{OLD}\n=====\n{NEW}\n>>>>>REPLACE\n",
        f"------- SEARCH\n{OLD}\n=======\n{NEW}\n+++++++ REPLACE\n",
        f"<<<<<<< SEARCH\n:start_line:4\n-------\n{OLD}\n=======\n{NEW}\n>>>>>>> REPLACE\n",
        f"{NEW}\n>>>>>>> REPLACE\n",
        f"  <<<<<<< SEARCH  \n{NEW}\n",
        f"<<<<<<< SEARCH main.go\n{NEW}\n",
    ],
    "a merge conflict": [
        f"<<<<<<< HEAD\n{OLD}\n=======\n{NEW}\n>>>>>>> topic\n",
        f"<<<<<<<\n{OLD}\n=======\n{NEW}\n>>>>>>>\n",
        f"{OLD}\n||||||| base\n{NEW}\n",
    ],
    "a patch": [
        f"*** Begin Patch\n*** Update File: main.go\n@@\n-{OLD}\n+{NEW}\n*** End Patch\n",
        f"*** Update File: main.go\n{NEW}\n",
        f"{NEW}\n*** End Patch\n",
        f"*** Add File: main.go\n+{NEW}\n",
        f"{NEW}\n*** End of File\n",
        "*** Delete File: main.go\n",
        "*** Move to: other.go\n",
    ],
    "a diff": [
        f"--- a/main.go\n+++ b/main.go\n@@ -4 +4 @@\n-{OLD}\n+{NEW}\n",
        f"--- main.go\n+++ main.go\n-{OLD}\n+{NEW}\n",
        f"diff --git a/main.go b/main.go\n-{OLD}\n+{NEW}\n",
        f"@@ -1,5 +1,5 @@ func main() {{\n {OLD}\n",
        f"@@ func main()\n-{OLD}\n+{NEW}\n",
        f"@@\n{NEW}\n",
        f"{NEW}\n\\ No newline at end of file\n",
    ],
    "the tags of an edit": [
        f"<old_str>\n{OLD}\n</old_str>\n<new_str>\n{NEW}\n</new_str>\n",
        f"{NEW}\n</new_string>\n",
    ],
}  # fmt: skip
MARKED = [text for texts in EDITS.values() for text in texts]
SIGNED = [
    f" package main\n \n func main() {{\n-{OLD}\n+{NEW}\n }}\n",
    f"package main\n\nfunc main() {{\n-{OLD}\n+{NEW}\n}}\n",
    f"-{OLD}\n+{NEW}\n",
    f"- {OLD.strip()}\n+ {NEW.strip()}\n",
    f"package main\n\nfunc main() {{\n{OLD}\n+{NEW}\n}}\n",
    f" package main\n \n func main() {{\n {OLD}\n+{NEW}\n }}\n",
    f"package main\n\nfunc main() {{\n-{OLD}\n}}\n",
    f"4| {NEW}\n",
    f"   4| {NEW}\n5| \t// more\n",
]
# What stands around the text of a file in a reply.
FENCED = [f"```go\n{BEFORE}```\n", f"\n```\n{BEFORE}\n```\n\n", f"```go title='x'\n{BEFORE}```"]


@pytest.fixture
def workspace(project: Path) -> Workspace:
    (project / "main.go").write_text(BEFORE)
    workspace = Workspace(project)
    default_tools(workspace)["read_file"].function("main.go")
    return workspace


def proposal(workspace: Workspace, tool: str, text: str, path: str = "main.go") -> FileChange:
    """The change that a call with `text` in it proposes."""
    arguments = {
        "write": ("write_file", {"path": path, "content": text}),
        "edit": ("edit_file", {"path": path, "old_str": f"{OLD}\n", "new_str": text}),
        "fill": ("edit_file", {"path": path, "old_str": "", "new_str": text}),
    }
    name, given = arguments[tool]
    change = default_tools(workspace)[name].function(**given)
    assert isinstance(change, FileChange)
    return change


def test_every_notation_of_the_table_has_edits_here() -> None:
    assert EDITS.keys() == EDIT_NOTATIONS.keys()
    for name, texts in EDITS.items():
        for text in texts:
            assert name in {notation for notation, _ in find_edit_markers(text)}, text


@pytest.mark.parametrize(("tool", "text"), list(product(["write", "edit"], [*MARKED, *SIGNED])))
def test_it_is_not_written_over_a_file(workspace: Workspace, tool: str, text: str) -> None:
    with pytest.raises(
        ToolError, match=r"would stand in main\.go as text; main\.go is unchanged\. .* edit_file"
    ):
        proposal(workspace, tool, text)


@pytest.mark.parametrize(("tool", "text"), list(product(["write", "fill"], MARKED)))
def test_no_file_is_made_of_it(workspace: Workspace, tool: str, text: str) -> None:
    with pytest.raises(ToolError, match=r"new\.go was not created"):
        proposal(workspace, tool, text, "new.go")


@pytest.mark.parametrize("name", ["new.go", "Dockerfile", "requirements.txt"])
@pytest.mark.parametrize(("tool", "text"), list(product(["write", "fill"], FENCED)))
def test_no_fence_gets_into_a_file(workspace: Workspace, tool: str, text: str, name: str) -> None:
    with pytest.raises(
        ToolError, match=rf"`{{3}}.*` belongs to a block of Markdown, .*{name} was not created"
    ):
        proposal(workspace, tool, text, name)
    assert proposal(workspace, tool, text, "new.md").after


def test_no_file_is_made_of_added_lines(workspace: Workspace) -> None:
    with pytest.raises(ToolError, match=r"the sign before `\+package main` belongs to a diff"):
        proposal(workspace, "write", "+package main\n+\n+func main() {}\n", "new.go")


@pytest.mark.parametrize("text", [*MARKED, *SIGNED])
@pytest.mark.parametrize("name", ["a.diff", "a.patch", "A.PATCH", "a.rej"])
def test_a_file_of_diffs_may_hold_it(workspace: Workspace, name: str, text: str) -> None:
    assert proposal(workspace, "write", text, name).after


@pytest.mark.parametrize("edit", MARKED)
def test_marks_that_stand_in_the_file_may_stay_and_go(project: Path, edit: str) -> None:
    (project / "notes.txt").write_text(f"one\n{edit}two\n")
    workspace = Workspace(project)
    tools = default_tools(workspace)
    tools["read_file"].function("notes.txt")
    for name, arguments in (
        ("write_file", {"content": f"one\n{edit}2\n"}),
        ("write_file", {"content": "one\ntwo\n"}),
        ("edit_file", {"old_str": "two", "new_str": "2"}),
    ):
        assert isinstance(tools[name].function(path="notes.txt", **arguments), FileChange)


ORDINARY = [
    ("a.md", "Title\n=======\n\n- one\n- two\n- three\n", "Title\n\none\ntwo\n"),
    ("a.md", "- one\n- two\n", "one\ntwo\nthree\n"),
    ("a.yaml", "list:\n- name: x\n  value: 1\n", "list:\nname: x\nvalue: 1\n"),
    ("a.yaml", "--- # document\n- a\n- b\n", "a\nb\n"),
    ("a.py", "x = (\n    a\n    + b\n    - c\n)\n", "x = a\n"),
    ("a.py", "x = a\n\n\ndef f():\n    return -x\n", "x = a\n"),
    ("a.py", ">>> 1 << 2\n", ""),
    ("a.rb", "@@count = 0\n@count = 1\n", ""),
    ("a.sql", "SELECT @@ROWCOUNT\n-- a comment\n", "SELECT 1\n"),
    ("a.lua", "-- print\nprint(1)\n", "print\n"),
    ("a.txt", "-5\n3\n", "5\n3\n"),
    ("a.c", "/*** Begin ***/\nint x;\n", ""),
    ("a.cmake", "+x\n-y\n+z\n", "+x\n-y\n"),
    ("a.js", "a\n  + b\n  - c\n", ""),
    ("a.hs", "f = a\n  <> b\n", ""),
    ("a.sh", "cat <<<'x'\ncat <<EOF\nEOF\n", ""),
    ("a.html", "<old>\n<search>\n<b>x</b>\n", ""),
    ("empty.go", "\n\n", ""),
    ("a.py", '"""\n```\nx\n```\n"""\n', ""),
    ("a.go", "a\n3| b\n", "3| c\n"),
    ("a.hs", "1| a\nb\n", ""),
    ("a.txt", "2| a\n", ""),
]


@pytest.mark.parametrize(("name", "after", "before"), ORDINARY)
def test_what_is_no_edit(name: str, after: str, before: str) -> None:
    assert find_edit_notation(name, after, before) is None


def test_a_piece_of_a_line_may_begin_with_a_sign(workspace: Workspace) -> None:
    edit = default_tools(workspace)["edit_file"].function
    change = edit("main.go", '"a"', '+"a"')
    assert isinstance(change, FileChange)
    assert b'println(+"a")' in (change.after or b"")
