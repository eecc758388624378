"""Whole functions and classes that a draft shows alone: `Here is the corrected function:` and a block.

A small model that explains a change often writes out just the definition that it changes. Where one file of
the project has a definition of that name at its margin, and no other has, nothing else can be meant.
"""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping

from text_agent.files.lines import split_lines
from text_agent.protocol.blocks import Block

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_LANGUAGES = ("", "py", "python", "python3")


def files_with_definitions(blocks: Iterable[Block], texts: Mapping[str, str]) -> dict[str, str]:
    """The files whose definitions stand in blocks of Python, with these in the place of their own.

    Args:
        blocks: those of a draft; one that holds anything but definitions and imports changes nothing.
        texts: the project's files, by path.

    Returns:
        New texts by path, with the imports of these blocks that they lack; empty if a definition is drafted
        in two ways, or its name is not that of one definition of the project.
    """
    homes = _homes(texts)
    new: dict[str, str] = {}
    imports: dict[str, list[ast.stmt]] = defaultdict(list)
    for block in blocks:
        tree = _parsed(block.text) if block.info.lower() in _LANGUAGES else ast.Module([], [])
        if not all(isinstance(each, _Definition | ast.Import | ast.ImportFrom) for each in tree.body):
            continue
        needed = [each for each in tree.body if not isinstance(each, _Definition)]
        for each in tree.body:
            if isinstance(each, _Definition):
                imports[each.name] += needed
                if new.setdefault(each.name, _source(block.text, each)) != _source(block.text, each):
                    return {}
    files: dict[str, str] = {}
    for name, definition in new.items():
        if len(homes[name]) != 1:
            return {}
        (path,) = homes[name]
        before = files.get(path, split_lines(texts[path]).view)
        after = _with_definition(before, name, definition)
        if after != before:
            files[path] = _with_imports(after, [each for each in imports[name] if not _is_of(path, each)])
    return files


def _is_of(path: str, node: ast.stmt) -> bool:
    """Whether an import is that of the file itself, as beside a test of it."""
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
    return any(f".{module}".endswith(f".{name}") for name in names)


def _homes(texts: Mapping[str, str]) -> defaultdict[str, list[str]]:
    """Where each definition stands; twice in one file counts twice."""
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path, text in texts.items():
        for each in _parsed(text).body if path.endswith(".py") else ():
            if isinstance(each, _Definition):
                homes[each.name].append(path)
    return homes


def _parsed(text: str) -> ast.Module:
    """What a text says as Python; nothing if it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about doubtful, but valid code
            return ast.parse(split_lines(text).view)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _span(node: ast.stmt) -> slice:
    """Its lines, and those of its decorators."""
    nodes = (node, *getattr(node, "decorator_list", ()))
    return slice(min(each.lineno for each in nodes) - 1, node.end_lineno)


def _source(text: str, node: _Definition) -> str:
    return "\n".join(split_lines(text).view.split("\n")[_span(node)])


def _with_definition(text: str, name: str, definition: str) -> str:
    (node,) = (each for each in _parsed(text).body if isinstance(each, _Definition) and each.name == name)
    lines = split_lines(text).view.split("\n")
    lines[_span(node)] = definition.split("\n")
    return "\n".join(lines)


def _with_imports(text: str, imports: Iterable[ast.stmt]) -> str:
    """The text with the imports that it lacks, in front of its first statement but for words about it."""
    body = _parsed(text).body
    there = {ast.unparse(each) for each in body}
    missing = [each for each in dict.fromkeys(map(ast.unparse, imports)) if each not in there]
    first = next(each for each in body if not _is_heading(each))
    lines = text.split("\n")
    at = _span(first).start
    return "\n".join([*lines[:at], *missing, *([""] * bool(missing)), *lines[at:]])


def _is_heading(node: ast.stmt) -> bool:
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return future or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
