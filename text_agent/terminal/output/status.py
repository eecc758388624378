"""What the chat's footer says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from text_agent.config.permission_mode import PermissionMode
from text_agent.text.sanitize import sanitize

if TYPE_CHECKING:
    from text_agent.agent.agent import Agent
    from text_agent.providers.base import Provider

_SEPARATOR = " \u00b7 "
_ASCII_SEPARATOR = " | "


class Status:
    """How the chat stands, in one line.

    Args:
        encoding: what the screen can show.
        mode: what runs without asking, as long as there is no agent.

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
