from __future__ import annotations

import pytest

from text_agent.config.limits import PLAN_MAX_STEPS
from text_agent.errors import ToolError
from text_agent.events import Notice, PlanUpdated
from text_agent.protocol.types import Plan
from text_agent.terminal.output.tool_lines import draw_plan
from text_agent.terminal.slash.kept import Kept
from text_agent.tools.update_plan import update_plan

STEPS = ["Read the tests", "Fix add", "Run the tests"]


def test_a_plan_is_told_and_the_next_step_is_named() -> None:
    assert update_plan(STEPS).text == "plan: 0 of 3 steps done; next: 1. Read the tests"
    assert update_plan(STEPS, [1, 3, 1]).text == "plan: 2 of 3 steps done; next: 2. Fix add"
    assert update_plan(STEPS, [3, 2, 1]).text == "plan: 3 of 3 steps done"
    assert update_plan(STEPS, [1, 3, 1]).plan == Plan(tuple(STEPS), frozenset({1, 3}))


def test_a_step_is_one_line() -> None:
    assert update_plan(["  Fix\n  add  "]).text == "plan: 0 of 1 steps done; next: 1. Fix add"


@pytest.mark.parametrize(
    ("steps", "done", "problem"),
    [
        ([], [], "no steps"),
        (["a", " "], [], "empty one"),
        (["a"], [0], "There is no step 0: the steps are numbered 1 to 1."),
        (["a", "b"], [1, 7, 3], "There is no step 3"),
        (["a"], [-1], "no step -1"),
        (["a"] * (PLAN_MAX_STEPS + 1), [], f"at most {PLAN_MAX_STEPS}"),
    ],
)
def test_a_plan_that_is_none_is_refused(steps: list[str], done: list[int], problem: str) -> None:
    with pytest.raises(ToolError, match=problem):
        update_plan(steps, done)


@pytest.mark.parametrize(
    ("encoding", "lines"),
    [
        ("utf-8", ["  \u2611 1. a", "  \u2610 2. b"]),
        ("ascii", ["  [x] 1. a", "  [ ] 2. b"]),
        ("cp1252", ["  [x] 1. a", "  [ ] 2. b"]),
        ("no such encoding", ["  [x] 1. a", "  [ ] 2. b"]),
    ],
)
def test_a_checklist(encoding: str, lines: list[str]) -> None:
    assert draw_plan(PlanUpdated(("a", "b"), frozenset({1})), encoding) == lines


def test_the_board_keeps_the_last_plan() -> None:
    board = Kept("ascii")
    assert "no plan" in board.plan()
    board(PlanUpdated(("a",)))
    board(PlanUpdated(("a", "b"), frozenset({1})))
    board(Notice("something else"))
    assert board.plan() == "  [x] 1. a\n  [ ] 2. b"
    board.clear()
    assert "no plan" in board.plan()
