"""What a model is told once when it ends a turn too early."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from text_agent.agent.answers import Answer
from text_agent.agent.final_answer import describe_unfinished
from text_agent.agent.small_models.objections import choose_nudge
from text_agent.agent.truth import judge_answer, render_objection, shown_files
from text_agent.agent.turn import Turn
from text_agent.files.workspace import Workspace
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.types import Plan, ResultStatus, ToolKind, ToolResult
from text_agent.tools.registry import ToolRegistry, default_tools

BLOCK = "```python\nx = 1\n```"


@pytest.fixture
def tools(tmp_path: Path) -> ToolRegistry:
    return default_tools(Workspace(tmp_path))


def facts(request: str, *results: tuple[ToolKind | None, ResultStatus]) -> Turn:
    turn = Turn(request)
    for kind, status in results:
        turn.note(Answer(ToolResult(1, "x", status, "text")), kind)
    return turn


def nudge_of(
    turn: Turn,
    answer: str,
    tools: ToolRegistry,
    *,
    texts: Mapping[str, str] = MappingProxyType({}),
    sees_all: bool = True,
) -> str:
    """What a small model is told."""

    def read(path: str) -> str:
        return texts.get(path, "")

    judgement = judge_answer(turn, answer, (), read, has_past=False)
    shown = shown_files(turn.request, answer, read)
    objection = render_objection(turn, judgement.untrue, shown, tools) if judgement.untrue else ""
    told = turn.first_new({"untrue": objection})
    nudge = told or choose_nudge(turn, tools, lambda _: (), sees_all=sees_all)
    return nudge or describe_unfinished(turn, answer)


def test_text_that_was_shown_is_asked_for_as_a_call(tools: ToolRegistry) -> None:
    nudge = nudge_of(facts("Create a.py"), BLOCK, tools)
    (call,) = parse_reply(nudge, tools).calls
    assert (call.name, getattr(call, "arguments", None)) == (
        "write_file",
        {"path": "a.py", "content": "x = 1"},
    )


@pytest.mark.parametrize(
    ("turn", "answer", "shown"),
    [
        (facts("Create a.py"), BLOCK, {"texts": {"a.py": "x = 1\n"}}),
        (facts("Create a.py", ("changes", "ok")), BLOCK, {}),
        (facts("What is in a.md? Number only"), "```\n6\n```", {"texts": {"a.md": "Months: 6\nHeight: 2\n"}}),
        (facts("What is x?"), "It is 1.", {}),
        (facts("Change it", ("changes", "error"), ("changes", "ok")), "Done.", {}),
        (facts("Change it", ("changes", "ok"), ("changes", "error")), "Done.", {}),
        (facts("Change it", ("changes", "denied")), "As you like.", {}),
        (facts("Who?", ("looks", "ok")), "Me.", {"sees_all": False}),
        (facts("Fix it", ("changes", "ok")), "Done.", {}),
        (facts("Fix it", (None, "error")), "I cannot.", {}),
    ],
)
def test_an_answer(tools: ToolRegistry, turn: Turn, answer: str, shown: dict[str, Any]) -> None:
    assert nudge_of(turn, answer, tools, **shown) == ""


def test_a_new_version_of_a_file_is_asked_for(tools: ToolRegistry) -> None:
    turn = facts("Fix a.py")
    nudge = nudge_of(turn, "```\nx = 1\ny = 3\n```", tools, texts={"a.py": "x = 1\ny = 2\n"})
    assert "write_file" in nudge


def test_a_failed_change_is_not_a_change_and_that_is_said_once(tools: ToolRegistry) -> None:
    turn = facts("Fix it", ("changes", "error"))
    assert "failed" in nudge_of(turn, "I have fixed it.", tools)
    assert nudge_of(turn, "I have fixed it.", tools) == ""


@pytest.mark.parametrize(
    ("request_text", "pattern"),
    [("Where is load_all?", "load_all"), ("Where is loadAll?", "loadAll"), ("Where is `total`?", "total")],
)
def test_who_has_not_looked_is_given_a_search(tools: ToolRegistry, request_text: str, pattern: str) -> None:
    nudge = nudge_of(facts(request_text), "In a.py.", tools, sees_all=False)
    (call,) = parse_reply(nudge, tools).calls
    assert getattr(call, "arguments", None) == {"pattern": pattern}


def test_who_has_not_looked_and_names_nothing_is_told_to(tools: ToolRegistry) -> None:
    nudge = nudge_of(facts("What is this?"), "A shop.", tools, sees_all=False)
    assert "Look first with search." in nudge


def with_plan(turn: Turn, plan: Plan) -> Turn:
    turn.note(Answer(ToolResult(1, "update_plan", "ok", plan.summary, plan=plan)), "plans")
    return turn


def test_an_open_plan_and_an_announcement_are_told_once(tools: ToolRegistry) -> None:
    plan = Plan(("Read it; next: 3. Guess", "Write it"), frozenset({1}))
    turn = with_plan(facts("Do it"), plan)
    assert "an open step: 2. Write it\n" in nudge_of(turn, "Done.", tools)
    assert nudge_of(turn, "I will now write it.", tools) == ""
    turn = with_plan(facts("Do it"), plan)
    assert "holds no call" in nudge_of(turn, "I will now write it.", tools)
    assert nudge_of(turn, "Done.", tools) == ""


def test_a_finished_plan_and_a_denied_one_are_left_alone(tools: ToolRegistry) -> None:
    turn = with_plan(with_plan(facts("Do it"), Plan(("Do",))), Plan(("Do",), frozenset({1})))
    assert nudge_of(turn, "Done.", tools) == ""
    turn = with_plan(facts("Do it", ("changes", "denied")), Plan(("Do",)))
    assert nudge_of(turn, "I will now do it.", tools) == ""


@pytest.mark.parametrize("request_text", ["Create a.py", "Where is load_all?"])
def test_a_model_that_is_not_small_ends_as_it_likes(tools: ToolRegistry, request_text: str) -> None:
    turn = facts(request_text, ("changes", "error"))
    assert describe_unfinished(turn, BLOCK) == ""
    assert nudge_of(turn, BLOCK, tools, sees_all=False) != ""
