from __future__ import annotations

from typing import get_args

import httpx2
import pytest
from anthropic.types.model import Model

from text_agent.providers.anthropic import default_model
from text_agent.providers.defaults import newest_alias
from text_agent.providers.transport import PATIENCE, event_hooks, retry_after_seconds


@pytest.mark.parametrize(
    ("models", "newest"),
    [
        (["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"], "claude-sonnet-4-5"),
        (["claude-sonnet-4-9", "claude-sonnet-4-10"], "claude-sonnet-4-10"),
        (["claude-sonnet-5", "claude-sonnet-4-10"], "claude-sonnet-5"),
        (["claude-sonnet-5", "claude-sonnet-5-1"], "claude-sonnet-5-1"),
        (["claude-opus-9", "claude-sonnet-4-0", "claude-sonnet-9-20301231"], "claude-sonnet-4-0"),
        (["claude-sonnet-6", "claude-sonnet-5", "claude-sonnet-preview"], "claude-sonnet-5"),
    ],
)
def test_the_newest_alias_has_the_highest_version_and_no_date(models: list[str], newest: str) -> None:
    for order in (models, models[::-1]):
        assert newest_alias(order, "claude-sonnet", retired={"claude-sonnet-6"}) == newest


def test_the_default_model_is_one_that_the_sdk_lists() -> None:
    listed, *_ = get_args(Model)
    assert default_model() in get_args(listed)
    assert default_model().startswith("claude-sonnet-")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("soon", 0.0),
        ("", 0.0),
    ],
)
def test_how_long_an_endpoint_asks_to_wait(header: str, seconds: float) -> None:
    assert retry_after_seconds({"retry-after": header}, now=100.0) == seconds
    assert retry_after_seconds({}, now=100.0) == 0.0


@pytest.mark.parametrize(("header", "told"), [("59", None), ("61", "false")])
def test_a_wait_that_is_too_long_is_not_waited(header: str, told: str | None) -> None:
    response = httpx2.Response(429, headers={"retry-after": header})
    for hook in event_hooks(PATIENCE)["response"]:
        hook(response)
    assert response.headers.get("x-should-retry") == told
