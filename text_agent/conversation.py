"""The conversation in memory, and the shape in which it goes to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from text_agent.messages import Message

EMPTY_REPLY = "(empty reply)"


class Conversation:
    """Messages in order; only ever appended to, so that a server can re-use the prompt it has read."""

    def __init__(
        self, messages: Iterable[Message] = (), tell: Callable[[Message], None] = lambda _: None
    ) -> None:
        """`tell` is told of every message that is added."""
        self._messages: list[Message] = list(messages)
        self._tell = tell

    def add_user(self, content: str) -> None:
        """Adds what the user said, or what the tools gave."""
        self._add(Message("user", _encodable(content)))

    def add_assistant(self, content: str) -> None:
        """Adds the model's words; an empty reply is kept as a note, for no server takes empty content."""
        self._add(Message("assistant", _encodable(content).rstrip() or EMPTY_REPLY))

    def _add(self, message: Message) -> None:
        self._messages.append(message)
        self._tell(message)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages as they were added."""
        return tuple(self._messages)

    def wire(self) -> tuple[Message, ...]:
        """The messages as every chat template takes them.

        They alternate between user and assistant and begin with the user: neighbours of one role
        are joined by a blank line, and empty ones are left out.
        """
        joined: list[Message] = []
        for message in self._messages:
            if not message.content.strip():
                continue
            if joined and joined[-1].role == message.role:
                joined[-1] = Message(message.role, f"{joined[-1].content}\n\n{message.content}")
            elif joined or message.role == "user":
                joined.append(message)
        return tuple(joined)


def _encodable(text: str) -> str:
    """Replaces lone surrogates, which come from names and bytes that are no UTF-8 and fit no request."""
    return text.encode("utf-8", "replace").decode("utf-8")
