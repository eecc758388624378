"""What is said to be done is held against what was done."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from text_agent.agent.claims import asked_of, claims_of, is_question
from text_agent.agent.command_deeds import changes_files, wrote_since
from text_agent.agent.truth import judge_answer
from text_agent.agent.turn import Turn

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
        setattr(turn, name, set(value) if name == "files" else value)
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


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("In which file is it defined? Answer with file:line.", True),
        ("An old value passes. Where is it checked? Reply with the line only.", True),
        ("In which file is it defined? It has to go.", False),
        ("Where is it? Then fix it.", False),
        ("It is slow.", False),
    ],
)
def test_a_question_may_say_how_to_answer(request_text: str, expected: bool) -> None:
    assert is_question(request_text) is expected


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


@pytest.mark.parametrize(
    ("answer", "unchanged"),
    [
        ("I changed b.py as you asked.", ["b.py"]),
        ("I've updated both a.py and b.py.", ["b.py"]),
        ("Updated `a.py`, `b.py` and `c.py`.", ["b.py", "c.py"]),
        ("In b.py, I replaced the loop by a sum.", ["b.py"]),
        ("Ich habe b.py angepasst.", ["b.py"]),
        ("J'ai modifié b.py.", ["b.py"]),
        ("He modificado b.py.", ["b.py"]),
        ("Atualizei b.py.", ["b.py"]),
        ("Ho modificato b.py.", ["b.py"]),
        ("Я исправил b.py.", ["b.py"]),
        ("我已修改 b.py。", ["b.py"]),
        ("b.py を修正しました。", ["b.py"]),
        ("I fixed the import in a.py so that it matches b.py.", []),
        ("I changed a.py. b.py needs no change.", []),
        ("The bug in b.py came from a.py, which I corrected.", []),
        ("I updated src/a.py.", []),
        ("I looked at b.py and changed the loop in a.py.", []),
        ("I fixed `add` in a.py.", []),
        ("Ich habe a.py angepasst, b.py ruft es nur auf.", []),
    ],
)
def test_files_that_are_said_to_be_changed_were_changed(answer: str, unchanged: list[str]) -> None:
    turn = Turn("Fix it", changed=True, files={"a.py"})
    held = judge_answer(turn, answer, (), lambda _: "", has_past=False)
    assert list(held.untrue) == [f"{name} was not changed" for name in unchanged]
    turn.changed_unseen = True
    assert not judge_answer(turn, answer, (), lambda _: "", has_past=False).untrue


@pytest.mark.parametrize(
    ("line", "writes"),
    [
        ("python gen.py > out.csv", True),
        ("echo 1 >> log.txt", True),
        ("pytest -q 2>&1", False),
        ("pytest -q > /dev/null 2>&1", False),
        ("ls 2> /dev/null", False),
    ],
)
def test_a_redirection_into_a_file_changes_it(line: str, writes: bool) -> None:
    assert changes_files(line) is writes


@pytest.mark.parametrize(
    ("path", "counts"),
    [("build/out.csv", True), ("a.txt", True), (".cache/x", False), ("__pycache__/a.pyc", False)],
)
def test_files_that_were_written_meanwhile(tmp_path: Path, path: str, counts: bool) -> None:
    (tmp_path / "old.txt").write_text("old")
    os.utime(tmp_path / "old.txt", (1, 1))
    moment = time.time()
    assert not wrote_since(tmp_path, moment)
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("new")
    assert wrote_since(tmp_path, moment) is counts
    (tmp_path / "gone").symlink_to("nowhere")
    assert not wrote_since(tmp_path, time.time() + 60)
