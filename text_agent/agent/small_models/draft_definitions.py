"""Whole functions and classes that a draft shows alone: `Here is the corrected function:` and a block.

A small model that explains a change often writes out just the definition that it changes. Where one file of
the project has a definition of that name at its margin, and no other has, nothing else can be meant.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from text_agent.files.lines import split_lines
from text_agent.files.python_text import parse_python
from text_agent.protocol.reading.blocks import Block

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Import = ast.Import | ast.ImportFrom
_PYTHON = ("py", "python", "python3")


def files_with_definitions(blocks: Iterable[Block], texts: Mapping[str, str]) -> dict[str, str]:
    """The files whose definitions stand in blocks of Python, with these in the place of their own.

    Args:
        blocks: those of a draft; examples of how a definition is used, and what stands in the files,
            change nothing.
        texts: the project's files, by path.

    Returns:
        New texts by path, with the imports of these blocks that they lack; empty if a definition is drafted
        in two ways, if its name is not that of one definition of the project, or if a block is a piece of
        something else.
    """
    homes = _homes(texts)
    new: dict[str, _Drafted] = {}
    needed: dict[str, list[_Import]] = defaultdict(list)
    pieces: list[str] = []
    for block in blocks:
        if block.info.lower() not in ("", *_PYTHON):
            continue
        tree = _parsed(block.text)
        body = tree.body if tree else []
        definitions = [each for each in body if isinstance(each, _Definition)]
        imports = [each for each in body if isinstance(each, _Import)]
        if (tree is None and block.info) or (definitions and len(definitions) + len(imports) < len(body)):
            pieces.append(block.text)
            continue
        for each in definitions:
            drafted = _Drafted(each, _source(block.text, each))
            needed[each.name] += imports
            if any(drafted.source == home.source for home in homes[each.name]):
                continue
            if new.setdefault(each.name, drafted).source != drafted.source:
                return {}
    files: dict[str, str] = {}
    for name, drafted in new.items():
        if len(homes[name]) != 1 or not _replaces(drafted.node, homes[name][0]):
            return {}
        path = homes[name][0].path
        before = files.get(path, split_lines(texts[path]).view)
        imports = [each for each in needed[name] if not _is_of(path, each)]
        files[path] = _with_imports(_with_definition(before, drafted), imports)
    known = _filled_lines([*texts.values(), *files.values()])
    return files if _filled_lines(pieces) <= known else {}


def _filled_lines(texts: Iterable[str]) -> set[str]:
    return {line.strip() for text in texts for line in text.split("\n")} - {""}


@dataclass(frozen=True, slots=True)
class _Drafted:
    """A definition as it stands in a block."""

    node: _Definition
    source: str


@dataclass(frozen=True, slots=True)
class _Home:
    """Where a definition stands in the project."""

    path: str
    node: _Definition
    source: str


def _is_of(path: str, node: _Import) -> bool:
    """Whether an import is that of the file itself, as beside a test of it."""
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
    return any(f".{module}".endswith(f".{name}") for name in names)


def _homes(texts: Mapping[str, str]) -> defaultdict[str, list[_Home]]:
    """The definitions of the project by name, those inside others, too."""
    homes: defaultdict[str, list[_Home]] = defaultdict(list)
    for path, text in texts.items():
        tree = _parsed(text) if path.endswith(".py") else None
        for node in ast.walk(tree or ast.Module([], [])):
            if isinstance(node, _Definition):
                homes[node.name].append(_Home(path, node, _source(text, node)))
    return homes


def _replaces(node: _Definition, home: _Home) -> bool:
    """Whether a definition can be meant for another: no method, no outline, nothing undecorated."""
    at_margin = home.node.col_offset == 0
    same_kind = isinstance(node, ast.ClassDef) == isinstance(home.node, ast.ClassDef)
    decorated = len(node.decorator_list) >= len(home.node.decorator_list)
    return at_margin and same_kind and decorated and (_is_outline(home.node) or not _is_outline(node))


def _is_outline(node: _Definition) -> bool:
    """Whether nothing but words stands in it."""
    return all(
        isinstance(each, ast.Pass) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in node.body
    )


def _parsed(text: str) -> ast.Module | None:
    """What a text says as Python; None if it is none, or if its lines cannot be told for certain."""
    view = split_lines(text).view
    return None if "\r" in view else parse_python(view)


def _span(node: ast.stmt) -> slice:
    """Its lines, and those of its decorators."""
    nodes = (node, *getattr(node, "decorator_list", ()))
    return slice(min(each.lineno for each in nodes) - 1, node.end_lineno)


def _source(text: str, node: _Definition) -> str:
    return "\n".join(split_lines(text).view.split("\n")[_span(node)])


def _body(text: str) -> list[ast.stmt]:
    tree = _parsed(text)
    return tree.body if tree else []


def _with_definition(text: str, drafted: _Drafted) -> str:
    name = drafted.node.name
    (node,) = (each for each in _body(text) if isinstance(each, _Definition) and each.name == name)
    lines = text.split("\n")
    lines[_span(node)] = drafted.source.split("\n")
    return "\n".join(lines)


def _with_imports(text: str, imports: Iterable[_Import]) -> str:
    """The text with the imports that it lacks, in front of its first statement but for words about it."""
    body = _body(text)
    there = {ast.unparse(each) for each in body}
    missing = [each for each in dict.fromkeys(map(ast.unparse, imports)) if each not in there]
    first = next(each for each in body if not _is_heading(each))
    lines = text.split("\n")
    at = _span(first).start
    return "\n".join([*lines[:at], *missing, *([""] * bool(missing)), *lines[at:]])


def _is_heading(node: ast.stmt) -> bool:
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return future or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
