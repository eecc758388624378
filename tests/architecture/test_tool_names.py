"""Only the tools themselves know what they are called: everything else asks their declarations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import text_agent
from text_agent.files.workspace import Workspace
from text_agent.tools.registry import default_tools

PACKAGE = Path(text_agent.__file__).parent
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in ("tools", "prompts")
)
NAMES = frozenset(default_tools(Workspace(PACKAGE)))
# `search` is a word of the language, too.
IN_A_TEXT = re.compile(rf"\b(?:{'|'.join(NAMES - {'search'})})\b")
# Examples of other programs' markers stand in the table of them; a name makes them readable.
WITH_EXAMPLES = frozenset({"protocol/markers.py"})


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The string constants of a module that are no docstrings, each with its line."""
    nodes = list(ast.walk(tree))
    statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in statements:
            yield node.lineno, node.value


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_module_outside_the_tools_names_one(module: Path) -> None:
    if module.relative_to(PACKAGE).as_posix() in WITH_EXAMPLES:
        pytest.skip("it has examples")
    named = [
        f"line {line}: {text!r}"
        for line, text in texts(ast.parse(module.read_text(encoding="utf-8")))
        if text in NAMES or IN_A_TEXT.search(text)
    ]
    assert named == []


def test_every_tool_declares_itself() -> None:
    for name, tool in default_tools(Workspace(PACKAGE)).items():
        declared = tool.declaration
        assert declared.words.names, name
        assert declared.paths is not None, name
        assert declared.words.parameters.keys() <= set(tool.names), name
        assert tool.effect != "write" or declared.paths, name
