"""What a scripted server does with one request: the moves of a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.recorded import RecordedRequest
from text_agent.messages import Usage


@dataclass(frozen=True, slots=True)
class Say:
    """Replies with a text, as a stream.

    Attributes:
        text: what the model says.
        chunks: in how many pieces; None cuts it into pieces of a few characters.
        stop_reason: our word (`max_tokens`) or either API's own (`length`); None ends the stream
            without a stop reason, as a server does that died politely.
        usage: None reports estimates; `Usage()` reports nothing.
        reasoning: sent before the text, apart from it.
        delay_seconds: waited before every piece.
        streamed: False answers with one JSON object, as servers do that know no streaming.
    """

    text: str
    chunks: int | None = None
    stop_reason: str | None = "end_turn"
    usage: Usage | None = None
    reasoning: str = ""
    delay_seconds: float = 0.0
    streamed: bool = True


@dataclass(frozen=True, slots=True)
class Fail:
    """Answers with an error status; a text becomes an error object of the API that was asked."""

    status: int
    body: str | Mapping[str, Any] = "scripted failure"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drop:
    """Sends the first pieces of a reply and closes the connection; with 0, before any byte."""

    after_chunks: int
    text: str = "This reply breaks off in the middle of a sentence."


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """Sends the first part of a reply, then an error inside the stream."""

    type: str = "overloaded_error"
    message: str = "Overloaded"
    after: str = "Some text before"


@dataclass(frozen=True, slots=True)
class Html:
    """Answers with a page, as a proxy or a wrong host does."""

    text: str = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in</body></html>"
    status: int = 200


@dataclass(frozen=True, slots=True)
class Hang:
    """Sends nothing for some seconds (or until the client leaves), then closes the connection."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Raw:
    """Answers with exactly these bytes: everything that the other moves do not say.

    Attributes:
        body: the body; several pieces are sent apart.
        cut: close the connection without a proper end.
    """

    body: bytes | Iterable[bytes]
    content_type: str = "text/event-stream"
    status: int = 200
    cut: bool = False


Move = Say | Fail | Drop | ErrorEvent | Html | Hang | Raw
ScriptEntry = str | Move | Callable[[RecordedRequest], "str | Move"]
