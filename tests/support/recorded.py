"""A request as the scripted server received it, and what every request must satisfy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from text_agent.messages import Message

Api = Literal["openai", "anthropic"]


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One HTTP request; the names of its headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def api(self) -> Api:
        return "anthropic" if self.path.partition("?")[0].endswith("/messages") else "openai"

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def system(self) -> str:
        """The system prompt's text, wherever the API has it."""
        if self.api == "anthropic":
            return text_of(self.body.get("system"))
        return "\n".join(text_of(m.get("content")) for m in self._entries() if _is_system(m))

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation without the system prompt."""
        return tuple(
            Message(m.get("role", ""), text_of(m.get("content")))
            for m in self._entries()
            if not _is_system(m)
        )

    @property
    def last(self) -> str:
        """The text of the last message."""
        return self.messages[-1].content if self.messages else ""

    def _entries(self) -> list[Mapping[str, Any]]:
        entries = self.body.get("messages")
        return [m for m in entries if isinstance(m, Mapping)] if isinstance(entries, list) else []


def text_of(content: object) -> str:
    """The text of a content, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(block.get("text", "")) for block in content if isinstance(block, Mapping))
    return ""


NO_LIMIT = "no limit of the reply"


def violations(request: RecordedRequest, known_system: str = "") -> list[str]:
    """What is wrong with a request for a reply; each a few words.

    Where the system role was refused before, the known system prompt may begin the first message.
    """
    begins = bool(known_system) and request.messages and request.messages[0].content.startswith(known_system)
    no_system = [] if request.system.strip() or begins else ["no system prompt"]
    return [*_wrong_messages(request.messages), *no_system, *_wrong_fields(request)]


def _wrong_messages(messages: tuple[Message, ...]) -> Iterator[str]:
    roles = [message.role for message in messages]
    if roles != [("user", "assistant")[n % 2] for n in range(len(roles))]:
        yield f"roles do not alternate beginning with user: {', '.join(roles)}"
    if not roles or roles[-1] != "user":
        yield "the last message is not the user's"
    for number, message in enumerate(messages):
        if not message.content.strip():
            yield f"message {number} ({message.role}) is empty"
        if message.role == "assistant" and message.content != message.content.rstrip():
            yield f"message {number} (assistant) ends in white space"


def _wrong_fields(request: RecordedRequest) -> Iterator[str]:
    body = request.body
    if request.api == "openai" and any(_is_system(m) for m in request._entries()[1:]):
        yield "a system message after the first message"
    for key in ("tools", "tool_choice", "functions", "function_call"):
        if key in body:
            yield f"{key!r} was sent"
    limits = [body[key] for key in ("max_tokens", "max_completion_tokens") if key in body]
    if not limits:
        yield NO_LIMIT
    elif len(limits) != 1 or not isinstance(limits[0], int) or limits[0] < 1:
        yield f"max_tokens is not one positive integer: {limits}"
    if body.get("stream") is not True:
        yield "stream is not true"
    stop = body.get("stop_sequences" if request.api == "anthropic" else "stop", ["x"])
    if not (isinstance(stop, list) and 1 <= len(stop) <= 4 and all(str(text).strip() for text in stop)):
        yield f"stop is not a list of one to four texts: {stop}"
    if not request.model:
        yield "no model"


def _is_system(message: Mapping[str, Any]) -> bool:
    return message.get("role") in ("system", "developer")
