"""What a compaction keeps of a conversation word for word, and what it puts in the place of the rest."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from text_agent.config.limits import DROPPED_MAX_CHARS, DROPPED_REQUEST_CHARS
from text_agent.messages import Message
from text_agent.protocol.templates import fill_template
from text_agent.protocol.types import Plan
from text_agent.text.truncation import truncate


@dataclass(frozen=True, slots=True)
class Division:
    """A conversation, divided at a border where every call is answered."""

    head: tuple[Message, ...]  # what comes before the border
    tail: tuple[Message, ...]  # what comes after it, and is kept word for word

    def put_together(self, middle: str) -> list[Message]:
        """The first request, the plan, `middle` in the place of the rest of the head, and the tail.

        If the border lies within a turn, its request is kept, too.
        """
        requests = [message for message in self.head if message.kind == "request"]
        plan = last_plan(self.head)
        kept = [*requests[:1], *([Message("user", plan, "plan")] if plan else [])]
        kept.append(Message("user", middle, "summary"))
        in_turn = self.tail[0].kind != "request"
        return [*kept, *(requests[1:][-1:] if in_turn else []), *self.tail]


def divide(messages: Sequence[Message], size: Callable[[Message], int], room: int) -> Division | None:
    """Divides a conversation so that at most `room` of it is kept, and at least its last step.

    A turn's border is taken if there is one; in one long turn, a step's. `messages`: the conversation, ending
    with the user's side. `size`: of a message, in any measure. `room`: for what is kept, in the same measure.
    Returns None if nothing comes before the last step.
    """
    turns = [index for index, message in enumerate(messages) if message.kind == "request"][1:]
    steps = [index for index, message in enumerate(messages) if message.kind == "reply"][1:]
    left = list(itertools.accumulate(map(size, reversed(messages))))[::-1]
    fitting = [index for borders in (turns, steps) for index in borders if left[index] <= room]
    border = fitting[0] if fitting else max(turns[-1:] + steps[-1:], default=0)
    return Division(tuple(messages[:border]), tuple(messages[border:])) if border else None


def last_plan(head: Sequence[Message]) -> str:
    """The plan that holds at the end of `head`, as a text for the model; empty if there is none."""
    for message in reversed(head):
        if message.kind == "plan":
            return message.content
        plans = [result.plan for result in message.results if result.plan]
        if plans:
            return _render_plan(plans[-1])
    return ""


def summary_of(text: str, head: Sequence[Message], most: int) -> str:
    """A summary by the model as the conversation carries it.

    What the user asked stands below it in at most `most` characters: small models forget agreements.
    """
    summary = fill_template("summary", summary=text.strip())
    return "\n\n".join([summary, *_requests(head, most)])


def summary_of_nobody(head: Sequence[Message], most: int) -> str:
    """What stands for the head where the model has not summarised it: what the user asked."""
    summaries = [message.content for message in head if message.kind == "summary"][-1:]
    parts = [fill_template("dropped", count=len(head))]
    parts += [truncate(each, DROPPED_MAX_CHARS) for each in summaries]
    return "\n\n".join([*parts, *_requests(head, most)])


def _requests(head: Sequence[Message], most: int) -> list[str]:
    """The user's requests but for the first one, which is kept whole."""
    requests = [" ".join(message.content.split()) for message in head if message.kind == "request"][1:]
    listed = "\n".join(f"- {truncate(each, DROPPED_REQUEST_CHARS)}" for each in requests)
    kept = truncate(listed, most)
    return [fill_template("dropped_requests", requests=kept)] if requests else []


def _render_plan(plan: Plan) -> str:
    listed = [
        f"{number}. {step}{' (done)' if number in plan.done else ''}"
        for number, step in enumerate(plan.steps, 1)
    ]
    return fill_template("kept_plan", plan="\n".join(listed))
