"""What a compaction keeps of a conversation, and what it makes shorter or puts in the place of the rest."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from text_agent.config.limits import DROPPED_MAX_CHARS, DROPPED_REQUEST_CHARS, SHORT_RESULT_CHARS
from text_agent.messages import Message, ResultSpan
from text_agent.protocol.templates import fill_template
from text_agent.protocol.types import Plan
from text_agent.text.truncation import truncate

# The least that is left of a message, in characters.
_LEAST_CHARS = 200


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


def shorten_results(messages: Sequence[Message], whole: int) -> list[Message]:
    """Shortens the results of old steps; the `whole` newest, and errors, stay as they are."""
    results = [index for index, message in enumerate(messages) if message.kind == "results"]
    old = set(results[:-whole])
    return [
        _with_results(message, _shortened) if index in old else message
        for index, message in enumerate(messages)
    ]


def squeeze(messages: Sequence[Message], fits: Callable[[Sequence[Message]], bool]) -> list[Message]:
    """Cuts the middle of the longest texts until `fits` says that it is enough, or nothing is left to cut."""
    squeezed = list(messages)
    limit = max((len(message.content) for message in messages), default=0)
    while not fits(squeezed) and limit > _LEAST_CHARS:
        limit = max(limit * 3 // 4, _LEAST_CHARS)
        squeezed = [_cut(message, limit) for message in messages]
    return squeezed


def _cut(message: Message, limit: int) -> Message:
    if len(message.content) <= limit:
        return message
    if not message.results:
        return replace(message, content=truncate(message.content, limit))
    share = max(limit // len(message.results), _LEAST_CHARS)
    return _with_results(message, lambda _, text: truncate(text, share))


def _with_results(message: Message, change: Callable[[ResultSpan, str], str]) -> Message:
    """The message with another text for each of its results."""
    content, done = "", 0
    results: list[ResultSpan] = []
    for result in message.results:
        start, end = result.span
        content += message.content[done:start]
        text = change(result, message.content[start:end])
        results.append(replace(result, span=(len(content), len(content) + len(text))))
        content += text
        done = end
    return replace(message, content=content + message.content[done:], results=tuple(results))


def _shortened(result: ResultSpan, text: str) -> str:
    if result.status != "ok" or len(text) <= 2 * SHORT_RESULT_CHARS:
        return text
    kept = text[: text.rfind("\n", 0, SHORT_RESULT_CHARS) + 1]
    note = fill_template("shortened_result", count=f"{len(text) - len(kept):,}", name=result.name)
    return kept + note
