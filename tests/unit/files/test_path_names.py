"""Paths with decoration around them are read as what is meant, or refused; no folder is made of a mark."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.surroundings import surroundings_of
from text_agent.agent.answers import Answer
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.errors import ToolError
from text_agent.files.path_names import is_odd, spell
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.types import ToolCall
from text_agent.tools.registry import default_tools

pytestmark = pytest.mark.untraced

DECORATIONS = [
    "### {}", "#### `{}`", "# {}", "#{}", "**{}**", "**`{}`**", "**{}:**", "*{}*", "`{}`", "```{}```", '"{}"',
    "'{}'", "\u201c{}\u201d", "<{}>", "[{}]", "({})", "@{}", "- {}", "* {}", "+ {}", "> {}", "\u2022 {}",
    "{} (new file)", "### {} (updated)", "{} (lines 1-20)", "(new) {}", "{}:", "{},", "{};",
    "{}:12", "{}:12:5", "{}:12-20", "{}#L12", "{}#L12-L20", "{} - new", "{} # comment", "{} // comment",
    "File: {}", "Path: `{}`", "File name: {}", "file:///{}", "file://{}", "file:{}", "[{}]({})",
    "[here](./{})",
    "[{}](https://example.com/x)", "// {}", "/* {} */", "<!-- {} -->", "+++ b/{}", "--- a/{}", "__{}__",
    "\U0001f4c4 {}", "=== {} ===", "{} [new]", "{}?raw=1", "{} {python}", "{}, line 12", "{}\u2026",
    "{}.", "{}\uff1a",
    "\uff08{}\uff09", "\u300c{}\u300d", "{}\uff08\u65b0\uff09",
    "\u0424\u0430\u0439\u043b: {}", "\ufeff{}", "{}\u200b",
    "\u202a{}\u202c", "&lt;{}&gt;", "&quot;{}&quot;", "{} !", "\u00ab{}\u00bb", "\u2705 `{}` (new)",
    "~~{}~~", "`{}`:", "{} ->", " {} ", "\t{}\n", "\n\n`{}`\n",
]  # fmt: skip
PATHS = ["src/n.py", "a.md", "src/deep/name with blanks.txt", "\u00fc/\u65e5\u672c.txt", ".env.example"]
# A numbered name without a folder may be one.
NUMBERED = [("1. {}", "src/n.py"), ("2) {}", "src/n.py")]
# What shows by the folder behind it, if there is one, that it belongs to no name.
BEFORE_A_FOLDER = [
    "?{}", "{{}", "filename={}", "title='{}'", "\u6587\u4ef6\uff1a{}", "&{}", "={}", "\u2192{}", "({}",
    "\U0001f4c4{}",
]  # fmt: skip
# What may mean another place, or a word of a name.
UNSURE_BEFORE_A_FOLDER = [
    "python {}", "Create {}", "$PWD/{}", "${workspaceFolder}/{}", "$(pwd)/{}", "%CD%/{}", ".../{}",
    "\u2026/{}",
    "a/{}", "b/{}", "diff --git a/{} b/{}", "{} L10-20",
]  # fmt: skip
ESCAPED = ["src%2Fn.py", "src&#47;n.py", "src\uff0fn.py", "\uff53\uff52\uff43/n.py", "s\u200brc/n.py"]
LEGITIMATE = [
    "[id].tsx", "app/[id]/page.tsx", "[...slug].tsx", "(group)/page.tsx", "#readme#", "__init__.py", "-x",
    "src/__init__.py", "__tests__/a.js", "__main__", "_x_", "a b.txt", "\u00fcn\u00ef.md", "$lib/x.ts",
    "{{cookiecutter.slug}}/x.py", "+page.svelte", "it's.md", "1. Intro.md", "Report v1.2 - final.md",
    "Node.js - guide.md", "12:30.txt", "year=2024/x.csv", "a&b.txt", "what?.md", "~$x", "C++.md", "x.tar.gz",
    "Makefile", "src/@types/x.d.ts", "!important.txt", "%s.txt", "a,b.txt", "foo::bar.pm", ".env.example",
    "src/@id.ts", "src/#x.txt", "\u00abZitat\u00bb.txt", "users.$id.tsx", "app/(.)photo/[id]/page.tsx",
    "logo@2x.png",
    "[[...rest]]/page.ts", "Foo.xcodeproj/project.pbxproj", "lib.so.1.2", "a.py~", "a.tar.gz.part-01",
    "x.{{env}}.yml",
    "\u6587\u66f8\uff08\u6848\uff09.md", "\U0001f389.md", "1_\U0001f4ca_Plot.py", "Next.js (draft).md",
    "My docs/x.txt", "a/b/c.txt",
    "-", "...", "a(1).txt", "a (1).txt", "\u65e5\u672c\u8a9e.txt", "name.with.dots", "no_suffix", "a'b.txt",
]  # fmt: skip
REFUSED = [
    "src/n.py\nprint(1)", "http://example.com/n.py", "C:\\Users\\x", "a<b>c.py", "src/a.py -> src/b.py",
    "a|b", "*", "x\x1b[2J.py", "src/**", "what is `x`?", "src/ \x00",
]  # fmt: skip


@pytest.fixture
def workspace(project: Path) -> Workspace:
    return Workspace(project)


def put(workspace: Workspace, path: str) -> None:
    file = workspace.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("one\n")


def run(workspace: Workspace, name: str, **arguments: str) -> Answer:
    policy = PermissionPolicy(surroundings_of(workspace.root), "all")
    runner = ToolRunner(default_tools(workspace), workspace, policy, Unattended())
    (answer,) = runner.answer([ToolCall(name, arguments)], "", 1)
    return answer


def files(workspace: Workspace) -> list[str]:
    found = (path for path in workspace.root.rglob("*") if path.is_file())
    return sorted(path.relative_to(workspace.root).as_posix() for path in found)


@pytest.mark.parametrize(("decoration", "path"), [*product(DECORATIONS, PATHS), *NUMBERED])
def test_a_file_that_exists_is_meant(workspace: Workspace, decoration: str, path: str) -> None:
    put(workspace, path)
    put(workspace, "other.txt")
    decorated = decoration.replace("{}", path)
    answer = run(workspace, "read_file", path=decorated)
    assert answer.result.status == "ok", answer.result.text
    assert answer.result.text.startswith("1| one")
    told = f"was read as {path}]" in answer.result.text.replace("./", "")
    assert told or decorated.strip() == path
    edited = run(workspace, "edit_file", path=decorated, old_str="one", new_str="two")
    assert edited.result.status == "ok"
    assert files(workspace) == sorted([path, "other.txt"])
    assert (workspace.root / path).read_text() == "two\n"


@pytest.mark.parametrize(("decoration", "path"), [*product(DECORATIONS, PATHS[:2]), *NUMBERED])
def test_a_new_file_gets_its_name_alone(workspace: Workspace, decoration: str, path: str) -> None:
    answer = run(workspace, "write_file", path=decoration.replace("{}", path), content="one\n")
    assert answer.result.status == "ok", answer.result.text
    assert files(workspace) == [path]


@pytest.mark.parametrize("path", [*(each.replace("{}", "src/n.py") for each in BEFORE_A_FOLDER), *ESCAPED])
def test_what_stands_before_a_folder_that_exists_is_no_name(workspace: Workspace, path: str) -> None:
    put(workspace, "src/other.py")
    answer = run(workspace, "write_file", path=path, content="x = 1\n")
    assert (answer.result.status, files(workspace)) == ("ok", ["src/n.py", "src/other.py"])
    assert "was read as src/n.py" in answer.result.text


@pytest.mark.parametrize("decoration", UNSURE_BEFORE_A_FOLDER)
def test_what_may_mean_another_place_is_refused(workspace: Workspace, decoration: str) -> None:
    put(workspace, "src/other.py")
    path = decoration.replace("{}", "src/n.py")
    answer = run(workspace, "write_file", path=path, content="x = 1\n")
    assert (answer.result.status, files(workspace)) == ("error", ["src/other.py"])
    assert "is no plain name of a new file" in answer.result.text


@pytest.mark.parametrize("path", LEGITIMATE)
def test_a_name_that_projects_have_is_taken_as_it_is(workspace: Workspace, path: str) -> None:
    answer = run(workspace, "write_file", path=path, content="one\n")
    assert (answer.result.status, files(workspace)) == ("ok", [path])
    assert "read as" not in answer.result.text


@pytest.mark.parametrize("path", REFUSED)
def test_what_can_be_no_name_is_refused(workspace: Workspace, path: str) -> None:
    (workspace.root / "src").mkdir()
    answer = run(workspace, "write_file", path=path, content="one\n")
    assert (answer.result.status, files(workspace)) == ("error", [])
    assert run(workspace, "read_file", path=path).result.status == "error"
    assert files(workspace) == []


@pytest.mark.parametrize("decorated", [*(each.replace("{}", "a.md") for each in DECORATIONS), *REFUSED[2:8]])
def test_a_file_that_has_such_a_name_is_meant_by_it(workspace: Workspace, decorated: str) -> None:
    name = decorated.strip().replace("/", "_")
    put(workspace, name)
    put(workspace, "a.md")
    assert workspace.resolve(name) == workspace.root / name


@pytest.mark.parametrize("decoration", ["{} (new file)", "`{}`", "**{}**", "{}:", "{}:12", "# {}"])
def test_decoration_behind_a_folder(workspace: Workspace, decoration: str) -> None:
    (workspace.root / "src").mkdir()
    answer = run(workspace, "write_file", path=f"src/{decoration.replace('{}', 'n.py')}", content="x = 1\n")
    assert (answer.result.status, files(workspace)) == ("ok", ["src/n.py"])


def test_a_new_file_in_a_folder_of_such_a_name(workspace: Workspace) -> None:
    (workspace.root / "1. src").mkdir()
    (workspace.root / "@types").mkdir()
    for path in ("1. src/n.py", "@types/x.d.ts"):
        assert workspace.spell(path) == path


def test_scopes_of_packages(workspace: Workspace) -> None:
    (workspace.root / "src").mkdir()
    assert workspace.spell("@types/x.d.ts") == "types/x.d.ts"
    put(workspace, "package.json")
    assert workspace.spell("@types/x.d.ts") == "@types/x.d.ts"
    assert workspace.spell("@src/x.ts") == "src/x.ts"
    assert workspace.spell("@types/x.d.ts (new file)") == "@types/x.d.ts"


def test_a_path_that_may_be_two_files(workspace: Workspace) -> None:
    put(workspace, "a.md")
    put(workspace, "a.md:")
    with pytest.raises(ToolError, match=r"may mean a\.md or a\.md:\. Give one path alone"):
        workspace.resolve("# a.md:")


def test_backslashes_of_another_system(workspace: Workspace) -> None:
    put(workspace, "src/n.py")
    assert workspace.spell("src\\n.py") == "src/n.py"
    assert workspace.spell(".\\src\\new.py") == "./src/new.py"
    assert workspace.spell("src / n.py") == "src/n.py"


def test_an_address_of_a_file_in_the_workspace(workspace: Workspace) -> None:
    put(workspace, "with blank.txt")
    address = (workspace.root / "with blank.txt").as_uri()
    assert workspace.resolve(address) == workspace.root / "with blank.txt"


@pytest.mark.parametrize("decoration", ["### {}", "`{}`", "{} (new)", "@{}", "file:///{}", "- {}", "{}:"])
@pytest.mark.parametrize("path", [".git/hooks/pre-commit", ".envrc"])
def test_what_grants_power_is_asked_about_behind_decoration(
    workspace: Workspace, decoration: str, path: str
) -> None:
    answer = run(workspace, "write_file", path=decoration.replace("{}", path), content="x\n")
    assert (answer.result.status, files(workspace)) == ("denied", [])


@pytest.mark.parametrize("decoration", ["### {}", "`{}`", "{}:12", "@{}", "file:///{}"])
def test_a_secret_is_asked_about_behind_decoration(workspace: Workspace, decoration: str) -> None:
    put(workspace, ".env")
    assert run(workspace, "read_file", path=decoration.replace("{}", ".env")).result.status == "denied"


@pytest.mark.parametrize("decoration", ["### {}", "`{}`", "file://{}", "- {}"])
@pytest.mark.parametrize("path", ["../x.txt", "/etc/passwd", "~/x"])
def test_decoration_leads_nowhere_out(workspace: Workspace, decoration: str, path: str) -> None:
    (workspace.root.parent / "x.txt").write_text("secret\n")
    before = (workspace.root.parent / "x.txt").read_text()
    for name, more in (("read_file", {}), ("write_file", {"content": "x\n"})):
        answer = run(workspace, name, path=decoration.replace("{}", path), **more)
        assert "root:" not in answer.result.text
        assert "secret" not in answer.result.text
    assert (workspace.root.parent / "x.txt").read_text() == before


_pieces = st.sampled_from(
    [*"#*@<>`'\"()[]:;,._-/ \\1a", "src", "n.py", "file:///", "./", "../", " (new)", "# "]
)


@given(st.lists(_pieces, min_size=1, max_size=8).map(lambda parts: "".join(parts).strip()))
def test_a_path_is_read_once(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    root = tmp_path_factory.getbasetemp() / "spelled"
    (root / "src").mkdir(parents=True, exist_ok=True)
    (root / "src" / "n.py").touch()
    try:
        spelled = spell(root, path)
    except ToolError:
        return
    assert spell(root, spelled) == spelled
    assert spelled == path or not is_odd(root, spelled)
