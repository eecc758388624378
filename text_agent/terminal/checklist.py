"""Draws the model's plan."""

from __future__ import annotations

from text_agent.events import Event, PlanUpdated

_MARKS = ("\u2611", "\u2610")
_ASCII_MARKS = ("[x]", "[ ]")


def draw_checklist(plan: PlanUpdated, encoding: str) -> list[str]:
    """The plan's lines, a mark before each step; in ASCII where `encoding` cannot show more."""
    try:
        "".join(_MARKS).encode(encoding)
        done, open_ = _MARKS
    except (UnicodeEncodeError, LookupError):
        done, open_ = _ASCII_MARKS
    return [
        f"  {done if number in plan.done else open_} {number}. {step}"
        for number, step in enumerate(plan.steps, 1)
    ]


class PlanBoard:
    """An event sink that keeps the last plan, to be looked at again."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._plan: PlanUpdated | None = None

    def __call__(self, event: Event) -> None:
        """Keeps the plan, if it is one."""
        if isinstance(event, PlanUpdated):
            self._plan = event

    def clear(self) -> None:
        """Forgets it."""
        self._plan = None

    def text(self) -> str:
        """The plan as it is drawn, or that there is none."""
        if self._plan is None:
            return "There is no plan: the model makes one for work of several steps."
        return "\n".join(draw_checklist(self._plan, self._encoding))
