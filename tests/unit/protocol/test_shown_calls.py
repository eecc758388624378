"""Replies with a call that is meant, and with one that is only shown: none of the latter runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.reply_cases import calls_of
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.streaming import ReplyReader

_TABLE = Path(__file__).parents[2] / "corpus" / "shown.jsonl"
REPLIES = [json.loads(line) for line in _TABLE.read_text("utf-8").splitlines()]
SHOWN = [record["reply"] for record in REPLIES if not record["real"]]
REAL = [record["reply"] for record in REPLIES if record["real"]]


@pytest.mark.parametrize("reply", SHOWN)
def test_a_shown_call_does_not_run(reply: str) -> None:
    assert calls_of(parse_reply(reply, SEVEN_TOOLS)) == []


def test_of_the_calls_that_are_meant_few_are_lost() -> None:
    lost = [reply for reply in REAL if not calls_of(parse_reply(reply, SEVEN_TOOLS))]
    assert len(lost) <= 0.02 * len(REAL), lost


def test_the_table_is_large_enough_and_has_both_kinds() -> None:
    assert len(REPLIES) >= 150
    assert min(len(SHOWN), len(REAL)) >= 75


@pytest.mark.untraced
@pytest.mark.parametrize("size", [1, 3, 17])
def test_in_pieces_they_mean_the_same(size: int) -> None:
    for reply in [*SHOWN, *REAL]:
        reader = ReplyReader(SEVEN_TOOLS)
        for start in range(0, len(reply), size):
            reader.feed(reply[start : start + size])
            if reader.ended:
                break
        assert reader.reply().calls == parse_reply(reply, SEVEN_TOOLS).calls


@pytest.mark.parametrize(
    ("between", "is_made"),
    [("", False), ("\n", False), ("\nThat is wrong.\n\n", True), ("\nI look now:\n\n", True)],
)
def test_a_call_in_a_fence_behind_a_shown_one_has_words_of_its_own(between: str, is_made: bool) -> None:
    text = f"The code is\n\n```python\nx = 1\n```\n{between}```\ntool: list_files({{}})\n```"
    assert bool(parse_reply(text, SEVEN_TOOLS).calls) == is_made
