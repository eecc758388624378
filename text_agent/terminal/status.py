"""What the chat's footer says."""

from __future__ import annotations

from text_agent.agent import Agent
from text_agent.terminal.sanitize import sanitize

_SEPARATOR = " \u00b7 "
_ASCII_SEPARATOR = " | "


def status_line(agent: Agent, encoding: str) -> str:
    """The model, how full its context is, what the session has cost, and what runs without asking.

    Args:
        agent: tells all of it.
        encoding: what the screen can show.
    """
    separator = _SEPARATOR if encoding.lower().startswith("utf") else _ASCII_SEPARATOR
    cost = agent.ledger.cost(agent.ledger.session)
    facts = [
        agent.provider.model,
        f"context {agent.context.percent}%",
        f"cost {cost:.4f}" if cost is not None else "",
        f"permissions {agent.policy.mode}",
    ]
    return sanitize(separator.join(fact for fact in facts if fact))
