"""What real servers say of a prompt that is too long, and what they say of other things."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from text_agent.providers.overflow import is_overflow, limit_in

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "corpus" / "overflows.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["server"])
def test_an_overflow_is_known_and_its_limit_read(case: dict[str, Any]) -> None:
    assert is_overflow(case["text"]) == case["overflow"]
    if case["overflow"]:
        assert limit_in(case["text"]) == case["limit"]


@pytest.mark.parametrize("number", ["10", "00", "9" * 5000])
def test_what_is_no_size_of_a_context_is_not_believed(number: str) -> None:
    text = f"maximum context length is {number} tokens"
    assert is_overflow(text)
    assert limit_in(text) is None
