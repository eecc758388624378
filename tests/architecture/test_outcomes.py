"""What the program says is never read back by it: what it has to know of a call is data on the result."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import text_agent
from text_agent.protocol import templates

PACKAGE = Path(text_agent.__file__).parent
# Methods of texts and functions of patterns that look into a text, by their first argument.
LOOKS = frozenset(
    {
        *(
            "compile",
            "count",
            "endswith",
            "find",
            "findall",
            "finditer",
            "fullmatch",
            "index",
            "late_pattern",
        ),
        *("match", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rpartition"),
        *("rsplit", "search", "split", "startswith", "sub"),
    }
)
# Words of other programs.
FOREIGN = frozenset({"bytes ", "tool[\u2581_ ]sep"})
# Letters of a text that could not stand in another one by chance.
LETTERS = 4


@dataclass(frozen=True)
class Module:
    """The string constants of a module: those that a text is searched for, and those that are written."""

    read: frozenset[str]
    written: frozenset[str]


def strings(node: ast.AST) -> Iterator[ast.Constant]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each


def looked_for(node: ast.AST) -> list[ast.expr]:
    """What a text is searched for in an expression."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return node.args[:1] if name in LOOKS else []
    holds = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
    return [node.left] if isinstance(node, ast.Compare) and holds else []


def read_module(source: str) -> Module:
    tree = ast.parse(source)
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    named = {
        target.id: list(strings(node.value))
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    read = {
        id(constant): constant.value
        for node in ast.walk(tree)
        for expression in looked_for(node)
        for part in ast.walk(expression)
        for constant in [*strings(part), *(named.get(part.id, []) if isinstance(part, ast.Name) else [])]
    }
    others = {node.value for node in strings(tree) if id(node) not in read and id(node) not in statements}
    return Module(frozenset(map(str, read.values())), frozenset(map(str, others)))


def readings(modules: list[Module], more: str = "") -> list[str]:
    """The pieces of what is written anywhere, such as `exit code `, that a text is searched for."""
    written = "\n".join([more, *(text for module in modules for text in module.written)])
    sought = {text for module in modules for text in module.read}
    # A sentence, or the beginning of a header; single words and options are names.
    plain = {re.sub(r"\\[AZbsdw]|\\(?=\W)|^\^|\d+$", "", text).strip("\n") for text in sought}
    return sorted(
        text
        for text in plain - FOREIGN
        if len(re.findall("[a-z]", text)) >= LETTERS and re.search(r"\s|\($", text) and text in written
    )


@pytest.mark.parametrize(
    "source",
    [
        'def f(n, text):\n    say(f"exit code {n}")\n    return text.startswith("exit code 1")',
        'def f(n, text):\n    say(f"; next: {n} steps")\n    return text.partition("; next: ")[2]',
        'NEW = "--- new file"\ndef f(text):\n    return NEW in text\ndef g():\n    say("--- new file\\n+")',
        'P = re.compile(r"^tool_result\\(")\ndef f(name):\n    return f"tool_result({name})"',
    ],
)
def test_a_text_that_is_read_back_is_found(source: str) -> None:
    assert readings([read_module(source)])


def test_no_text_of_the_program_is_read_back() -> None:
    modules = [read_module(path.read_text()) for path in PACKAGE.rglob("*.py")]
    folder = Path(templates.__file__).parents[2] / "prompts"
    prompts = "\n".join(path.read_text() for path in folder.glob("*.md"))
    assert prompts
    assert readings(modules, prompts) == []
