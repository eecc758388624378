from __future__ import annotations

import pytest

from text_agent.tools.editing.dropped import dropped_members, dropped_parts, is_asked_for

PYTHON = """import x

def add(a, b):
    return a + b

async def mul(a, b):
    def inner(): ...
    return a * b

class Calc:
    def method(self): ...

if __name__ == "__main__":
    add(1, 2)
"""
SCRIPT = """export default class App {}
export async function load() {}
function* walk() {}
const draw = (a) => a
export const one = async x => x
const size = 3
interface Shape {}
"""
GO = "func (s *Server) Start() {}\nfunc main() {}\ntype Server struct {}\n"
RUST = "pub fn run() {}\npub(crate) struct Point;\nenum Side {}\ntrait Draw {}\n"


@pytest.mark.parametrize(
    ("name", "before", "after", "dropped"),
    [
        ("a.py", PYTHON, PYTHON, ()),
        ("a.py", PYTHON, PYTHON + "def more(): ...\n", ()),
        ("a.py", PYTHON, PYTHON.replace("def add", "def plus"), ("add",)),
        (
            "a.py",
            PYTHON,
            PYTHON.replace("class Calc", "class Sum").replace('"__main__"', "'__main__'"),
            ("Calc",),
        ),
        ("a.py", PYTHON, PYTHON.replace("if __name__", "if not __name__"), ("the main block",)),
        ("a.py", PYTHON, "", ("add", "mul", "Calc", "the main block", "more than half of its lines")),
        ("a.py", "def f(\n", "x = 1\n", ("f",)),
        ("a.ts", SCRIPT, "", ("App", "load", "walk", "Shape", "draw", "one")),
        ("a.go", GO, "", ("Start", "main", "Server")),
        ("a.rs", RUST, "", ("run", "Point", "Side", "Draw")),
        ("notes.md", "class of words\n" * 9, "", ()),
        ("notes.md", "class of words\n\n" * 10, "a\n" * 5, ()),
        ("notes.md", "class of words\n\n" * 11, "a\n" * 5, ("more than half of its lines",)),
    ],
)
def test_dropped_parts(name: str, before: str, after: str, dropped: tuple[str, ...]) -> None:
    assert dropped_parts(name, before, after) == dropped


CART = """class Cart:
    size: int = 3
    tax = rate = 2
    class Item: ...
    def add(self): ...
    async def send(self): ...
    self.x = 1
"""


@pytest.mark.parametrize(
    ("name", "after", "dropped"),
    [
        ("a.py", CART, ()),
        ("a.py", CART + "x = 1\n", ()),
        ("a.py", CART.replace("add", "append").replace("tax = ", ""), ("Cart.tax", "Cart.add")),
        (
            "a.py",
            "class Cart: ...",
            ("Cart.size", "Cart.tax", "Cart.rate", "Cart.Item", "Cart.add", "Cart.send"),
        ),
        ("a.py", "class Basket: ...", ()),
        ("a.py", "class Cart(", ()),
        ("a.js", "", ()),
    ],
)
def test_dropped_members(name: str, after: str, dropped: tuple[str, ...]) -> None:
    assert dropped_members(name, CART, after) == dropped


def test_a_member_is_asked_for_by_its_own_name() -> None:
    assert is_asked_for("Cart.add", "Remove add.")
    assert not is_asked_for("Cart.add", "Mend Cart.")


@pytest.mark.parametrize(
    ("part", "request_text", "asked"),
    [
        ("add", "Rename add to plus.", True),
        ("add", "rename `add`", True),
        ("add", "Rename add_all to plus.", False),
        ("add", "Add a function.", False),
        ("the main block", "Take the main block out.", True),
        ("the main block", "Fix the remaining bugs.", False),
        ("more than half of its lines", "Rewrite a.py.", True),
        ("more than half of its lines", "Fix a.py.", False),
    ],
)
def test_what_the_user_asked_for(part: str, request_text: str, asked: bool) -> None:
    assert is_asked_for(part, request_text) is asked
