from __future__ import annotations

import re
from typing import get_args

import httpx2
import pytest
from anthropic._constants import ANTHROPIC_API_VERSION
from anthropic.resources.messages import DEPRECATED_MODELS
from anthropic.types.model import Model
from hypothesis import given
from hypothesis import strategies as st

from tests.support.endpoints import endpoint
from text_agent.providers.anthropic import API_VERSION
from text_agent.providers.defaults import ANTHROPIC_MODEL
from text_agent.providers.error_map import refusal
from text_agent.providers.retry_after import retry_after_seconds


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


NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("1800000030", 30.0),
        ("1800000030.5", 30.5),
        ("1800000030000", 30.0),
        ("1799999000", 0.0),
        ("120000", 120.0),
        ("90000000", None),
        ("1500000000", None),
        ("20s", 20.0),
        ("1m30s", 90.0),
        ("6m0.5s", 360.5),
        ("500ms", 0.5),
        ("2 seconds", 2.0),
        ("1 hour", 3600.0),
        ("2027-01-15T08:00:20Z", 20.0),
        ("2027-01-15T08:00:20", 20.0),
        ("2027-01-15T09:00:20+01:00", 20.0),
        ("Fri, 15 Jan 2027 08:00:20 GMT", 20.0),
        ("Fri, 15 Jan 2027 07:00:00 GMT", 0.0),
        ("Fri, 15 Jan 2099 08:00:00 GMT", None),
        ("-5", 0.0),
        ("86399", 86_399.0),
        *(
            (nonsense, None)
            for nonsense in ("inf", "nan", "1e999", "-", "s", "soon", "20x", "9" * 400, "1 2")
        ),
    ],
)
def test_a_wait_is_read_in_every_form_and_bounded_by_sense(written: str, seconds: float | None) -> None:
    assert retry_after_seconds({"retry-after": written}, now=NOW) == seconds


@given(st.text(max_size=40))
def test_whatever_is_written_no_wait_is_longer_than_a_day(written: str) -> None:
    for name in ("retry-after", "retry-after-ms"):
        seconds = retry_after_seconds({name: written}, now=NOW)
        assert seconds is None or 0 <= seconds <= 86_400


@pytest.mark.parametrize("clock", ["Fri, 01 Jan 1999 00:00:00 GMT", "Fri, 01 Jan 2999 00:00:00 GMT"])
def test_a_date_to_wait_for_is_one_of_the_servers_clock(clock: str) -> None:
    headers = {"date": clock, "retry-after": clock.replace("00:00:00", "00:00:07")}
    error = refusal(httpx2.Response(429, headers=headers, text="slow down"), endpoint("http://x", "openai"))
    assert error.wait_seconds == 7.0
