"""What the chat says when it begins."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from text_agent.config.version import __version__
from text_agent.providers.base import Provider
from text_agent.text.sanitize import sanitize


def greet(console: Console, provider: Provider, endpoint: str, folder: Path, notices: Iterable[str]) -> None:
    """Says in four lines what this is, where it works, and how to find out more; each fits the screen.

    Args:
        console: where to say it.
        provider: tells the model.
        endpoint: where requests go, and what has decided it.
        folder: that is worked in.
        notices: what else the user should know.
    """
    width = console.width if console.is_terminal else None
    model = sanitize(provider.model)
    lines = [
        Text(_clipped(f"text-agent {__version__}: {model} ({provider.name})", width), "you"),
        Text(_clipped(f"at {sanitize(endpoint)}", width)),
        Text(_clipped(f"in {sanitize(_short(folder))}", width)),
        Text("Type what you want done; /help shows the commands.", "notice"),
    ]
    for line in lines:
        console.print(line)
    for notice in notices:
        console.print(Text(sanitize(notice), "notice"), soft_wrap=not console.is_terminal)


def _short(folder: Path) -> str:
    try:
        return "~" if folder == Path.home() else f"~/{folder.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(folder)


def _clipped(text: str, width: int | None) -> str:
    """The text without its middle, where it is too long: both ends of a path tell more."""
    if width is None or len(text) <= width:
        return text
    kept = max(width - 5, 2)
    return f"{text[: kept // 2]} ... {text[-(kept - kept // 2) :]}"
