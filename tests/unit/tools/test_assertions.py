"""A test is not made to pass by changing what it expects, where the user wants the code mended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.surroundings import surroundings_of
from text_agent.agent.runner import ToolRunner
from text_agent.agent.small_models.strategy import SmallModelHelp
from text_agent.cli.headless import Unattended
from text_agent.errors import ToolError
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.types import ToolCall
from text_agent.tools.edit_file import edit_file
from text_agent.tools.editing.assertions import lost_assertions
from text_agent.tools.editing.documents import PLAIN_EDITS
from text_agent.tools.registry import default_tools
from text_agent.tools.write_file import write_file

SMALL = SmallModelHelp.edit_policy
TEST = "def test_add():\n    assert add(2, 3) == 5\n"


@pytest.mark.parametrize(
    "path", ["test_calc.py", "a/calc_test.go", "src/calc.test.ts", "tests/calc.py", "spec/calc_spec.rb"]
)
def test_of_a_test(path: str) -> None:
    assert lost_assertions(path, TEST, TEST.replace("5", "6"), "The tests fail. Fix the code.") == (
        "`assert add(2, 3) == 5`",
    )


@pytest.mark.parametrize(
    ("request_text", "fails"),
    [
        ("test_calc.py::test_add fails. Fix it.", False),
        ("test_calc.py fails. Fix it.", True),
        ("I want test_calc.py green.", True),
    ],
)
def test_of_one_that_is_named_as_failing(request_text: str, *, fails: bool) -> None:
    assert lost_assertions("test_calc.py", TEST, "", request_text, fails=fails) == (
        "`assert add(2, 3) == 5`",
    )
    meant = f"{request_text} Update the test."
    assert lost_assertions("test_calc.py", TEST, "", meant, fails=fails) == ()


@pytest.mark.parametrize("line", ["self.assertEqual(f(), 1)", "expect(f()).toBe(1)", "assert_eq!(f(), 1);"])
def test_of_other_kinds(line: str) -> None:
    assert lost_assertions("test_a.x", f"  {line}\n", "", "Fix the bug.") == (f"`{line}`",)


@pytest.mark.parametrize(
    "request_text",
    [
        "One of the tests in test_calc.py fails. Fix the code. Do not change the tests.",
        "A test fails: repair the code, and leave test_calc.py as it is.",
        "Make add faster without touching the tests.",
        "Fix the code in test_calc.py's subject, not the test.",
        "Don\u2019t ever modify test_calc.py; fix add.",
        "Keep the tests unchanged and update add.",
    ],
)
@pytest.mark.parametrize("is_small", [True, False])
def test_of_one_that_is_to_stay(project: Path, request_text: str, *, is_small: bool) -> None:
    (project / "test_calc.py").write_text(TEST)
    workspace = Workspace(project)
    workspace.memory.request = request_text
    policy = SMALL if is_small else PLAIN_EDITS
    assert edit_file(workspace, "test_calc.py", "== 5", "== -1", policy=policy).loses == (
        "`assert add(2, 3) == 5`",
    )


@pytest.mark.parametrize(
    "request_text", ["Change the tests to the new sum.", "Do not touch add; change test_calc.py.", "Test it."]
)
def test_of_one_that_may_change(project: Path, request_text: str) -> None:
    (project / "test_calc.py").write_text(TEST)
    workspace = Workspace(project)
    workspace.memory.request = request_text
    assert edit_file(workspace, "test_calc.py", "== 5", "== -1").loses == ()


@pytest.mark.parametrize(
    ("path", "after", "request_text"),
    [
        ("calc.py", "", "Fix the code."),
        ("contest.py", "", "Fix the code."),
        ("test_calc.py", f"{TEST}    assert 1\n", "Fix the code."),
        ("test_calc.py", TEST.replace("    assert", "        assert"), "Fix the code."),
        ("test_calc.py", "", "Fix the wrong number in test_calc.py."),
        ("test_calc.py", "", "Addition is modulo 5 from now on."),
        ("test_calc.py", "", "The tests fail since the change: update the tests so that they pass."),
        ("test_calc.py", "", "Fix the bug and add a test."),
    ],
)
def test_nothing_is_lost(path: str, after: str, request_text: str) -> None:
    assert lost_assertions(path, TEST, after, request_text) == ()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("edit_file", {"old_str": "== 5", "new_str": "== -1"}),
        ("write_file", {"content": "def test_add():\n    assert add(2, 3) == -1\n"}),
    ],
)
@pytest.mark.parametrize("is_small", [True, False])
def test_nobody_is_there_to_agree(
    project: Path, name: str, arguments: dict[str, str], *, is_small: bool
) -> None:
    (project / "test_calc.py").write_text(TEST)
    workspace = Workspace(project)
    policy = PermissionPolicy(surroundings_of(project), "all")
    tools = default_tools(workspace, edits=SMALL if is_small else PLAIN_EDITS)
    runner = ToolRunner(tools, workspace, policy, Unattended())
    runner.begin_turn("The tests fail. Fix the code.")
    calls = [
        ToolCall("read_file", {"path": "test_calc.py"}),
        ToolCall(name, {"path": "test_calc.py", **arguments}),
    ]
    _, answer = runner.answer(calls, "", 1)
    assert answer.result.status == ("error" if is_small else "ok")
    assert ("Change the code instead" in answer.result.text) is is_small
    assert ((project / "test_calc.py").read_text() == TEST) is is_small


def test_code_is_changed_by_a_small_model_too(project: Path) -> None:
    (project / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    workspace = Workspace(project)
    workspace.memory.request = "The tests fail. Fix the code."
    change = edit_file(workspace, "calc.py", "a - b", "a + b", policy=SMALL)
    assert (change.after, change.loses) == (b"def add(a, b):\n    return a + b\n", ())


def test_a_small_model_does_not_confirm_by_repeating(project: Path) -> None:
    workspace = Workspace(project)
    for _ in range(2):
        with pytest.raises(ToolError, match=r"was not created\. Correct the call\.$"):
            write_file(workspace, "a.py", "def f(:\n", policy=SMALL)
