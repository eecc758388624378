"""Functions and classes that a draft shows alone, put into their files."""

import pytest

from text_agent.agent.small_models.draft_definitions import files_with_definitions
from text_agent.protocol.reading.blocks import find_blocks

SHOP = """\
'A shop.'

from __future__ import annotations

RATE = 2


def tax(net):
    return net


class Cart:
    x = 1
"""
MAIN = "import shop\n\n\n@shop.log\ndef main():\n    pass\n"
TEXTS = {"shop.py": SHOP, "main.py": MAIN, "notes.md": "def tax(net):\n", "bad.py": "def tax(:\n"}
TAX = "def tax(net):\n    return net * RATE\n"
NEW = SHOP.replace("def tax(net):\n    return net\n", TAX)


def drafted(*blocks: str) -> dict[str, str]:
    text = "\n".join(
        f"Here:\n{block}" if block.startswith("```") else f"```python\n{block}```" for block in blocks
    )
    return files_with_definitions(find_blocks(text), TEXTS)


def test_a_definition_takes_the_place_of_the_old_one() -> None:
    assert drafted(TAX) == {"shop.py": NEW}


def test_several_take_their_places() -> None:
    cart = "class Cart:\n    x = 2\n"
    main = "@shop.log\n@other\ndef main():\n    print(1)\n"
    assert drafted(TAX + "\n" + cart, main) == {
        "shop.py": NEW.replace("class Cart:\n    x = 1\n", cart),
        "main.py": "import shop\n\n\n" + main,
    }


def test_imports_that_are_missing_are_added() -> None:
    assert drafted("import math\n\n" + TAX) == {"shop.py": NEW.replace("RATE = 2", "import math\n\nRATE = 2")}
    assert drafted("import shop\nimport sys\n\n@shop.log\ndef main():\n    sys.exit()\n") == {
        "main.py": "import sys\n\nimport shop\n\n\n@shop.log\ndef main():\n    sys.exit()\n"
    }


def test_imports_go_where_the_definition_beside_them_goes() -> None:
    main = "import os\n\n\n@shop.log\ndef main():\n    pass\n"
    assert drafted(TAX, main) == {"shop.py": NEW}


def test_imports_of_all_blocks_of_a_definition_count_but_for_its_own_file() -> None:
    new = NEW.replace("RATE = 2", "import re\n\nRATE = 2")
    assert drafted("import re\nfrom shop import tax\nimport shop\n\n" + TAX, TAX) == {"shop.py": new}


@pytest.mark.parametrize(
    "block",
    [
        "def tax(net):\n    return net\n",
        "def other(net):\n    return net\n",
        TAX + "print(tax(1))\n",
        "def tax(net:\n",
        "tax(1)\n",
        "import math\n",
        "",
        f"```text\n{TAX}```",
        f"```diff\n{TAX}```",
    ],
)
def test_what_changes_no_definition(block: str) -> None:
    assert drafted(block) == {}


def test_a_definition_that_is_drafted_in_two_ways_is_none() -> None:
    assert drafted(TAX, TAX) == {"shop.py": NEW}
    assert drafted(TAX, TAX.replace("RATE", "3")) == {}


def test_a_name_of_two_definitions_is_nobodys() -> None:
    blocks = find_blocks(f"```\n{TAX}```")
    assert files_with_definitions(blocks, {"a.py": SHOP, "b.py": SHOP}) == {}
    assert files_with_definitions(blocks, {"a.py": TAX + TAX}) == {}


def test_names_that_a_file_has_are_not_imported_there() -> None:
    assert drafted("from shop import RATE, Cart\n\n" + TAX) == {"shop.py": NEW}


def test_a_definition_that_stands_there_already_is_shown_for_comparison() -> None:
    old = "def tax(net):\n    return net\n"
    assert drafted(old, TAX) == drafted(TAX, old) == {"shop.py": NEW}


@pytest.mark.parametrize("piece", ["    return net\n", "    return net * RATE\n", TAX + "RATE = 2\n"])
def test_a_piece_of_what_is_drafted_says_nothing_more(piece: str) -> None:
    assert drafted(piece, TAX) == {"shop.py": NEW}


@pytest.mark.parametrize(
    "block", ["    return 3\n", "    def total(self):\n        return 1\n", TAX + "RATE = 4\n"]
)
def test_a_piece_of_something_else_makes_the_draft_uncertain(block: str) -> None:
    assert drafted(TAX, block) == {}


@pytest.mark.parametrize(
    "block",
    [
        "def main():\n    print(1)\n",
        "def tax(net):\n    ...\n",
        "def tax(net):\n    'The tax.'\n    pass\n",
        "class tax:\n    x = 1\n",
        "def total(self):\n    return 2\n",
        "def inner():\n    return 2\n",
    ],
)
def test_what_cannot_be_meant_for_the_definition_of_that_name(block: str) -> None:
    basket = "class Basket:\n    def total(self): return 1\n\n\ndef total(basket):\n    return 1\n"
    nested = "def outer():\n    def inner(): return 1\n    return inner\n"
    texts = {**TEXTS, "basket.py": basket, "nested.py": nested}
    assert files_with_definitions(find_blocks(f"```python\n{block}```"), texts) == {}


def test_an_outline_may_become_another() -> None:
    blocks = find_blocks("```\nclass Error(ValueError):\n    pass\n```")
    texts = {"a.py": "class Error(Exception):\n    pass\n"}
    assert files_with_definitions(blocks, texts) == {"a.py": "class Error(ValueError):\n    pass\n"}


def test_lines_that_cannot_be_told_for_certain() -> None:
    assert files_with_definitions(find_blocks(f"```\n{TAX}```"), {"a.py": f"X = 1\r{SHOP}"}) == {}


def test_line_breaks_of_windows() -> None:
    assert files_with_definitions(find_blocks(f"```\n{TAX}```"), {"shop.py": SHOP.replace("\n", "\r\n")}) == {
        "shop.py": NEW
    }
