"""How an optional part of this installation is added to it."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from text_agent.errors import ConfigError
from text_agent.own_programs.processes import find_program

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
    """How to install it: from where text-agent itself came, where that is known and still there."""
    argv, origin = _installer(), _origin(extra)
    if argv and origin:
        return f"Install it: {shlex.join([*argv, *origin])}"
    return f"Install text-agent again from where you have it, with [{extra}] behind its name."


def _installer() -> tuple[str, ...]:
    """The command that installs into this environment; empty if none is known."""
    if found := next((argv for name, argv in _INSTALLERS.items() if (Path(sys.prefix) / name).exists()), ()):
        return found
    if importlib.util.find_spec("pip"):
        return (sys.executable, "-m", "pip", "install")
    has_uv = find_program("uv", Path.cwd())
    return ("uv", "pip", "install", "--python", sys.executable) if has_uv else ()


def _origin(extra: str) -> tuple[str, ...]:
    """What text-agent was installed from, by its installer's record, with an extra; empty: it is unknown."""
    from importlib import metadata

    try:
        record = json.loads(metadata.distribution(_NAME).read_text("direct_url.json") or "")
        url, is_editable = str(record["url"]), bool(record.get("dir_info", {}).get("editable"))
    except (metadata.PackageNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return ()
    parts = urlsplit(url)
    path = Path(unquote(parts.path))
    if parts.scheme != "file" or not path.exists():
        return ()
    return ("--editable", f"{path}[{extra}]") if is_editable else (f"{_NAME}[{extra}] @ {url}",)
