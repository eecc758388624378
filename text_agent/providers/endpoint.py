"""The endpoint that a provider talks to, as its errors name it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from text_agent.providers.urls import without_credentials

_SHOWN_CHARS = 300


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go, and what must not be told of it.

    Attributes:
        base_url: what the SDK is given.
        path: what the SDK appends for a reply, with its slash.
        model: the model's name.
        key_variable: the environment variable that holds the key.
        secret: the key, if there is one; never part of a message.
    """

    base_url: str
    path: str
    model: str
    key_variable: str
    secret: str | None = field(default=None, repr=False)

    @property
    def shown(self) -> str:
        """The base URL as it may be shown."""
        return without_credentials(self.base_url)

    @property
    def tried(self) -> str:
        """The whole URL of a request for a reply, as it may be shown."""
        return self.shown + self.path

    def with_model(self, model: str) -> Endpoint:
        """The same endpoint for another model."""
        return replace(self, model=model)

    def quoted(self, text: str) -> str:
        """A server's words, as a part of one line: shortened, and without the key."""
        line = " ".join(text.split())
        if self.secret:
            line = line.replace(self.secret, "***")
        return line if len(line) <= _SHOWN_CHARS else line[:_SHOWN_CHARS] + " ..."
