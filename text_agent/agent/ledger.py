"""What requests cost: tokens, and money where the prices are known."""

from __future__ import annotations

from dataclasses import dataclass, field

from text_agent.config.settings import CostSettings
from text_agent.messages import Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens, in any currency; `cached` for those that the server has read before."""

    input: float
    output: float
    cached: float

    def cost(self, usage: Usage) -> float:
        """The price of so many tokens."""
        cached = min(usage.cached_tokens or 0, usage.input_tokens or 0)
        fresh = (usage.input_tokens or 0) - cached
        total = fresh * self.input + cached * self.cached + (usage.output_tokens or 0) * self.output
        return total / _MILLION


@dataclass(slots=True)
class Spent:
    """What some requests took."""

    requests: int = 0  # how many there were
    usage: Usage = field(default_factory=Usage)  # the tokens that the server reported
    guessed: Usage = field(default_factory=Usage)  # our estimate of those that it did not report

    def add(self, usage: Usage, guessed: Usage) -> None:
        """Adds one request."""
        self.requests += 1
        self.usage += usage
        self.guessed += guessed

    @property
    def total(self) -> Usage:
        """All tokens, reported or estimated."""
        return self.usage + self.guessed

    @property
    def tokens(self) -> int:
        """All tokens in and out."""
        return (self.total.input_tokens or 0) + (self.total.output_tokens or 0)


class Ledger:
    """Counts what a session spends, and says when it is enough.

    Attributes:
        turn: what the present turn, or the last one, has spent.
        session: what all turns have spent.
        prices: None where none are configured.
    """

    def __init__(self, settings: CostSettings) -> None:
        self.turn = Spent()
        self.session = Spent()
        self.prices = _prices(settings)
        self._max_cost = settings.max_cost
        self._max_tokens = settings.max_session_tokens

    def begin_turn(self) -> None:
        """The next requests belong to a new turn."""
        self.turn = Spent()

    def add(self, usage: Usage, estimate: Usage) -> None:
        """Adds one request; `estimate` counts where the server has not."""
        guessed = Usage(
            None if usage.input_tokens is not None else estimate.input_tokens,
            None if usage.output_tokens is not None else estimate.output_tokens,
        )
        self.turn.add(usage, guessed)
        self.session.add(usage, guessed)

    def cost(self, spent: Spent) -> float | None:
        """What that costs; None where no prices are configured."""
        return self.prices.cost(spent.total) if self.prices else None

    def line(self, spent: Spent) -> str:
        """What was spent, in one line for the user."""
        total, about = spent.total, "about " if spent.guessed != Usage() else ""
        cached = f" ({total.cached_tokens:,} of them cached)" if total.cached_tokens else ""
        cost = self.cost(spent)
        requests = "1 request" if spent.requests == 1 else f"{spent.requests:,} requests"
        price = "" if cost is None else f", cost {cost:.4f}"
        return (
            f"{about}{total.input_tokens or 0:,} tokens in{cached}, "
            f"{total.output_tokens or 0:,} out; {requests}{price}"
        )

    @property
    def limits(self) -> tuple[str, ...]:
        """What the session may spend, a line each."""
        cost = "" if self._max_cost is None else f"cost {self._max_cost:g} (--max-cost)"
        tokens = "" if self._max_tokens is None else f"{self._max_tokens:,} tokens (--max-session-tokens)"
        return tuple(filter(None, (cost, tokens)))

    @property
    def exhausted(self) -> str:
        """Why no further request may be sent, for the user; empty if one may."""
        cost = self.cost(self.session)
        if self._max_cost is not None and cost is not None and cost >= self._max_cost:
            return (
                f"stopped: the session has cost {cost:.4f}, and the limit is {self._max_cost:g} (--max-cost)."
            )
        if self._max_tokens is not None and self.session.tokens >= self._max_tokens:
            return (
                f"stopped: the session has taken {self.session.tokens:,} tokens, and the limit is "
                f"{self._max_tokens:,} (--max-session-tokens)."
            )
        return ""


def _prices(settings: CostSettings) -> Prices | None:
    if settings.price_in is None and settings.price_out is None:
        return None
    price_in, cached = settings.price_in or 0.0, settings.price_cached
    return Prices(price_in, settings.price_out or 0.0, price_in if cached is None else cached)
