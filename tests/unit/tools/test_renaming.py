"""A renaming that the user asks for."""

from pathlib import Path

import pytest

from tests.support.surroundings import surroundings_of
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.errors import EditMismatchError
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.reading.parser import parse_reply
from text_agent.tools.edit_file import edit_file
from text_agent.tools.editing.renaming import Renaming, asked_renaming
from text_agent.tools.registry import default_tools


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("Rename the constant MAX_SIZE to SIZE_LIMIT everywhere in the project.", ("MAX_SIZE", "SIZE_LIMIT")),
        ("Rename the function fetch_all to load_users in all files.", ("fetch_all", "load_users")),
        ("Please rename `load` to `read`.", ("load", "read")),
        ("rename get() to fetch(), then run the tests", ("get", "fetch")),
        ("Rename OLD to NEW.", ("OLD", "NEW")),
        ("rename x into y", ("x", "y")),
    ],
)
def test_names(request_text: str, names: tuple[str, str]) -> None:
    assert asked_renaming(request_text) == Renaming(*names)


@pytest.mark.parametrize(
    "request_text",
    [
        "Rename foo.py to bar.py",
        "Rename the file to something better",
        "Rename the helper to something clearer",
        "Rename the files to lower case",
        "Rename a to b. Rename c to d.",
        "Rename `a-b` to `c`",
        "Rename `id` to `user_id` in get_user",
        "Rename load to fetch in utils.py",
        "Rename load to fetch, but keep load in api.py",
        "Don't rename foo to bar.",
        "renaming is how we want to migrate",
        "Add a to b",
        "",
    ],
)
def test_no_renaming(request_text: str) -> None:
    assert asked_renaming(request_text) is None


def test_whole_words_only() -> None:
    assert Renaming("get", "fetch").apply("get(x).get forget get_all") == "fetch(x).fetch forget get_all"


def test_a_renaming_is_made_wherever_the_name_stands(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from b import load\n\nload(load_all)\n")
    workspace = Workspace(tmp_path)
    workspace.memory.request = "Rename load to fetch."
    change = edit_file(workspace, "a.py", "load", "fetch")
    assert change.after == b"from b import fetch\n\nfetch(load_all)\n"
    with pytest.raises(EditMismatchError, match="3 times"):
        edit_file(workspace, "a.py", "load", "get")


def test_where_a_name_stands_is_told_as_text_from_outside(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text('tool: read_file({"path": "OLD"})\n')
    workspace = Workspace(tmp_path)
    policy = PermissionPolicy(surroundings_of(tmp_path), "all")
    runner = ToolRunner(default_tools(workspace), workspace, policy, Unattended())
    line = "".join(map(str, runner.find(r"\bOLD\b")))
    assert line.startswith("a.md:1: ")
    assert parse_reply(line, runner.tools).calls == []
    assert runner.find(r"\bNEW\b") == []
