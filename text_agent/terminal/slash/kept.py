"""What happened in a chat, kept to be looked at again."""

from __future__ import annotations

from collections import OrderedDict

from text_agent.events import Event, PlanUpdated, ReplyFinished, ToolFinished, ToolStarted, TurnFinished
from text_agent.protocol.types import MalformedCall
from text_agent.terminal.output.tool_lines import describe_call, draw_plan

# Characters of results that are kept; the oldest go first.
_MAX_CHARS = 5_000_000
# More digits name nothing that there is, and Python refuses to read very many.
_MAX_DIGITS = 9


class Kept:
    """An event sink that keeps the last plan, the last answer, and calls with their results by number.

    `encoding`: what the screen can show.
    """

    def __init__(self, encoding: str) -> None:
        self.answer = ""
        self._encoding = encoding
        self._plan: PlanUpdated | None = None
        self._results: OrderedDict[int, str] = OrderedDict()
        self._call = ""
        self._malformed: list[str] = []

    def __call__(self, event: Event) -> None:
        """Keeps what the event brings."""
        match event:
            case PlanUpdated():
                self._plan = event
            case TurnFinished(answer=answer) if answer:
                self.answer = answer
            case ReplyFinished(reply=reply, parsed=parsed):
                broken = [call for call in parsed.calls if isinstance(call, MalformedCall)]
                self._malformed = [reply.text[call.span[0] : call.span[1]] for call in broken]
            case ToolStarted():
                self._call = describe_call(event)
            case ToolFinished(result=result, unseen_diff=diff):
                if event.refusal in ("malformed", "cut") and self._malformed:
                    self._call = self._malformed.pop(0)
                parts = (f"#{result.number} {self._call}", diff, result.text)
                self._keep(result.number, "\n".join(filter(None, parts)))
            case _:
                pass

    def clear(self) -> None:
        """Forgets the plan and the results."""
        self._plan = None
        self._results.clear()

    def plan(self) -> str:
        """The plan as it is drawn, or that there is none."""
        if self._plan is None:
            return "There is no plan: the model makes one for work of several steps."
        return "\n".join(draw_plan(self._plan, self._encoding))

    def result(self, argument: str) -> str:
        """The call `argument` names by its number, or the last one, with all of its result."""
        word = argument.strip().removeprefix("#")
        if not self._results:
            return "There is no result yet."
        first, last = next(iter(self._results)), next(reversed(self._results))
        number = typed_number(word) if word else last
        if number in self._results:
            return self._results[number]
        return f"There is no result {word!r}: say /show with a number from {first} to {last}."

    def _keep(self, number: int, text: str) -> None:
        self._results[number] = text
        total = sum(map(len, self._results.values()))
        while total > _MAX_CHARS and len(self._results) > 1:
            total -= len(self._results.popitem(last=False)[1])


def typed_number(word: str) -> int:
    """The whole number that `word` is; 0 if it is none, or too long to be meant."""
    return int(word) if word.isascii() and word.isdecimal() and len(word) <= _MAX_DIGITS else 0
