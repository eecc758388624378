"""The definitions of a Python file, by the language's own parser."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator, Sequence

from text_agent.files.index.units import Kind, Unit, first_with_comment

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_units(text: str, lines: Sequence[str]) -> list[Unit] | None:
    """Returns the definitions of a Python file, also inner ones; None if it is no valid Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return list(_units(tree.body, lines))


def _units(
    statements: Iterable[ast.stmt], lines: Sequence[str], parent: str = "", *, in_class: bool = False
) -> Iterator[Unit]:
    for each in statements:
        if isinstance(each, _Function | ast.ClassDef):
            kind: Kind = "class" if isinstance(each, ast.ClassDef) else "method" if in_class else "function"
            yield _unit(each, each.name, kind, parent, lines)
            name = f"{parent}.{each.name}" if parent else each.name
            yield from _units(each.body, lines, name, in_class=kind == "class")
        elif isinstance(each, ast.Assign | ast.AnnAssign) and (in_class or not parent):
            for name in _targets(each):
                yield _unit(each, name, "value", parent, lines)
                break
        elif isinstance(each, ast.If | ast.Try | ast.With):
            inner = [*each.body, *getattr(each, "orelse", ()), *getattr(each, "finalbody", ())]
            inner += [stmt for handler in getattr(each, "handlers", ()) for stmt in handler.body]
            yield from _units(inner, lines, parent, in_class=in_class)


def _unit(node: ast.stmt, name: str, kind: Kind, parent: str, lines: Sequence[str]) -> Unit:
    decorators = [each.lineno for each in getattr(node, "decorator_list", ())]
    first = first_with_comment(min([node.lineno, *decorators]), lines)
    return Unit(first, node.end_lineno or node.lineno, node.lineno, name, kind, parent)


def _targets(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id
