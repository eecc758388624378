"""Keeps what was folded on the screen, to be looked at again."""

from __future__ import annotations

from collections import OrderedDict

from text_agent.events import Event, ReplyFinished, ToolFinished, ToolStarted
from text_agent.protocol.types import MalformedCall
from text_agent.terminal.output.numbers import typed_number
from text_agent.terminal.output.tool_lines import describe_call

# Characters of results that are kept; the oldest go first.
_MAX_CHARS = 5_000_000


class ResultBoard:
    """An event sink that keeps calls with their results, by number."""

    def __init__(self) -> None:
        self._shown: OrderedDict[int, str] = OrderedDict()
        self._call = ""
        self._malformed: list[str] = []

    def __call__(self, event: Event) -> None:
        """Keeps what the event brings."""
        match event:
            case ReplyFinished(reply=reply, parsed=parsed):
                broken = [call for call in parsed.calls if isinstance(call, MalformedCall)]
                self._malformed = [reply.text[call.span[0] : call.span[1]] for call in broken]
            case ToolStarted():
                self._call = describe_call(event)
            case ToolFinished(result=result, diff=diff):
                if event.refusal in ("malformed", "cut") and self._malformed:
                    self._call = self._malformed.pop(0)
                text = "\n".join(
                    part for part in (f"#{result.number} {self._call}", diff, result.text) if part
                )
                self._keep(result.number, text)
            case _:
                pass

    def clear(self) -> None:
        """Forgets all."""
        self._shown.clear()

    def show(self, argument: str) -> str:
        """The call `argument` names by its number, or the last one, with all of its result."""
        word = argument.strip().removeprefix("#")
        if not self._shown:
            return "There is no result yet."
        if not word:
            return self._shown[next(reversed(self._shown))]
        number = typed_number(word)
        if number in self._shown:
            return self._shown[number]
        first, last = next(iter(self._shown)), next(reversed(self._shown))
        return f"There is no result {word!r}: say /show with a number from {first} to {last}."

    def _keep(self, number: int, text: str) -> None:
        self._shown[number] = text
        total = sum(map(len, self._shown.values()))
        while total > _MAX_CHARS and len(self._shown) > 1:
            total -= len(self._shown.popitem(last=False)[1])
