"""The tool that shows the user what the model is about to do, and how far it has come."""

from __future__ import annotations

from text_agent.config.limits import PLAN_MAX_STEPS
from text_agent.errors import ToolError
from text_agent.protocol.tool import ToolWords
from text_agent.protocol.types import Plan
from text_agent.tools.tool import Declaration, Outcome


@Declaration(
    "plans",
    rank=7,
    paths=(),
    words=ToolWords(
        names="plan todo todo_write write_todos update_todos update_todo_list set_plan make_plan",
        parameters={
            "steps": "plan todo todos tasks items step_list plan_steps",
            "done": "completed finished complete done_steps completed_steps",
        },
        payload="",
    ),
)
def update_plan(steps: list[str], done: list[int] = []) -> Outcome:  # noqa: B006 - the model sees it
    """Shows the user a plan of several steps; `done` has the numbers of the steps that are finished."""
    texts = tuple(" ".join(step.split()) for step in steps)
    if not texts or not all(texts):
        raise ToolError("The plan has no steps, or an empty one. Give each step a few words.")
    if len(texts) > PLAN_MAX_STEPS:
        raise ToolError(f"The plan has {len(texts)} steps; at most {PLAN_MAX_STEPS} are shown. Join some.")
    unknown = sorted(number for number in set(done) if not 1 <= number <= len(texts))
    if unknown:
        raise ToolError(f"There is no step {unknown[0]}: the steps are numbered 1 to {len(texts)}.")
    plan = Plan(texts, frozenset(done))
    return Outcome(plan.summary, plan=plan)
