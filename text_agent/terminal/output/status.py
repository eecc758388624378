"""What the chat says of itself: the greeting, and the footer."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from text_agent.config.permission_mode import PermissionMode
from text_agent.config.version import __version__
from text_agent.text.sanitize import sanitize

if TYPE_CHECKING:
    from text_agent.agent.agent import Agent
    from text_agent.providers.base import Provider

_SEPARATOR = " \u00b7 "
_ASCII_SEPARATOR = " | "


class Status:
    """How the chat stands, in one line.

    `encoding`: what the screen can show. `mode`: what runs without asking, as long as there is no agent.

    Attributes:
        provider: tells the model.
        agent: tells the rest, once there is one.
    """

    def __init__(self, encoding: str, mode: PermissionMode) -> None:
        self.provider: Provider | None = None
        self.agent: Agent | None = None
        self._mode = mode
        self._separator = _SEPARATOR if encoding.lower().startswith("utf") else _ASCII_SEPARATOR

    def text(self) -> str:
        """The model, how full its context is, what the session has cost, and what runs without asking."""
        facts = [self.provider.model if self.provider else "", *self._measured()]
        facts.append(f"permissions {self.agent.policy.mode if self.agent else self._mode}")
        return sanitize(self._separator.join(fact for fact in facts if fact))

    def _measured(self) -> list[str]:
        if self.agent is None:
            return ["context 0%"]
        cost = self.agent.ledger.cost(self.agent.ledger.session)
        return [f"context {self.agent.context.percent}%", "" if cost is None else f"cost {cost:.4f}"]


def greet(console: Console, provider: Provider, endpoint: str, folder: Path, notices: Iterable[str]) -> None:
    """Says in four lines what this is, where it works, and how to find out more; each fits the screen."""
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
