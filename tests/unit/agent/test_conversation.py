from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from text_agent.agent.conversation import EMPTY_REPLY, Conversation
from text_agent.messages import Message

TURNS = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(st.characters(), max_size=20)))


def conversation(turns: list[tuple[str, str]]) -> Conversation:
    made = Conversation()
    for role, content in turns:
        (made.add_user if role == "user" else made.add_assistant)(content)
    return made


@given(TURNS)
def test_the_wire_alternates_and_begins_with_the_user(turns: list[tuple[str, str]]) -> None:
    wire = conversation(turns).wire()
    assert [message.role for message in wire] == [
        "user" if index % 2 == 0 else "assistant" for index in range(len(wire))
    ]
    for message in wire:
        assert message.content.strip()
        json.dumps(message.content).encode()
        message.content.encode()
        assert message.role == "user" or message.content == message.content.rstrip()


@given(TURNS)
def test_the_wire_only_grows(turns: list[tuple[str, str]]) -> None:
    """What a server has read stays a prefix of what it gets next."""
    shorter = conversation(turns).wire()
    longer = conversation([*turns, ("user", "more"), ("assistant", "yes"), ("user", "on")]).wire()
    assert longer[: len(shorter)][:-1] == shorter[:-1]
    if shorter:
        assert longer[len(shorter) - 1].content.startswith(shorter[-1].content)


def test_neighbours_are_joined_and_an_empty_reply_is_noted() -> None:
    made = conversation([("user", "a"), ("user", "b"), ("assistant", " \n"), ("user", "c")])
    assert made.wire() == (
        Message("user", "a\n\nb"),
        Message("assistant", EMPTY_REPLY),
        Message("user", "c"),
    )
    assert len(made.messages) == 4
