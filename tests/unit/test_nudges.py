"""What a model is told once when it ends a turn too early."""

from pathlib import Path

import pytest

from text_agent.agent.small_models.nudges import choose_nudge
from text_agent.agent.turn import TurnFacts
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import Effect
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.types import ResultStatus, ToolResult
from text_agent.tools.registry import ToolRegistry, default_tools

BLOCK = "```python\nx = 1\n```"


@pytest.fixture
def tools(tmp_path: Path) -> ToolRegistry:
    return default_tools(Workspace(tmp_path))


def facts(request: str, *results: tuple[Effect | None, ResultStatus], **known: object) -> TurnFacts:
    turn = TurnFacts(request, **known)  # type: ignore[arg-type]
    for effect, status in results:
        turn.note(ToolResult(1, "x", status, "text"), effect)
    return turn


def test_text_that_was_shown_is_asked_for_as_a_call(tools: ToolRegistry) -> None:
    nudge = choose_nudge(facts("Create a.py"), BLOCK, tools, is_small_model=True)
    (call,) = parse_reply(nudge, tools).calls
    assert (call.name, getattr(call, "arguments", None)) == (
        "write_file",
        {"path": "a.py", "content": "x = 1"},
    )


@pytest.mark.parametrize(
    ("turn", "answer"),
    [
        (facts("Create a.py", texts={"a.py": "x = 1\n"}), BLOCK),
        (facts("Create a.py", ("write", "ok")), BLOCK),
        (facts("What is in a.md? Number only", texts={"a.md": "Months: 6\nHeight: 2\n"}), "```\n6\n```"),
        (facts("What is x?"), "It is 1."),
        (facts("Change it", ("write", "error"), ("write", "ok")), "Done."),
        (facts("Change it", ("write", "ok"), ("write", "error")), "Done."),
        (facts("Change it", ("write", "denied")), "As you like."),
        (facts("Who?", ("read", "ok"), sees_all=False), "Me."),
        (facts("Fix it", ("write", "ok")), "Done."),
        (facts("Fix it", (None, "error")), "I cannot."),
    ],
)
def test_an_answer(tools: ToolRegistry, turn: TurnFacts, answer: str) -> None:
    assert choose_nudge(turn, answer, tools, is_small_model=True) == ""


def test_a_new_version_of_a_file_is_asked_for(tools: ToolRegistry) -> None:
    turn = facts("Fix a.py", texts={"a.py": "x = 1\ny = 2\n"})
    assert "write_file" in choose_nudge(turn, "```\nx = 1\ny = 3\n```", tools, is_small_model=True)


def test_a_failed_change_is_not_a_change_and_that_is_said_once(tools: ToolRegistry) -> None:
    turn = facts("Fix it", ("write", "error"))
    assert "failed" in choose_nudge(turn, "I have fixed it.", tools, is_small_model=True)
    assert choose_nudge(turn, "I have fixed it.", tools, is_small_model=True) == ""


@pytest.mark.parametrize(
    ("request_text", "pattern"),
    [("Where is load_all?", "load_all"), ("Where is loadAll?", "loadAll"), ("Where is `total`?", "total")],
)
def test_who_has_not_looked_is_given_a_search(tools: ToolRegistry, request_text: str, pattern: str) -> None:
    nudge = choose_nudge(facts(request_text, sees_all=False), "In a.py.", tools, is_small_model=True)
    (call,) = parse_reply(nudge, tools).calls
    assert getattr(call, "arguments", None) == {"pattern": pattern}


def test_who_has_not_looked_and_names_nothing_is_told_to(tools: ToolRegistry) -> None:
    nudge = choose_nudge(facts("What is this?", sees_all=False), "A shop.", tools, is_small_model=True)
    assert "Look first with search." in nudge


def with_plan(turn: TurnFacts, text: str) -> TurnFacts:
    turn.note(ToolResult(1, "update_plan", "ok", text), "read")
    return turn


def test_an_open_plan_and_an_announcement_are_told_once(tools: ToolRegistry) -> None:
    summary = "plan: 1 of 2 steps done; next: 2. Write it"
    turn = with_plan(facts("Do it"), f"{summary}\n\nThis is the same call with the same result as before.")
    assert "an open step: 2. Write it\n" in choose_nudge(turn, "Done.", tools, is_small_model=True)
    assert choose_nudge(turn, "I will now write it.", tools, is_small_model=True) == ""
    turn = with_plan(facts("Do it"), summary)
    assert "holds no call" in choose_nudge(turn, "I will now write it.", tools, is_small_model=True)
    assert choose_nudge(turn, "Done.", tools, is_small_model=True) == ""


def test_a_finished_plan_and_a_denied_one_are_left_alone(tools: ToolRegistry) -> None:
    turn = with_plan(
        with_plan(facts("Do it"), "plan: 0 of 1 steps done; next: 1. Do"), "plan: 1 of 1 steps done"
    )
    assert choose_nudge(turn, "Done.", tools, is_small_model=True) == ""
    turn = with_plan(facts("Do it", ("write", "denied")), "plan: 0 of 1 steps done; next: 1. Do")
    assert choose_nudge(turn, "I will now do it.", tools, is_small_model=True) == ""


@pytest.mark.parametrize("request_text", ["Create a.py", "Where is load_all?"])
def test_a_model_that_is_not_small_ends_as_it_likes(tools: ToolRegistry, request_text: str) -> None:
    turn = facts(request_text, ("write", "error"), sees_all=False)
    assert choose_nudge(turn, BLOCK, tools) == ""
    assert choose_nudge(turn, BLOCK, tools, is_small_model=True) != ""
