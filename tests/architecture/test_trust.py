"""What the user is told about trust, sentence by sentence, and the tests that hold it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
TABLE: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("trust.toml").read_text(encoding="utf-8")
)["sentence"]
# Behind these lines, up to the next heading, each sentence stands in the table.
SECTIONS = (
    ("README.md", "Two things matter more here than anything else:"),
    ("docs/settings.md", "## What a project's `.env` may decide"),
    ("docs/permissions.md", "# Permissions"),
    ("docs/permissions.md", "## Commands and the sandbox"),
    ("docs/batch.md", "## What runs, and where"),
)


def sentences() -> Iterator[str]:
    """Yields the sentences of the sections, with single blanks, and the rows of their tables."""
    for name, section in SECTIONS:
        page = (TESTS.parent / name).read_text(encoding="utf-8")
        assert f"{section}\n" in page
        part = re.split(r"^##", page.partition(f"{section}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
        rows = re.sub(r"^\|.*\n\|---.*\n", "", part, flags=re.MULTILINE)
        for block in filter(str.strip, re.split(r"\n(?=- |\|)|\n\n", rows)):
            yield from re.split(r"(?<=\.) (?=[A-Z`])", " ".join(block.split()))


@pytest.mark.parametrize("sentence", list(sentences()))
def test_every_sentence_stands_in_the_table(sentence: str) -> None:
    assert sentence in {row["text"] for row in TABLE}, "name the tests that hold it in trust.toml"


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["text"][:40])
def test_every_row_stands_in_the_text(row: dict[str, Any]) -> None:
    assert row["text"] in set(sentences())
    assert row.get("explains", False) != bool(row.get("tests"))


@pytest.mark.parametrize("test", sorted({test for row in TABLE for test in row.get("tests", ())}))
def test_every_test_exists(test: str) -> None:
    file, _, name = test.partition("::")
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
