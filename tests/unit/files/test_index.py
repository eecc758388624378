"""What a request is about is found in a project, in whatever language it is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from text_agent.files.index.excerpts import select_excerpts
from text_agent.files.index.query import read_query
from text_agent.files.index.ranking import rank_units
from text_agent.files.index.reader import read_units
from text_agent.files.workspace import Workspace

PYTHON = '''"""A shop."""
import os

# Cents are whole.
LIMIT = 3

class Cart(dict):
    """What is bought."""

    size: int = 0

    @property
    def total(self):
        """The sum of all prices."""
        def one(price):
            return price
        return sum(map(one, self.values()))

if os.name == "nt":
    def separator():
        return ";"
'''
PRICES = '''def whole(cents):
    """Rounds cents to whole euros."""
    return cents // 100
'''
SALE = """from shop.prices import whole

def reduce(x):
    return whole(x) - 1


def other():
    pass
"""
SCRIPT = """const a = require('a');

/**
 * Adds.
 */
function add(x) {
  return x;
}

class Box extends Base {
  // How wide.
  width() {
    return 1;
  }
}

module.exports.later = async (x) => {
  return x;
};
"""


def named(path: str, text: str) -> list[tuple[str, str, int, int]]:
    return [
        (unit.full_name, unit.kind, unit.first, unit.last) for unit in read_units(path, text) if unit.name
    ]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "shop.py",
            PYTHON,
            [
                ("LIMIT", "value", 4, 5),
                ("Cart", "class", 7, 17),
                ("Cart.size", "value", 10, 10),
                ("Cart.total", "method", 12, 17),
                ("Cart.total.one", "function", 15, 16),
                ("separator", "function", 20, 21),
            ],
        ),
        (
            "shop.js",
            SCRIPT,
            [
                ("a", "value", 1, 1),
                ("add", "function", 3, 8),
                ("Box", "class", 10, 15),
                ("Box.width", "method", 11, 14),
                ("later", "function", 17, 19),
            ],
        ),
        (
            "broken.py",
            "def f(:\n    pass\n\nclass A:\n    x = 1\n",
            [("f", "function", 1, 2), ("A", "class", 4, 5)],
        ),
        (
            "a.md",
            "# One\ntext\n```\n# no heading\n```\n## Two\nmore\n\nThree\n=====\n",
            [("One", "section", 1, 5), ("One.Two", "section", 6, 7), ("Three", "section", 9, 10)],
        ),
        (
            "a.rst",
            "Title\n=====\n\nText\n\nPart\n----\nMore\n",
            [("Title", "section", 1, 4), ("Title.Part", "section", 6, 8)],
        ),
        (
            "a.toml",
            "x = 1\n\n# Why.\n[a.b]\ny = 2\n[[c]]\n",
            [("a.b", "section", 3, 5), ("c", "section", 6, 6)],
        ),
        (
            "a.yaml",
            "on: push\njobs:\n  test:\n    run: x\n",
            [("on", "value", 1, 1), ("jobs", "value", 2, 4)],
        ),
        (
            "Makefile",
            "all: x\n\techo\n\nclean:\n\trm x\n",
            [("all", "value", 1, 2), ("clean", "value", 4, 5)],
        ),
        ("a.go", "func (b *Box) Width(x int) int {\n\treturn 1\n}\n", [("Width", "function", 1, 3)]),
        (
            "a.rs",
            "pub struct Box {\n    w: i32,\n}\n\nimpl Box {\n    fn w(&self) -> i32 {\n        1\n    }\n}\n",
            [("Box", "class", 1, 3), ("Box", "class", 5, 9), ("Box.w", "method", 6, 8)],
        ),
        (
            "a.c",
            "int f(char *s) {\n    goto end;\nend:\n    return 0;\n}\n\nint g(\n  int x)\n{\n}\n",
            [("f", "function", 1, 5), ("g", "function", 7, 10)],
        ),
        (
            "quoted.ts",
            "class A {\n  f() {\n    return `\n- one\n`;\n  }\n\n  g() {\n    return 1;\n  }\n}\n",
            [("A", "class", 1, 11), ("A.f", "method", 2, 6), ("A.g", "method", 8, 10)],
        ),
        ("a.sh", 'run() {\n  echo\n}\nrun "$@"\n', [("run", "function", 1, 3)]),
    ],
)
def test_the_units_of_a_file(path: str, text: str, expected: list[tuple[str, str, int, int]]) -> None:
    assert named(path, text) == expected


def test_what_a_request_names() -> None:
    query = read_query(
        'In `Cart.total` the call sum_all() prints "no price" since 2.1.0 with --fast; see a/b.py:12\n'
        '  File "/x/shop.py", line 3, in total'
    )
    assert query.names == {"total", "sum_all"}
    assert query.owners == {"total": "Cart"}
    assert {"Cart.total", "Cart", "no price", "2.1.0", "--fast", "sum_all"} <= query.literals
    assert query.frames == (("/x/shop.py", 3), ("a/b.py", 12))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    texts = {
        "shop/cart.py": PYTHON,
        "shop/prices.py": PRICES,
        "shop/sale.py": SALE,
        "tests/test_sale.py": "from shop.sale import reduce\n\ndef test_half():\n    assert reduce(4) == 2\n",
        "docs/use.md": "# Use\n\nPrices are in cents.\n\n## Rounding\n\nEuros are rounded with `whole`.\n",
        "pyproject.toml": "[project]\nname = 'shop'\n\n[tool.ruff]\nline-length = 88\n",
        ".env": "TOTAL=rounds cents to whole euros\n",
        "secret.py": "-----BEGIN PRIVATE KEY-----\nrounds cents to whole euros\n",
        ".gitignore": "build\n",
        "build/prices.py": "def whole(cents):\n    'Rounds cents to whole euros.'\n",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "image.bin").write_bytes(b"\0rounds cents to whole euros")
    return Workspace(tmp_path)


@pytest.mark.parametrize(
    ("request_text", "path", "name"),
    [
        ("Where are cents rounded to euros?", "shop/prices.py", "whole"),
        ("`separator` is wrong", "shop/cart.py", "separator"),
        ("Cart.total fails", "shop/cart.py", "total"),
        ("test_half fails, fix the code and not the tests", "shop/sale.py", "reduce"),
        ("Add a heading to the docs about rounding", "docs/use.md", "Rounding"),
        ("Lines may have 100 characters: change line-length", "pyproject.toml", "tool.ruff"),
        ('  File "/home/me/shop/sale.py", line 8, in other\nTypeError', "shop/sale.py", "other"),
    ],
)
def test_the_right_place_comes_first(workspace: Workspace, request_text: str, path: str, name: str) -> None:
    found = [(each.entry.path, each.entry.unit.name) for each in rank_units(workspace, request_text)]
    assert (path, name) in found[:2]


def test_what_is_ignored_secret_or_no_text_is_not_found(workspace: Workspace) -> None:
    paths = {each.entry.path for each in rank_units(workspace, "rounds cents to whole euros, TOTAL")}
    assert paths == {"shop/cart.py", "shop/prices.py", "shop/sale.py", "docs/use.md"}


def test_of_a_long_request_both_ends_are_read(workspace: Workspace) -> None:
    pasted = "\n".join(f"word{number} in line {number}" for number in range(20_000))
    request = f'separator is wrong:\n{pasted}\n  File "shop/sale.py", line 8, in other'
    found = [each.entry.unit.name for each in rank_units(workspace, request)]
    assert {"separator", "other"} <= set(found[:6])


def test_words_of_the_asking_count_in_names_alone(workspace: Workspace) -> None:
    (workspace.root / "shop/where.py").write_text("def where():\n    pass\n")
    (workspace.root / "shop/note.py").write_text("# where where where\nNOTE = 1\n")
    found = rank_units(workspace, "Where is the note?", lambda word: word == "where")
    assert [each.entry.unit.name for each in found[:2]] == ["NOTE", "where"]


def test_a_request_without_words_finds_nothing(workspace: Workspace) -> None:
    assert rank_units(workspace, "? !") == []


def test_what_a_failing_test_calls_comes_before_other_tests(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_sum.py").write_text(
        "def total():\n    return 0\n\n\ndef helper(value):\n    return value\n\n\n"
        "def test_sums():\n    assert rounded(helper(1)) == 2\n"
    )
    (tmp_path / "sums.py").write_text(
        "from typing import overload\n\n\n@overload\ndef rounded(x: int) -> int: ...\n\n\n"
        "@overload\ndef rounded(x: str) -> str: ...\n\n\ndef rounded(x):\n"
        "    nearest = round(x)\n    return type(x)(nearest)\n"
    )
    ranked = rank_units(Workspace(tmp_path), "It fails in sums", frames=[("tests/test_sum.py", 10)])
    places = [(each.entry.unit.name, each.entry.unit.line) for each in ranked]
    assert set(places[:2]) == {("test_sums", 9), ("rounded", 12)}


def test_a_class_takes_the_place_of_its_methods(tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text(
        "class Box:\n    def opened(self):\n        return 1\n\n    def closed(self):\n        return 2\n"
    )
    ranked = rank_units(Workspace(tmp_path), "`opened` and `closed` of Box")
    assert len({each.entry.unit.kind for each in ranked}) == 2
    methods_first = sorted(ranked, key=lambda each: each.entry.unit.kind == "class")
    (excerpt,) = select_excerpts([replace(each, score=1.0) for each in methods_first], 1_000).excerpts
    assert (excerpt.first, excerpt.last) == (1, 6)
