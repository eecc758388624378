from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from text_agent.messages import Message
from text_agent.providers.growing import EachMessageOnce

MESSAGES = st.lists(st.builds(Message, st.sampled_from(["user", "assistant"]), st.sampled_from("abc"))).map(
    tuple
)


def shout(message: Message) -> Message:
    return Message(message.role, message.content.upper())


@given(st.lists(MESSAGES))
def test_whatever_comes_is_changed(conversations: list[tuple[Message, ...]]) -> None:
    once = EachMessageOnce(shout)
    for messages in conversations:
        assert once(messages) == tuple(map(shout, messages))


def test_a_message_is_changed_once() -> None:
    asked: list[str] = []

    def note(message: Message) -> Message:
        asked.append(message.content)
        return message

    once, one, two = EachMessageOnce(note), Message("user", "one"), Message("assistant", "two")
    once((one,))
    once((one, two))
    once((one, two, Message("user", "three")))
    once((one, two, Message("user", "three and more")))
    assert asked == ["one", "two", "three", "three and more"]
