from __future__ import annotations

import re
from typing import get_args

import httpx2
import pytest
from anthropic._constants import ANTHROPIC_API_VERSION
from anthropic.resources.messages import DEPRECATED_MODELS
from anthropic.types.model import Model

from tests.support.endpoints import endpoint
from text_agent.providers.anthropic import API_VERSION
from text_agent.providers.defaults import ANTHROPIC_MODEL
from text_agent.providers.error_map import refusal, retry_after_seconds


def test_the_default_model_is_the_newest_sonnet_of_the_sdk() -> None:
    """By a name without a date (a part of a version has at most two digits) that is not deprecated."""
    listed, *_ = get_args(Model)
    versions = {
        tuple(int(part) for part in match[1].split("-")[1:]): name
        for name in get_args(listed)
        if name not in DEPRECATED_MODELS and (match := re.fullmatch(r"claude-sonnet((?:-\d{1,2})+)", name))
    }
    assert versions[max(versions)] == ANTHROPIC_MODEL


def test_the_version_of_the_api_is_that_of_the_sdk() -> None:
    assert API_VERSION == ANTHROPIC_API_VERSION


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
