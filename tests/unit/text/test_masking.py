"""No key leaves."""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.scripted_provider import ScriptedProvider
from text_agent.errors import AuthenticationError
from text_agent.events import (
    Event,
    Notice,
    PlanUpdated,
    StepStarted,
    TextReceived,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from text_agent.messages import CompletionRequest, Message, ReasoningDelta, Reply, ReplyEnd, TextDelta
from text_agent.protocol.types import AppliedChange, Plan, ToolCall, ToolResult
from text_agent.providers.masked import MaskedProvider
from text_agent.text.masking import MASK, Masker, StreamMasker, mask_events, mask_log

KEY = "sk-abcdefghijklmnop"
LONGER = KEY + "-longer"


def test_keys_are_masked_the_longest_first() -> None:
    mask = Masker([KEY, LONGER, "short", ""])
    assert mask(f"a {KEY} b {LONGER} c short") == f"a {MASK} b {MASK} c short"
    assert Masker()(KEY) == KEY


@given(
    st.lists(st.sampled_from([KEY, KEY[:9], "sk-", "s", "a", " ", KEY[9:], LONGER, "\n"]), max_size=12),
    st.data(),
)
def test_a_key_in_two_pieces_is_masked(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    masker = StreamMasker(Masker([KEY]))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    shown = "".join([*map(masker.feed, pieces), masker.finish()])
    assert KEY not in shown
    assert shown == text.replace(KEY, MASK)


def test_a_provider_sees_no_key_and_gives_none() -> None:
    inner = ScriptedProvider([f"it is {KEY}, yes"], piece=4)
    provider = MaskedProvider(inner, Masker([KEY]))
    request = CompletionRequest(f"system {KEY}", (Message("user", f"my key is {KEY}"),), 10)
    pieces = list(provider.complete(request))
    assert KEY not in repr(inner.requests)
    text = "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))
    assert text == f"it is {MASK}, yes"
    assert isinstance(pieces[-1], ReplyEnd)
    assert (provider.name, provider.model) == ("scripted", "scripted-model")
    provider.close()


def test_an_error_holds_no_key() -> None:
    error = AuthenticationError(f"invalid key {KEY}", hint=f"not {KEY}")
    provider = MaskedProvider(ScriptedProvider([error]), Masker([KEY]))
    with pytest.raises(AuthenticationError) as caught:
        list(provider.complete(CompletionRequest("", (Message("user", "x"),), 10)))
    assert str(caught.value) == f"invalid key {MASK}"
    assert caught.value.hint == f"not {MASK}"


def test_reasoning_is_masked_too() -> None:
    class Thinking(ScriptedProvider):
        def complete(self, request: CompletionRequest):  # type: ignore[no-untyped-def]
            yield ReasoningDelta(KEY[:5])
            yield ReasoningDelta(KEY[5:])
            yield ReplyEnd("end_turn")

    pieces = list(MaskedProvider(Thinking([]), Masker([KEY])).complete(CompletionRequest("", (), 1)))
    assert "".join(piece.text for piece in pieces if isinstance(piece, ReasoningDelta)) == MASK


def test_a_reply_that_is_left_is_closed() -> None:
    inner = ScriptedProvider([Reply("word " * 20, "end_turn")])
    pieces = MaskedProvider(inner, Masker([KEY])).complete(CompletionRequest("", (), 1))
    next(pieces)
    pieces.close()
    assert inner.closed_early == 1


def test_the_log_holds_no_key(project: Path) -> None:
    own, stream = logging.getLogger("text_agent"), io.StringIO()
    before = own.handlers
    try:
        mask_log(Masker([KEY]), stream)
        try:
            raise ValueError(f"bad {KEY}")
        except ValueError:
            logging.getLogger("text_agent.agent.runner").exception("it failed with %s", KEY)
    finally:
        own.handlers = before
    assert KEY not in stream.getvalue()
    assert f"ValueError: bad {MASK}" in stream.getvalue()


def filled(kind: Any) -> Any:
    """A value of a type, with a key in each text of it."""
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        return kind(**{each.name: filled(hints[each.name]) for each in fields(kind) if each.init})
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return filled(parts[0])
    if origin is Literal:
        return parts[0]
    if origin is None:
        return {str: KEY, int: 1, float: 1.0, bool: True, Any: KEY}[kind]
    if issubclass(origin, Mapping):
        return {filled(parts[0]): filled(parts[1])}
    return (list if origin is list else tuple)(filled(part) for part in parts if part is not ...)


@pytest.mark.parametrize("kind", get_args(Event))
def test_no_text_of_any_event_holds_a_key(kind: type) -> None:
    heard: list[Event] = []
    mask_events(Masker([KEY]), heard.append)(filled(kind))
    assert isinstance(heard[0], kind)
    assert KEY not in repr(heard)


@dataclass(frozen=True)
class FileSeen:
    """An event of a kind that nobody has thought of."""

    path: object


@pytest.mark.parametrize("path", [Path(KEY), KEY.encode(), object(), [Path(KEY)], {1: Path(KEY)}])
def test_what_cannot_be_masked_is_told_to_nobody(path: object) -> None:
    heard: list[Event] = []
    with pytest.raises(TypeError, match="no text can be changed"):
        mask_events(Masker([KEY]), heard.append)(FileSeen(path))  # type: ignore[arg-type]
    assert heard == []


@pytest.mark.parametrize("path", [KEY, (KEY,), [{KEY: {KEY}}], {"a": frozenset({KEY})}, FileSeen(KEY)])
def test_an_event_of_any_kind_is_masked(path: object) -> None:
    heard: list[Event] = []
    mask_events(Masker([KEY]), heard.append)(FileSeen(path))  # type: ignore[arg-type]
    assert len(heard) == 1
    assert KEY not in repr(heard)


def test_no_event_holds_a_key() -> None:
    heard: list[Event] = []
    tell = mask_events(Masker([KEY]), heard.append)
    call = ToolCall("run_command", {"command": f"echo {KEY}", "more": [{KEY: KEY}, 1], "timeout": 5})
    events: list[Event] = [
        StepStarted(1, 2),
        TextReceived("text"),
        ToolStarted(1, call),
        ToolFinished(
            ToolResult(
                1, "x", "ok", f"it is {KEY}", output=KEY, change=AppliedChange(KEY, KEY), plan=Plan((KEY,))
            )
        ),
        PlanUpdated((f"use {KEY}",)),
        Notice(f"cannot read {KEY}"),
        TurnFinished("answered", KEY, message=KEY),
    ]
    for event in events:
        tell(event)
    assert KEY not in repr(heard)
    assert [type(event) for event in heard] == [type(event) for event in events]
    assert heard[2] == ToolStarted(
        1,
        ToolCall("run_command", {"command": f"echo {MASK}", "more": [{MASK: MASK}, 1], "timeout": 5}),
    )
