"""Base URLs as people write them, in one form.

The Messages API appends `/v1/messages` to its base URL, Chat Completions `/chat/completions`.
"""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit, urlunsplit

from text_agent.config.table import without_credentials
from text_agent.errors import ConfigError

ANTHROPIC_HOST = "https://api.anthropic.com"
OPENAI_HOST = "https://api.openai.com/v1"


def anthropic_base_url(url: str) -> str:
    """The URL without a trailing `/v1`, `/v1/messages` or slash, and without its query.

    Raises:
        ConfigError: it is no URL that can be a base.
    """
    parts = _parsed(url)
    path = _without_ending(parts.path).removesuffix("/v1")
    return _with_path(parts, path)


def openai_base_url(url: str) -> str:
    """The URL without a trailing `/chat/completions`, slash or query, and with `/v1` if it has no path.

    Raises:
        ConfigError: it is no URL that can be a base.
    """
    parts = _parsed(url)
    return _with_path(parts, _without_ending(parts.path) or "/v1")


def query_of(url: str) -> str:
    """The URL's query, without its question mark."""
    return urlsplit(url.strip()).query


def is_same_host(url: str, other: str) -> bool:
    """Whether two URLs lead to one host; what is no URL leads nowhere."""
    try:
        return urlsplit(url).hostname == urlsplit(other).hostname
    except ValueError:
        return False


def is_loopback(url: str) -> bool:
    """Whether a URL leads, without encryption, to this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts.scheme == "http" and (host in ("localhost", "::1") or host.startswith("127."))


def _parsed(url: str) -> SplitResult:
    text = url.strip()
    try:
        parts = urlsplit(text)
        reaches = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        (parts.hostname or "").encode("idna")
    except ValueError:  # a port that is no number, half an IPv6 address, or a name that no host can have
        raise ConfigError(f"the base URL {url!r} is not a URL.", hint=_EXAMPLE) from None
    if not reaches or any(c.isspace() or not c.isprintable() for c in text):
        raise ConfigError(
            f"the base URL {url!r} does not begin with http:// or https:// and a host.", hint=_EXAMPLE
        )
    if parts.fragment:
        raise ConfigError(
            f"the base URL {without_credentials(text)!r} must not have a fragment.",
            hint="Leave out everything from the # on.",
        )
    return parts


def _without_ending(path: str) -> str:
    """A path without what the APIs append to their base, whichever API it is."""
    return path.rstrip("/").removesuffix("/messages").removesuffix("/chat/completions").rstrip("/")


def _with_path(parts: SplitResult, path: str) -> str:
    return urlunsplit((parts.scheme, parts.netloc, path.rstrip("/"), "", ""))


_EXAMPLE = "Write it as in http://localhost:11434/v1."
