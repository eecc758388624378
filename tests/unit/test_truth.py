"""What is said to be done is held against what was done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from text_agent.agent.claims import asked_of, claims_of, is_question
from text_agent.agent.truth import judge_answer
from text_agent.agent.turn import Turn
from text_agent.agent.written_by import changes_files

CASES: Sequence[Mapping[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "corpus" / "claims.jsonl").read_text(encoding="utf-8").splitlines()
]
# The words were chosen with the even cases only.
MOST_FALSE_ALARMS = 0.05
MOST_MISSES = 0.10


def is_held(case: Mapping[str, Any]) -> bool:
    turn = Turn(case["request"])
    for name, value in case["facts"].items():
        setattr(turn, name, value)
    return bool(judge_answer(turn, case["answer"], (), lambda _: "", has_past=False).untrue)


@pytest.mark.parametrize("half", [0, 1])
def test_false_claims_are_seen_and_others_are_left_alone(half: int) -> None:
    cases = CASES[half::2]
    alarms = [case for case in cases if not case["untrue"] and is_held(case)]
    misses = [case for case in cases if case["untrue"] and not is_held(case)]
    untrue = sum(case["untrue"] for case in cases)
    assert len(alarms) <= MOST_FALSE_ALARMS * (len(cases) - untrue), alarms
    assert len(misses) <= MOST_MISSES * untrue, misses
