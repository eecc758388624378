"""A file that is changed stays what it was but for its text: attributes, names and line breaks."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from tests.support.checkpoints import Recorded
from tests.support.scripted_provider import ScriptedProvider
from tests.support.surroundings import surroundings_of
from text_agent.agent.agent import Agent
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.config.settings import Settings
from text_agent.files.atomic_write import write_atomically
from text_agent.files.checkpoints.undo import undo
from text_agent.files.workspace import FileChange, Workspace
from text_agent.permissions.policy import PermissionPolicy
from text_agent.tools.edit_file import edit_file
from text_agent.tools.registry import default_tools
from text_agent.tools.write_file import write_file

needs_attributes = pytest.mark.skipif(not hasattr(os, "setxattr"), reason="the system has none")


@pytest.fixture
def workspace(project: Path) -> Workspace:
    (project / "a.txt").write_bytes(b"old\n")
    return Workspace(project)


def apply(workspace: Workspace, path: str = "a.txt") -> str:
    target = workspace.resolve(path)
    return workspace.apply(FileChange(path, target, target.read_bytes(), b"new\n", "done"))


def set_attributes(file: Path, attributes: dict[str, bytes]) -> None:
    try:
        for name, value in attributes.items():
            os.setxattr(file, name, value)
    except OSError as error:
        pytest.skip(f"attributes cannot be set here: {error}")


@needs_attributes
def test_attributes_are_kept(workspace: Workspace) -> None:
    file = workspace.root / "a.txt"
    attributes = {"user.note": b"x\0y", "user.empty": b"", "user.other": "\u00e9".encode()}
    set_attributes(file, attributes)
    assert apply(workspace) == ""
    assert {name: os.getxattr(file, name) for name in os.listxattr(file)} == attributes


@needs_attributes
def test_an_access_list_is_kept(workspace: Workspace) -> None:
    file = workspace.root / "a.txt"
    # Version 2: owner rw, user 12345 r, group r, mask r, others none.
    entries = [(1, 6, -1), (2, 4, 12345), (4, 4, -1), (16, 4, -1), (32, 0, -1)]
    parts = [tag.to_bytes(2, "little") + bits.to_bytes(2, "little") + (who % 2**32).to_bytes(4, "little")
             for tag, bits, who in entries]  # fmt: skip
    set_attributes(file, {"system.posix_acl_access": b"\x02\0\0\0" + b"".join(parts)})
    before = os.getxattr(file, "system.posix_acl_access"), file.stat().st_mode
    assert apply(workspace) == ""
    assert (os.getxattr(file, "system.posix_acl_access"), file.stat().st_mode) == before


@needs_attributes
def test_attributes_come_back_with_an_undo(workspace: Workspace, tmp_path: Path) -> None:
    file = workspace.root / "a.txt"
    set_attributes(file, {"user.note": b"x"})
    recorded = Recorded(workspace.root, tmp_path / "data")
    recorded.write("a.txt", b"new\n")
    undo(recorded.recorder, 1)
    assert (file.read_bytes(), os.getxattr(file, "user.note")) == (b"old\n", b"x")


def test_names_in_the_workspace_stay_names_of_one_file(workspace: Workspace) -> None:
    (workspace.root / "sub").mkdir()
    names = [workspace.root / name for name in ("a.txt", "b.txt", "sub/c.txt")]
    for name in names[1:]:
        name.hardlink_to(names[0])
    assert apply(workspace, "b.txt") == ""
    assert {name.read_bytes() for name in names} == {b"new\n"}
    assert {name.stat().st_ino for name in names} == {names[0].stat().st_ino}
    assert sorted(path.name for path in workspace.root.iterdir()) == ["a.txt", "b.txt", "sub"]


def test_names_come_back_with_an_undo(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.root / "b.txt").hardlink_to(workspace.root / "a.txt")
    recorded = Recorded(workspace.root, tmp_path / "data")
    recorded.write("a.txt", b"new\n")
    undo(recorded.recorder, 1)
    assert (workspace.root / "b.txt").read_bytes() == b"old\n"
    assert (workspace.root / "b.txt").samefile(workspace.root / "a.txt")


@pytest.mark.parametrize("other", ["../outside.txt", ".git/hooks/pre-commit", ".bashrc"])
def test_a_name_outside_or_with_power_keeps_the_old_text(workspace: Workspace, other: str) -> None:
    path = workspace.root / other
    path.parent.mkdir(parents=True, exist_ok=True)
    path.hardlink_to(workspace.root / "a.txt")
    (workspace.root / "b.txt").hardlink_to(workspace.root / "a.txt")
    told = apply(workspace)
    assert told == "Not kept: 1 other name of it (hard links), with the old content."
    assert path.read_bytes() == b"old\n"
    assert (workspace.root / "b.txt").read_bytes() == b"new\n"


def test_two_names_outside_are_counted(workspace: Workspace) -> None:
    for number in range(2):
        (workspace.root.parent / f"outside{number}").hardlink_to(workspace.root / "a.txt")
    assert "2 other names of it" in apply(workspace)


def test_a_name_that_cannot_follow_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old\n")
    (tmp_path / "folder").mkdir()
    told = write_atomically(file, b"new\n", others=[tmp_path / "folder", tmp_path / "gone" / "x"])
    assert told == ["the link to its name folder", "the link to its name x"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "folder"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_the_owner_is_kept(workspace: Workspace) -> None:
    os.chown(workspace.root / "a.txt", 12345, 54321)
    assert apply(workspace) == ""
    status = (workspace.root / "a.txt").stat()
    assert (status.st_uid, status.st_gid) == (12345, 54321)


CALLS = {
    "block": 'tool: write_file({"path": "a.py"})\n```python\na = 1\nb = 2\n```\n',
    "longer fence": 'tool: write_file({"path": "a.py"})\n````\na = 1\nb = 2\n````\n',
    "JSON": 'Well.\n\ntool: write_file({\n  "path": "a.py",\n  "content": "a = 1\\nb = 2\\n"\n})\n',
    "line breaks in a string": 'tool: write_file({"path": "a.py", "content": "a = 1\nb = 2\n"})\n',
    "tags": "<write_file>\n<path>a.py</path>\n<content>\na = 1\nb = 2\n</content>\n</write_file>\n",
    "parameters": (
        "<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n"
        "<parameter=content>\na = 1\nb = 2\n</parameter>\n</function>\n</tool_call>\n"
    ),
    "no last line break": 'tool: edit_file({"path": "a.py", "old_str": ""})\n```\na = 1\nb = 2\n```',
}


@pytest.mark.parametrize(("form", "piece"), list(product(CALLS, [1, 3, 17, 1000])))
def test_a_reply_in_other_line_breaks_makes_the_same_file(project: Path, form: str, piece: int) -> None:
    provider = ScriptedProvider([CALLS[form].replace("\n", "\r\n"), "Done.\r"], piece=piece)
    agent = agent_of(project, provider)
    assert agent.run_turn("write a.py").answer.strip() == "Done."
    assert (project / "a.py").read_bytes().rstrip(b"\n") == b"a = 1\nb = 2"
    assert "\r\n" not in "".join(message.content for message in agent.conversation.messages)


def agent_of(folder: Path, provider: ScriptedProvider) -> Agent:
    workspace = Workspace(folder)
    policy = PermissionPolicy(surroundings_of(folder), "all")
    runner = ToolRunner(default_tools(workspace), workspace, policy, Unattended())
    return Agent(provider, runner, "You are a test.", Settings("openai"), lambda _: None)


@pytest.mark.parametrize(
    ("content", "after"),
    [
        ("a\r\nb\n", b"a\nb\n"),
        ("a\nb\r\nc", b"a\nb\nc\n"),
        ("a\r\nb\r\n", b"a\r\nb\r\n"),
        ("a\r\nb", b"a\r\nb\r\n"),
        ("a\rb", b"a\rb\r"),
    ],
)
def test_a_new_file_has_line_breaks_of_one_kind(workspace: Workspace, content: str, after: bytes) -> None:
    workspace.apply(write_file(workspace, "new.txt", content))
    assert (workspace.root / "new.txt").read_bytes() == after
    change = edit_file(workspace, "other.txt", "", content)
    assert change.after in (after, after.rstrip(b"\r\n"))
