"""The mark that the model reads for a key is the key again when it comes back for the same file."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Any

import pytest

from tests.support.surroundings import surroundings_of
from text_agent.agent.answers import Answer
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.files.workspace import FileChange, Workspace
from text_agent.permissions.policy import PermissionPolicy, Review, ReviewRequest
from text_agent.protocol.types import ToolCall
from text_agent.text.masking import MASK, Masker, mask_log
from text_agent.tools.registry import ToolRegistry, default_tools
from text_agent.tools.tool import Tool

ONE, TWO = "sk-0123456789abcdef", "pk-fedcba9876543210"
TEXT = f"# settings\nFIRST = '{ONE}'\nname = 'x'\nSECOND = '{TWO}'\n"


class Person:
    """Says yes, and remembers what was asked."""

    def __init__(self) -> None:
        self.asked: list[ReviewRequest] = []

    def review(self, request: ReviewRequest) -> Review:
        self.asked.append(request)
        return Review(approved=True)


def run(folder: Path, *calls: tuple[str, dict[str, Any]], person: Person | None = None) -> list[Answer]:
    workspace = Workspace(folder)
    policy = PermissionPolicy(surroundings_of(folder), "ask" if person else "all")
    runner = ToolRunner(
        default_tools(workspace), workspace, policy, person or Unattended(), mask=Masker([ONE, TWO])
    )
    given = [ToolCall(name, {"path": "a.py", **arguments}) for name, arguments in calls]
    answers = [answer for call in given for answer in runner.answer([call], "", 1)]
    shown = repr([answer.result for answer in answers]) + repr([answer.result.change for answer in answers])
    assert ONE not in shown
    assert TWO not in shown
    assert not person or ONE not in repr(person.asked)
    return answers


READ: tuple[str, dict[str, str]] = ("read_file", {})


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        (f"FIRST = '{MASK}'", f"API = '{MASK}'", TEXT.replace("FIRST", "API")),
        (f"SECOND = '{MASK}'", f"API = '{MASK}'", TEXT.replace("SECOND", "API")),
        (f"FIRST = '{MASK}'\n", "", TEXT.replace(f"FIRST = '{ONE}'\n", "")),
        (f"FIRST = '{MASK}'\nname = 'x'", f"name = 'y'\nFIRST = '{MASK}'", "# settings\nname = 'y'\n"
         f"FIRST = '{ONE}'\nSECOND = '{TWO}'\n"),
        (f"FIRST = '{MASK}'\nname = 'x'\nSECOND = '{MASK}'", f"SECOND = '{MASK}'\nFIRST = '{MASK}'",
         f"# settings\nSECOND = '{TWO}'\nFIRST = '{ONE}'\n"),
        (f"FIRST = '{MASK}'\nname = 'x'\nSECOND = '{MASK}'", f"API = '{MASK}'\nname = 'x'\nSECOND = '{MASK}'",
         TEXT.replace("FIRST", "API")),
        ("name = 'x'", f"name = 'x'\nif x:\n    FIRST = '{MASK}'",
         TEXT.replace("name = 'x'", f"name = 'x'\nif x:\n    FIRST = '{ONE}'")),
        ("name = 'x'", "name = ''", TEXT.replace("'x'", "''")),
    ],
)  # fmt: skip
def test_an_edit(project: Path, old: str, new: str, after: str) -> None:
    (project / "a.py").write_text(TEXT)
    person = Person()
    _, answer = run(project, READ, ("edit_file", {"old_str": old, "new_str": new}), person=person)
    assert answer.result.status == "ok", answer.result.text
    assert (project / "a.py").read_text() == after


@pytest.mark.parametrize(
    ("content", "after"),
    [
        (f"FIRST = '{MASK}'\nn = 2\nSECOND = '{MASK}'\n", f"FIRST = '{ONE}'\nn = 2\nSECOND = '{TWO}'\n"),
        (f"API = '{MASK}'\nn = 2\nSECOND = '{MASK}'\n", f"API = '{ONE}'\nn = 2\nSECOND = '{TWO}'\n"),
        (f"name = 'x'\nSECOND = '{MASK}'\n", f"name = 'x'\nSECOND = '{TWO}'\n"),
        ("name = 'x'\n", "name = 'x'\n"),
    ],
)  # fmt: skip
def test_a_whole_file(project: Path, content: str, after: str) -> None:
    (project / "a.py").write_text(TEXT)
    _, answer = run(project, READ, ("write_file", {"content": content}))
    assert answer.result.status == "ok", answer.result.text
    assert (project / "a.py").read_text() == after


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit_file", {"old_str": MASK, "new_str": "none"}),
        ("edit_file", {"old_str": "name = 'x'", "new_str": f"API = '{MASK}'"}),
        ("edit_file", {"old_str": f"= '{MASK}'", "new_str": f"= '{MASK}' "}),
        ("write_file", {"content": f"API = '{MASK}'\n"}),
        ("write_file", {"content": f"API = '{MASK}'\nOTHER = '{MASK}'\n"}),
    ],
)
def test_what_may_be_either_key_is_refused(project: Path, tool: str, arguments: dict[str, str]) -> None:
    (project / "a.py").write_text(TEXT)
    _, answer = run(project, READ, (tool, arguments))
    assert answer.result.status == "error"
    assert "it cannot be told which one is meant; a.py is unchanged" in answer.result.text
    assert (project / "a.py").read_text() == TEXT


@pytest.mark.parametrize(
    "call",
    [
        ("edit_file", {"old_str": MASK, "new_str": f"{MASK}, 1"}),
        ("edit_file", {"old_str": f"KEY = '{MASK}'", "new_str": f"key = ['{MASK}', '{MASK}']"}),
        ("edit_file", {"old_str": "name", "new_str": f"copy = '{MASK}'\nname"}),
        ("write_file", {"content": f"def f():\n    return '{MASK}'\n"}),
    ],
)
def test_a_file_with_one_key_has_it_wherever_the_mark_stands(
    project: Path, call: tuple[str, dict[str, str]]
) -> None:
    (project / "a.py").write_text(f"KEY = '{ONE}'\nname = 1\n")
    _, answer = run(project, READ, call)
    assert answer.result.status == "ok", answer.result.text
    text = (project / "a.py").read_text()
    assert ONE in text
    assert MASK not in text


def test_equal_lines_keep_their_order(project: Path) -> None:
    (project / "a.py").write_text(f"keys = [\n    '{ONE}',\n    '{TWO}',\n]\nname = 1\n")
    content = f"keys = [\n    '{MASK}',\n    '{MASK}',\n]\nname = 2\n"
    assert run(project, READ, ("write_file", {"content": content}))[1].result.status == "ok"
    assert (project / "a.py").read_text() == f"keys = [\n    '{ONE}',\n    '{TWO}',\n]\nname = 2\n"


def test_a_mark_that_is_text_stays_text(project: Path) -> None:
    (project / "a.py").write_text(f"# {MASK} is the mark\nKEY = '{ONE}'\nname = 1\n")
    content = f"# {MASK} is the mark\nAPI = '{MASK}'\nname = 1\n"
    assert run(project, READ, ("write_file", {"content": content}))[1].result.status == "ok"
    assert (project / "a.py").read_text() == f"# {MASK} is the mark\nAPI = '{ONE}'\nname = 1\n"


def test_no_key_comes_into_another_file(project: Path) -> None:
    (project / "a.py").write_text(TEXT)
    (project / "b.py").write_text("name = 1\n")
    calls = [
        READ,
        ("read_file", {"path": "b.py"}),
        ("write_file", {"path": "b.py", "content": f"KEY = '{MASK}'\n"}),
        ("write_file", {"path": "new.py", "content": f"KEY = '{MASK}'\n"}),
        ("edit_file", {"path": "b.py", "old_str": "KEY", "new_str": f"# {MASK}\nKEY"}),
    ]
    run(project, *calls)
    for name in ("b.py", "new.py"):
        assert ONE not in (project / name).read_text()
        assert TWO not in (project / name).read_text()


def test_line_breaks_and_encodings(project: Path) -> None:
    (project / "a.py").write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    edit = ("edit_file", {"old_str": f"name = 'x'\nSECOND = '{MASK}'", "new_str": f"SECOND = '{MASK}'"})
    assert run(project, READ, edit)[1].result.status == "ok"
    assert (project / "a.py").read_bytes().endswith(f"FIRST = '{ONE}'\r\nSECOND = '{TWO}'\r\n".encode())
    (project / "a.py").write_bytes(b"\0\1" + ONE.encode())
    assert run(project, ("edit_file", {"old_str": MASK, "new_str": "x"}))[0].result.status == "error"


def test_errors_and_logs_hold_no_key(project: Path) -> None:
    (project / "a.py").write_text(f"KEY = '{ONE}'\n")
    stream = io.StringIO()
    mask_log(Masker([ONE]), stream)
    wrong = ("edit_file", {"old_str": f"KEY  =  '{MASK}' ", "new_str": f"KEY = '{MASK}' ("})
    (answer,) = run(project, wrong)
    assert answer.result.status == "error"
    logging.getLogger("text_agent").handlers.clear()
    assert ONE not in stream.getvalue()


def test_a_tool_that_does_not_say_what_it_writes_puts_no_mark_over_a_key(project: Path) -> None:
    (project / "a.py").write_text(TEXT)
    workspace = Workspace(project)

    def write(content: str) -> FileChange:
        """Writes a.py."""
        target = project / "a.py"
        return FileChange("a.py", target, target.read_bytes(), content.encode(), "written")

    policy = PermissionPolicy(surroundings_of(project), "all")
    tools = ToolRegistry(Tool.from_function(write))
    runner = ToolRunner(tools, workspace, policy, Person(), mask=Masker([ONE, TWO]))
    (answer,) = runner.answer([ToolCall("write", {"content": f"KEY = '{MASK}'\n"})], "", 1)
    assert "a.py has a key of the user's where you were shown [key]" in answer.result.text
    assert (project / "a.py").read_text() == TEXT


@pytest.mark.parametrize(
    "written",
    [
        r"ab\"cd\\ef-9876543210xyz",
        r"ab\u0022cd\u005Cef-9876543210xyz",
        "ab%22cd%5Cef-9876543210xyz",
        "ab&quot;cd\\ef-9876543210xyz",
    ],
)
def test_a_key_is_put_back_in_the_form_that_it_had(project: Path, written: str) -> None:
    workspace, key = Workspace(project), 'ab"cd\\ef-9876543210xyz'
    (project / "a.json").write_text(f'{{\n "key": "{written}",\n "b": 1\n}}\n')
    policy = PermissionPolicy(surroundings_of(project), "all")
    runner = ToolRunner(default_tools(workspace), workspace, policy, Unattended(), mask=Masker([key]))
    old = f'"key": "{MASK}",\n "b": 1'
    edit = {"path": "a.json", "old_str": old, "new_str": old.replace("1", "2")}
    for call in (ToolCall("read_file", {"path": "a.json"}), ToolCall("edit_file", edit)):
        (answer,) = runner.answer([call], "", 1)
        assert answer.result.status == "ok", answer.result.text
    assert written not in answer.result.text
    assert (project / "a.json").read_text() == f'{{\n "key": "{written}",\n "b": 2\n}}\n'
