"""The conversation in memory, and the shape in which it goes to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from text_agent.messages import Message, MessageKind, ResultSpan
from text_agent.protocol.types import ToolResult
from text_agent.protocol.writing import render_results

EMPTY_REPLY = "(empty reply)"
# What stands between the parts of a message.
_BETWEEN = "\n\n"


class Conversation:
    """Messages in order, and the form of them that is sent.

    It is only ever appended to, so that a server can re-use the prompt it has read, except by `replace`.
    """

    def __init__(
        self, messages: Iterable[Message] = (), tell: Callable[[Message], None] = lambda _: None
    ) -> None:
        """`tell` is told of every message that is added."""
        self._messages: list[Message] = []
        self._wire: list[Message] = []
        self._tell = tell
        self.replace(messages)

    def add_user(self, content: str, kind: MessageKind = "note") -> None:
        """Adds what the user said, or what the tools gave."""
        self._add(Message("user", _encodable(content), kind))

    def add_results(self, results: Sequence[ToolResult], *notes: str) -> None:
        """Adds what the calls of a reply gave, and notes on it."""
        spans: list[ResultSpan] = []
        parts: list[str] = []
        at = 0
        for result in results:
            part = render_results([result])
            start, end = at + part.index("\n") + 1, at + len(part)
            spans.append(ResultSpan(result.name, result.status, (start, end), result.plan))
            parts.append(part)
            at = end + len(_BETWEEN)
        content = _encodable(_BETWEEN.join([*parts, *notes]))
        self._add(Message("user", content, "results", tuple(spans)))

    def add_assistant(self, content: str) -> None:
        """Adds the model's words; an empty reply is kept as a note, for no server takes empty content."""
        self._add(Message("assistant", _encodable(content).rstrip() or EMPTY_REPLY, "reply"))

    def replace(self, messages: Iterable[Message]) -> None:
        """Puts other messages in the place of all: a shortened conversation, or a saved one."""
        self._messages, self._wire = [], []
        for message in messages:
            self._append(message)

    def _add(self, message: Message) -> None:
        self._append(message)
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
        return tuple(self._wire)

    def _append(self, message: Message) -> None:
        self._messages.append(message)
        if not message.content.strip():
            return
        last = self._wire[-1] if self._wire else None
        if last and last.role == message.role:
            self._wire[-1] = replace(message, content=last.content + _BETWEEN + message.content)
        elif last or message.role == "user":
            self._wire.append(message)


def _encodable(text: str) -> str:
    """Replaces lone surrogates, which come from names and bytes that are no UTF-8 and fit no request."""
    return text.encode("utf-8", "replace").decode("utf-8")
