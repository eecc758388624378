"""Takes the user's keys out of what happens in a turn, before anybody hears of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from text_agent.events import Event, EventSink, Notice, PlanUpdated, ToolFinished, ToolStarted, TurnFinished
from text_agent.text.masking import Masker


def mask_events(mask: Masker, sink: EventSink) -> EventSink:
    """A sink that tells `sink` everything, without keys.

    The pieces of a reply come without them from the provider: a key may be in two of them.
    """

    def tell(event: Event) -> None:
        sink(_masked(event, mask))

    return tell


def _masked(event: Event, mask: Masker) -> Event:
    match event:
        case Notice():
            return replace(event, text=mask(event.text))
        case PlanUpdated():
            return replace(event, steps=tuple(map(mask, event.steps)))
        case ToolStarted():
            arguments = {name: _in_value(value, mask) for name, value in event.call.arguments.items()}
            return replace(event, call=replace(event.call, arguments=arguments))
        case ToolFinished():
            result = replace(event.result, text=mask(event.result.text))
            change = event.change and replace(event.change, diff=mask(event.change.diff))
            return replace(event, result=result, diff=mask(event.diff), change=change)
        case TurnFinished():
            return replace(event, answer=mask(event.answer), message=mask(event.message))
        case _:
            return event


def _in_value(value: Any, mask: Masker) -> Any:
    """A value of a call, in which a key may stand that escapes hid in the reply."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {mask(str(name)): _in_value(each, mask) for name, each in value.items()}
    return [_in_value(each, mask) for each in value] if isinstance(value, list | tuple) else value
