from __future__ import annotations

from typing import get_args

import httpx2
import pytest
from anthropic.types.model import Model

from tests.support.endpoints import endpoint
from text_agent.providers.anthropic import default_model
from text_agent.providers.defaults import newest_alias
from text_agent.providers.transport import refusal, retry_after_seconds


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
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:02:00 GMT"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_how_long_an_endpoint_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, now=100.0) == seconds


@pytest.mark.parametrize("clock", ["Fri, 01 Jan 1999 00:00:00 GMT", "Fri, 01 Jan 2999 00:00:00 GMT"])
def test_a_date_to_wait_for_is_one_of_the_servers_clock(clock: str) -> None:
    headers = {"date": clock, "retry-after": clock.replace("00:00:00", "00:00:07")}
    error = refusal(httpx2.Response(429, headers=headers, text="slow down"), endpoint("http://x", "openai"))
    assert error.wait_seconds == 7.0
