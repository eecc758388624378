"""Python in a file, as far as it can be read without running it."""

from __future__ import annotations

import ast
import warnings


def parse_python(text: str) -> ast.Module | None:
    """The syntax tree of a Python text; None if it is not valid, or too deep to be read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about doubtful, but valid code
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
