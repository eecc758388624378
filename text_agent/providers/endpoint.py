"""The endpoint that a provider talks to, as its errors name it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from text_agent.config.table import without_credentials

_SHOWN_CHARS = 300
# Of a text, whose beginning may be white space for the most part.
_READ_CHARS = 3_000
# Paths that have lost their version: the Messages API's version stands in the path, not in the base URL.
_SHORT_PATHS = ("/messages",)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go, and what must not be told of it.

    Attributes:
        base_url: what all paths are appended to.
        path: of a request for a reply, with its slash.
        model: the model's name.
        key_variable: the environment variable that holds the key.
        secret: the key, if there is one; never part of a message.
        is_token: the secret is a bearer token, which must not be sent as a key.
        query: part of every URL, without its question mark.
        headers: sent with every request, names and values.
        ca_file: certificates to trust beside the system's, or empty.
    """

    base_url: str
    path: str
    model: str
    key_variable: str
    secret: str | None = field(default=None, repr=False)
    is_token: bool = False
    query: str = field(default="", repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    ca_file: str = ""

    @property
    def shown(self) -> str:
        """The base URL as it may be shown."""
        return without_credentials(self.base_url)

    @property
    def tried(self) -> str:
        """The whole URL of a request for a reply, as it may be shown."""
        return self.shown + self.path

    def url(self, path: str) -> str:
        """The whole URL of `path`, a request's or another one."""
        return self.base_url + path + (f"?{self.query}" if self.query else "")

    def other_form(self) -> Endpoint:
        """The endpoint with `/v1` if it had none, and without it if it had it: people guess wrong."""
        if self.path.startswith("/v1/"):
            return replace(self, path=self.path.removeprefix("/v1"))
        if self.path in _SHORT_PATHS:
            return replace(self, path=f"/v1{self.path}")
        base = self.base_url.removesuffix("/v1")
        return replace(self, base_url=base if base != self.base_url else f"{base}/v1")

    def with_model(self, model: str) -> Endpoint:
        """The same endpoint for another model."""
        return replace(self, model=model)

    def quoted(self, text: str) -> str:
        """A server's words, as a part of one line: shortened, without the key, and nothing but text."""
        if self.secret:
            text = text.replace(self.secret, "***")
        beginning = text.strip()[:_READ_CHARS]
        line = " ".join("".join(char if char.isprintable() else " " for char in beginning).split())
        return line if len(line) <= _SHOWN_CHARS else line[:_SHOWN_CHARS] + " ..."
