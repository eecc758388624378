from __future__ import annotations

import pytest

from text_agent.agent.ledger import Ledger
from text_agent.config.resolving import resolve_settings
from text_agent.config.settings import CostSettings
from text_agent.config.sources import Source
from text_agent.errors import ConfigError
from text_agent.messages import Usage

PRICES = {"TEXT_AGENT_PRICE_IN": "3", "TEXT_AGENT_PRICE_OUT": "15", "TEXT_AGENT_PRICE_CACHED": "0.3"}


def resolve(environment: dict[str, str]) -> CostSettings:
    return resolve_settings([Source("the environment", environment)]).settings.costs


def test_prices_and_limits_are_read() -> None:
    assert resolve({}) == CostSettings()
    limits = {"TEXT_AGENT_MAX_COST": "0.5", "TEXT_AGENT_MAX_SESSION_TOKENS": "1000"}
    assert resolve({**PRICES, **limits}) == CostSettings(3.0, 15.0, 0.3, 0.5, 1000)


@pytest.mark.parametrize("value", ["-1", "three", "nan", "inf", "1e308"])
def test_a_price_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match=r"TEXT_AGENT_PRICE_IN \(from the environment\) is .*, not an am"):
        resolve({"TEXT_AGENT_PRICE_IN": value})


def test_a_cost_cannot_be_limited_without_prices() -> None:
    with pytest.raises(ConfigError, match="no price is known") as caught:
        resolve({"TEXT_AGENT_MAX_COST": "1"})
    assert "--price-in" in caught.value.hint


def test_cached_tokens_have_their_own_price() -> None:
    ledger = Ledger(resolve(PRICES))
    ledger.add(Usage(1_000_000, 100_000, 900_000), Usage())
    assert ledger.cost(ledger.session) == pytest.approx(0.1 * 3 + 0.9 * 0.3 + 0.1 * 15)
    assert ledger.line(ledger.session) == (
        "1,000,000 tokens in (900,000 of them cached), 100,000 out; 1 request, cost 2.0700"
    )


def test_without_a_price_for_cached_tokens_they_cost_the_same() -> None:
    ledger = Ledger(CostSettings(price_in=2.0))
    ledger.add(Usage(1_000_000, 5, 1_000_000), Usage())
    assert ledger.cost(ledger.session) == pytest.approx(2.0)


def test_what_the_server_does_not_count_is_estimated_and_said_to_be() -> None:
    ledger = Ledger(CostSettings())
    ledger.add(Usage(10), Usage(11, 7))
    ledger.add(Usage(), Usage(20, 3))
    assert ledger.line(ledger.session) == "about 30 tokens in, 10 out; 2 requests"
    assert ledger.cost(ledger.session) is None
    assert ledger.session.usage == Usage(10)


def test_a_turn_is_counted_by_itself() -> None:
    ledger = Ledger(CostSettings(max_session_tokens=100))
    ledger.begin_turn()
    ledger.add(Usage(40, 10), Usage())
    ledger.begin_turn()
    assert ledger.exhausted == ""
    ledger.add(Usage(40, 10), Usage())
    assert (ledger.turn.tokens, ledger.session.tokens) == (50, 100)
    assert "has taken 100 tokens, and the limit is 100 (--max-session-tokens)" in ledger.exhausted
    assert ledger.limits == ("100 tokens (--max-session-tokens)",)


def test_a_cost_is_enough_when_it_reaches_its_limit() -> None:
    ledger = Ledger(CostSettings(price_in=1.0, price_out=1.0, max_cost=0.5))
    ledger.add(Usage(400_000, 99_999), Usage())
    assert ledger.exhausted == ""
    ledger.add(Usage(1, 0), Usage())
    assert "has cost 0.5000, and the limit is 0.5 (--max-cost)" in ledger.exhausted
    assert ledger.limits == ("cost 0.5 (--max-cost)",)
