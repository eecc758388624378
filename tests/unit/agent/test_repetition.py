"""Endless repetition is noticed soon, and what people ask for is not taken for it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text_agent.agent.repetition import RepetitionWatch, find_repetition
from text_agent.config.limits import REPEATED_DATA_CHARS, REPEATED_LEAST_CHARS, REPEATED_LEAST_TIMES

PROSE = "First I look at the parser, then at its tests.\n\nThe parser reads a file line by line. "


def noticed_after(text: str, piece: int = 5) -> int | None:
    """After how many characters it is noticed that a text runs away; None if it is not."""
    watch = RepetitionWatch()
    for start in range(0, len(text), piece):
        if watch.feed(text[start : start + piece]):
            return start + piece
    return None


@pytest.mark.parametrize(
    "once",
    [
        "ok ok and on ",
        "I will now fix the bug in the parser.\n",
        'tool: read_file({"path": "parser.py"})\n',
        "    assert parse('a') == ['a']\n    assert parse('b') == ['b']\n\n",
        "The parser fails. So I must look at the tests. " * 5 + "Wait, the tests fail, too.\n",
        "Ich prüfe die Größe. 我再看一遍。\n",
    ],
)
def test_an_endless_repetition_is_noticed_and_kept_once(once: str) -> None:
    text = PROSE + once * 2_000
    after = noticed_after(text)
    assert after is not None
    assert after <= len(PROSE) + max(REPEATED_LEAST_CHARS, REPEATED_LEAST_TIMES * len(once)) + 2_100
    found = find_repetition(text[:after])
    assert found is not None
    assert len(found.text) == len(once)
    assert len(PROSE) + len(once) - 3 <= found.at <= len(PROSE) + 2 * len(once)
    if "\n" in once:
        assert text[: found.at].endswith("\n")


def test_words_are_kept_to_the_end_of_the_first_time() -> None:
    text = "Well. " + "and so on, " * 1_000
    found = find_repetition(text)
    assert found is not None
    assert text[: found.at] == "Well. and so on,"


def test_data_may_be_longer() -> None:
    after = noticed_after("x = [" + "0, " * 9_000)
    assert after is not None
    assert REPEATED_DATA_CHARS < after <= REPEATED_DATA_CHARS + 2_100


def test_functions_that_differ_in_a_number_only_are_endless_by_the_hundreds() -> None:
    text = PROSE + "".join(f"def function_{n}():\n    return {n}\n\n\n" for n in range(2_000))
    after = noticed_after(text)
    assert after is not None
    assert 300 * 30 < after < 17_000
    found = find_repetition(text[:after])
    assert found is not None
    assert text[: found.at].count("def function_") == 1
    assert found.text.count("def function_") <= 1


def test_calls_that_count_on_and_on_are_endless_by_the_dozens() -> None:
    edit = 'tool: edit_file({{"path": "{file}", "old_str": "== {n}", "new_str": "== {m}"}})\n\n'
    files = ("stats.py", "test_stats.py")
    text = "".join(edit.format(file=file, n=n, m=n + 1) for n in range(500) for file in files)
    after = noticed_after(text)
    assert after is not None
    assert after < 6_000
    found = find_repetition(text[:after])
    assert found is not None
    assert text[: found.at].count("edit_file") == 2


TABLE = "| name | city | state |\n|---|---|---|\n"
LEGITIMATE: dict[str, str] = {
    "equal rows": TABLE + "| Alice Smith | Springfield | open |\n" * 120,
    "equal rows of data": "a,b,c\n" + "0.0,0.0,0.0,1\n" * 500,
    "a page of cards": ('<div class="card">\n  <h2>Title</h2>\n  <p>Lorem ipsum dolor.</p>\n</div>\n' * 40),
    "separators": ("-" * 400 + "\nchapter\n" + "=" * 3_000 + "\n") * 2 + "#" * 4_000,
    "zeros": json.dumps({"weights": [0] * 2_000}),
    "a map": ("." * 100 + "\n") * 60,
    "booleans": json.dumps([False] * 500),
    "nulls": json.dumps([[None] * 20] * 20),
    "a matrix": "\n".join(str([0] * 40) for _ in range(40)),
    "numbers": "\n".join(map(str, range(1, 3_000))),
    "numbers in a row": ", ".join(map(str, range(1, 3_000))),
    "numbered lines": "\n".join(f"Line {n}" for n in range(1, 1_000)),
    "functions": "\n".join(f"def f{n}(x: int) -> int:\n    return x + {n}\n" for n in range(100)),
    "rows of test data": "\n".join(
        f"INSERT INTO users VALUES ({n}, 'user{n}', 'user{n}@example.com');" for n in range(250)
    ),
    "files": "\n".join(
        f'tool: write_file({{"path": "m{n}.py"}})\n```python\nimport os\n\n\ndef main():\n    run({n})\n```\n'
        for n in range(60)
    ),
    "edits of one file": "".join(
        f'tool: edit_file({{"path": "a.py", "old_str": "x{n}", "new_str": "y{n}"}})\n' for n in range(19)
    ),
    "assertions": "".join(f"    assert add({a}, {b}) == {a + b}\n" for a in range(16) for b in range(16)),
    "a checklist": "- [ ] to do\n" * 200,
    "blank lines": "a\n" + "\n" * 3_000 + "b",
    "digits of a base64 text": "AAAA" * 2_000,
}


@pytest.mark.parametrize("name", LEGITIMATE)
def test_what_people_ask_for_is_left_alone(name: str) -> None:
    assert noticed_after(LEGITIMATE[name]) is None
    assert noticed_after(f"Here it is:\n{LEGITIMATE[name]}\nThat is all.", 4_000) is None


def test_in_a_reply_that_ran_into_its_limit_less_is_a_repetition() -> None:
    text = PROSE + "I will look at it. " * 100
    assert find_repetition(text) is None
    found = find_repetition(text, was_cut=True)
    assert found is not None
    assert text[: found.at].count("I will look") == 1
    assert find_repetition(LEGITIMATE["equal rows"][:900], was_cut=True) is None
    assert find_repetition("0, " * 1_500, was_cut=True) is None


WORDS = st.text(alphabet="abcdefgh .\n12", min_size=1, max_size=300)


@given(before=st.text(max_size=200), once=WORDS, piece=st.integers(1, 3_000))
def test_whatever_is_repeated_is_found_however_it_arrives(before: str, once: str, piece: int) -> None:
    text = before + once * (30_000 // len(once) + 1)
    after = noticed_after(text, piece)
    assert after is not None
    assert (
        after <= len(before) + max(REPEATED_DATA_CHARS, REPEATED_LEAST_TIMES * len(once)) + 1_024 + 2 * piece
    )
    found = find_repetition(text[:after])
    assert found is not None
    assert once in found.text * 2 or found.text in once * 2
    assert found.at <= len(before) + 2 * len(once)
    assert (text[found.at - len(found.text) : found.at] * 2).find(found.text) >= 0


@given(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=200, unique=True))
def test_a_text_of_different_lines_is_none(lines: list[str]) -> None:
    assert find_repetition("\n".join(lines), was_cut=True) is None
