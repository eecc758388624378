"""Takes the user's keys out of what happens in a turn, before anybody hears of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from text_agent.events import EventSink
from text_agent.text.masking import Masker


def mask_events(mask: Masker, sink: EventSink) -> EventSink:
    """Returns a sink that tells `sink` every event without keys: in each text, however deep it stands.

    The pieces of a reply come without them from the provider: a key may be in two of them.
    """
    return lambda event: sink(_masked(event, mask))


def _masked(value: Any, mask: Masker) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {_masked(key, mask): _masked(each, mask) for key, each in value.items()}
    if isinstance(value, list | tuple | frozenset):
        return type(value)(_masked(each, mask) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        given = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        return replace(value, **{name: _masked(each, mask) for name, each in given.items()})
    return value
