"""What tokens cost, and how much a session may spend, as settings: read from texts, and checked."""

from __future__ import annotations

import math
from dataclasses import dataclass

from text_agent.config.endpoint import Find, whole_number
from text_agent.errors import ConfigError

# More is no amount, and sums of it would not be numbers any more.
_MOST_MONEY = 1e15


@dataclass(frozen=True, slots=True)
class CostSettings:
    """Prices and limits; all of them None where they are not set.

    Attributes:
        price_in: of a million tokens of prompts, in any currency.
        price_out: of a million tokens of replies.
        price_cached: of a million tokens of prompts that the server has cached; None: as of any others.
        max_cost: what a session may cost, in the same currency.
        max_session_tokens: the tokens, in and out, that a session may take.
    """

    price_in: float | None = None
    price_out: float | None = None
    price_cached: float | None = None
    max_cost: float | None = None
    max_session_tokens: int | None = None


def read_cost_settings(find: Find) -> CostSettings:
    """Reads the settings from their variables.

    Raises:
        ConfigError: a value cannot be right, or a cost is limited that nobody can count.
    """
    settings = CostSettings(
        price_in=_amount(find, "TEXT_AGENT_PRICE_IN"),
        price_out=_amount(find, "TEXT_AGENT_PRICE_OUT"),
        price_cached=_amount(find, "TEXT_AGENT_PRICE_CACHED"),
        max_cost=_amount(find, "TEXT_AGENT_MAX_COST"),
        max_session_tokens=whole_number(find, "TEXT_AGENT_MAX_SESSION_TOKENS", at_least=1),
    )
    if settings.max_cost is not None and settings.price_in is settings.price_out is None:
        raise ConfigError(
            "the cost is limited (--max-cost), but no price is known.",
            hint="Set --price-in and --price-out, per million tokens, or limit --max-session-tokens.",
        )
    return settings


def _amount(find: Find, variable: str) -> float | None:
    found = find(variable)
    if found is None:
        return None
    text, source = found
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < _MOST_MONEY:
        raise ConfigError(f"{variable} (from {source}) is {text!r}, not an amount of money.")
    return number
