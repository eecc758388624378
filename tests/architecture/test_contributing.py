"""What the documents for contributors say is so."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# Where the names in the text begin: at the top, at the package, or in the room that a row is about.
_BASES = [ROOT, ROOT / "text_agent", ROOT / "tests", *(ROOT / "text_agent").glob("*/")]


def test_the_rooms_are_those_of_the_contract_in_its_order() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    told = re.findall(r"`(\w+)/?`", "".join(re.findall(r"^\| `.*?\|", TEXT, re.MULTILINE)))
    held = [re.findall(r"\w+", layer) for layer in layers]
    assert sorted(told) == sorted(name for layer in held for name in layer)
    assert all(max(map(told.index, upper)) < min(map(told.index, lower)) for upper, lower in pairwise(held))


@pytest.mark.parametrize(("name", "most"), [("CONTRIBUTING.md", 80), ("AGENTS.md", 10)])
def test_it_is_short(name: str, most: int) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= most


def test_the_files_and_folders_that_it_names_exist() -> None:
    named = set(re.findall(r"`([\w.]+/[\w*./]*|[\w.]+\.(?:toml|md|py))`", TEXT))
    found = {
        name for name in named for base in _BASES if [*base.glob(name.rstrip("/")), *base.glob(f"{name}.py")]
    }
    assert named == found
