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
    for line in (Path(__file__).parents[2] / "corpus" / "claims.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
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


@pytest.mark.parametrize(
    ("request_text", "asked"),
    [
        ("Rename foo to bar everywhere", {"change"}),
        ("Can you add a test for add()?", {"change"}),
        ("Look at a.py and fix the typo", {"change"}),
        ("Bitte benenne foo in bar um", {"change"}),
        ("corrige le bug", {"change"}),
        ("Arregla el error", {"change"}),
        ("请把foo重命名为bar", {"change"}),
        ("バグを修正してください", {"change"}),
        ("исправь ошибку", {"change"}),
        ("Run the tests", {"command"}),
        ("install numpy", {"command", "success"}),
        ("How do I rename a file?", set()),
        ("show me how to add a test", set()),
        ("write a poem", set()),
        ("add 2 and 3", set()),
        ("怎么重命名文件?", set()),
        ("どう修正しますか", set()),
        ("Fix the plan in your head, but do not change any file.", set()),
        ("run the tests and fix what fails", {"command"}),
    ],
)
def test_what_a_request_asks_to_have_done(request_text: str, asked: set[str]) -> None:
    assert asked_of(request_text) == asked
    assert not (asked and is_question(request_text))


def test_what_was_done_before_may_be_spoken_of() -> None:
    said = "I changed calc.py and ran the tests."
    assert claims_of(said, "What did you do?") == {"change", "command"}
    assert not claims_of(said, "What did you do?", has_past=True)
    earlier = "As I said, I already changed calc.py."
    assert claims_of(earlier, "Fix it")
    assert not claims_of(earlier, "Fix it", has_past=True)


def test_an_output_that_the_model_was_told_is_no_invention() -> None:
    assert claims_of("The log says: 12 passed", "What is in it?") == {"command", "success"}
    assert not claims_of("The log says: 12 passed", "What is in it?", ["1| 12 passed"])


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("rm -rf build", True),
        ("ls && mv a b", True),
        ("pytest -q", False),
        ("ls -l", False),
        ("echo 'x", False),
    ],
)
def test_a_command_that_writes_where_it_is_told(line: str, changes: bool) -> None:
    assert changes_files(line) is changes


def test_a_long_answer_is_judged_quickly() -> None:
    assert not claims_of("I see a and b, " * 20_000, "Fix it. " + "x " * 50_000)
