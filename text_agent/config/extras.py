"""How an optional part of this installation is added to it."""

from __future__ import annotations

import json
import shlex
import sys
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

from text_agent.errors import ConfigError

_NAME = "text-agent"
# What lies in the environment that an installer of programs has made, and how it installs one again.
_INSTALLERS = {
    "pipx_metadata.json": ("pipx", "install", "--force"),
    "uv-receipt.toml": ("uv", "tool", "install", "--force"),
}


def missing_extra(what: str, extra: str) -> ConfigError:
    """Returns the error for what needs an extra of text-agent that is not installed."""
    return ConfigError(
        f"{what} needs the extra [{extra}] of text-agent, which is not installed.", hint=_advice(extra)
    )


def _advice(extra: str) -> str:
    """How to install it: from where text-agent itself came, which is told only where that is still there."""
    origin = _origin()
    if not origin:
        return f"Install text-agent again from where you have it, with [{extra}] behind its name."
    found = (argv for name, argv in _INSTALLERS.items() if (Path(sys.prefix) / name).exists())
    argv = next(found, (sys.executable, "-m", "pip", "install"))
    return f"Install it: {shlex.join([*argv, f'{_NAME}[{extra}] @ {origin}'])}"


def _origin() -> str:
    """The URL that text-agent was installed from, by its installer's record; empty if it is not known."""
    try:
        record = json.loads(metadata.distribution(_NAME).read_text("direct_url.json") or "{}")
        url = str(record["url"])
    except (metadata.PackageNotFoundError, ValueError, KeyError, TypeError):
        return ""
    parts = urlsplit(url)
    is_gone = parts.scheme == "file" and not Path(unquote(parts.path)).exists()
    return "" if is_gone or "@" in parts.netloc or "vcs_info" in record else url
