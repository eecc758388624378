"""A model that goes round in circles is noticed, and one that makes progress is left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.surroundings import surroundings_of
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.types import ToolCall
from text_agent.tools.registry import default_tools

Call = tuple[str, dict[str, Any]]


class Model:
    """Calls tools, one a reply, and keeps what it was told."""

    def __init__(self, folder: Path) -> None:
        workspace = Workspace(folder)
        policy = PermissionPolicy(surroundings_of(folder), "all")
        self.runner = ToolRunner(default_tools(workspace), workspace, policy, Unattended())
        self.statuses: list[str] = []
        self.told: list[bool] = []

    def call(self, name: str, **arguments: Any) -> str:
        (answer,) = self.runner.answer([ToolCall(name, arguments)], "", len(self.told) + 1)
        self.statuses.append(answer.result.status)
        self.told.append("same call" in answer.result.text or "made twice already" in answer.result.text)
        return answer.result.text

    def calls_until_stopped(self, *cycle: Call, most: int = 40) -> int:
        """How many calls of an endless cycle it makes until the turn would end; `most` if it does not."""
        for count in range(most):
            if self.runner.is_circling:
                return count
            name, arguments = cycle[count % len(cycle)]
            self.call(name, **arguments)
        return most


@pytest.fixture
def model(project: Path) -> Model:
    (project / "src").mkdir()
    (project / "src/a.py").write_text("one\ntwo\nthree\n")
    return Model(project)


LIST: Call = ("list_files", {})
READ: Call = ("read_file", {"path": "src/a.py"})
FAIL: Call = ("run_command", {"command": "exit 1"})
MISS: Call = ("edit_file", {"path": "src/a.py", "old_str": "four", "new_str": "4"})
SAME: Call = ("write_file", {"path": "src/a.py", "content": "one\ntwo\nthree\n"})
UNKNOWN: Call = ("python", {"code": "1"})
WRONG: Call = ("read_file", {"file": 3, "other": 4})


@pytest.mark.parametrize(
    "cycle",
    [
        [READ],
        [FAIL],
        [MISS],
        [SAME],
        [UNKNOWN],
        [WRONG],
        [READ, FAIL],
        [LIST, READ, MISS],
        [SAME, MISS, FAIL],
    ],
    ids=lambda cycle: json.dumps(cycle),
)
def test_every_circle_ends_soon(model: Model, cycle: list[Call]) -> None:
    assert model.calls_until_stopped(*cycle) <= 2 * len(cycle) + 2
    assert model.statuses[-1] == "not run"


@pytest.mark.parametrize(
    "spellings",
    [
        [{"path": "src/a.py"}, {"path": "./src/a.py"}, {"path": " src//a.py"}, {"path": "src/../src/a.py"}],
        [{"path": "src/a.py"}, {"file_path": "src/a.py"}, {"path": "src/a.py", "start": 1}],
        [{"path": "../x"}, {"file_path": "../x"}, {"path": "../x", "start": 1}],
        [{"path": "no.py"}, {"path": "./no.py"}, {"path": "src/../no.py"}],
    ],
)
def test_the_same_reading_in_another_spelling_is_refused(
    model: Model, spellings: list[dict[str, Any]]
) -> None:
    for spelling in spellings[:2]:
        model.call("read_file", **spelling)
    assert model.told == [False, True]
    model.call("read_file", **spellings[2])
    assert model.statuses[-1] == "not run"


def test_an_absolute_path_is_the_same(model: Model, project: Path) -> None:
    for path in ("src/a.py", str(project / "src/a.py"), "src/a.py"):
        model.call("read_file", path=path)
    assert model.statuses == ["ok", "ok", "not run"]


def test_a_plain_command_in_other_quotes_and_blanks_is_refused(model: Model) -> None:
    for command in ("cat src/a.py nothing", "cat  'src/a.py' nothing", 'cat "src/a.py"   nothing '):
        model.call("run_command", command=command)
    assert model.statuses == ["error", "error", "not run"]


@pytest.mark.parametrize(
    "commands",
    [
        ("echo $HOME; exit 1", "echo '$HOME'; exit 1"),
        ("cat *.md", "cat '*.md'"),
        ("python3 - <<E\nif 1:\nexit(1)\nE", "python3 - <<E\nif 1:\n  exit(1)\nE"),
        ("echo 'open", "echo 'open "),
    ],
)
def test_a_command_that_may_mean_something_else_is_run(model: Model, commands: tuple[str, str]) -> None:
    for _ in range(2):
        model.call("run_command", command=commands[0])
    model.call("run_command", command=commands[1])
    assert "not run" not in model.statuses


def test_trifles_that_change_no_result_are_a_circle_although_each_call_is_run(model: Model) -> None:
    for blanks in range(6):
        model.call("edit_file", path="src/a.py", old_str=f"f{' ' * blanks}our", new_str="4")
    assert set(model.statuses) == {"error"}
    assert model.told[:2] == [False, True]
    assert model.runner.is_circling


def test_a_limit_that_is_raised_by_one_again_and_again_is_a_circle(model: Model) -> None:
    cycle: list[Call] = [("read_file", {"path": "src/a.py", "end": end}) for end in range(100, 140)]
    assert model.calls_until_stopped(*cycle) == 4
    assert model.statuses == ["ok"] * 4


def test_reading_on_is_progress(model: Model, project: Path) -> None:
    (project / "long.txt").write_text("\n".join(f"line {number}" for number in range(1000)))
    cycle: list[Call] = [
        ("read_file", {"path": "long.txt", "start": n, "end": n + 9}) for n in range(1, 400, 10)
    ]
    assert model.calls_until_stopped(*cycle) == 40
    assert not any(model.told)


def test_polling_is_progress_as_long_as_something_changes(model: Model, project: Path) -> None:
    log = project / "log"
    log.write_text("")
    for number in range(12):
        with log.open("a") as file:
            file.write(f"{number}\n")
        model.call("run_command", command="true")
        model.call("read_file", path="log")
        model.call("run_command", command="tail -1 log")
    assert set(model.statuses) == {"ok"}
    assert not any(model.told)
    assert model.calls_until_stopped(("run_command", {"command": "true"}), ("read_file", {"path": "log"})) < 8


def test_a_test_run_that_only_takes_another_time_is_the_same(model: Model, project: Path) -> None:
    (project / "count").write_text("0")
    command = 'n=$(($(cat count)+1)); echo $n > count; echo "1 failed in 0.${n}s"; exit 1'
    assert model.calls_until_stopped(("run_command", {"command": command})) == 4


def test_what_is_new_between_two_refusals_keeps_the_turn_going(model: Model, project: Path) -> None:
    for number in range(10):
        (project / f"{number}.txt").write_text(str(number))
    model.call(*LIST[:1])
    model.call(*LIST[:1])
    for number in range(10):
        model.call(*LIST[:1])
        model.call("read_file", path=f"{number}.txt")
    assert model.statuses[2:] == ["not run", "ok"] * 10
    assert not model.runner.is_circling


def test_a_change_lets_every_call_be_made_again(model: Model, project: Path) -> None:
    (project / "n.txt").write_text("0")
    for number in range(8):
        model.call("run_command", command="grep -q right n.txt")
        model.call("edit_file", path="n.txt", old_str=str(number), new_str=str(number + 1))
    assert model.statuses == ["error", "ok"] * 8
    assert not any(model.told)


def test_a_new_turn_begins_anew(model: Model) -> None:
    assert model.calls_until_stopped(READ) == 4
    model.runner.begin_turn("again")
    assert not model.runner.is_circling
    model.call(READ[0], **READ[1])
    assert model.statuses[-1] == "ok"
    assert not model.told[-1]


def test_a_reply_with_the_same_call_many_times_is_told_so_before_its_turn_ends(model: Model) -> None:
    for _ in range(2):
        assert not model.runner.is_circling
        calls = [ToolCall("list_files", {}) for _ in range(8)]
        answers = list(model.runner.answer(calls, "", 1))
    assert [answer.result.status for answer in answers] == ["not run"] * 8
    assert model.runner.is_circling
