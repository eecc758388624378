"""Reads a file into units, in whatever language it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from text_agent.files.index.blocks import block_units
from text_agent.files.index.python_units import python_units
from text_agent.files.index.sections import markdown_units, rst_units, table_units
from text_agent.files.index.units import Unit, with_text_between
from text_agent.files.kinds import formats_of
from text_agent.files.lines import split_lines

_BY_HEADS: Mapping[str, Callable[[Sequence[str]], list[Unit]]] = {
    "md": markdown_units,
    "markdown": markdown_units,
    "mdx": markdown_units,
    "rst": rst_units,
    "txt": rst_units,
    "ini": table_units,
    "cfg": table_units,
    "conf": table_units,
    "editorconfig": table_units,
}


@lru_cache(maxsize=512)
def read_units(path: str, text: str) -> tuple[Unit, ...]:
    """Returns the units of a file, in order; together they hold every line that is not blank.

    Args:
        path: tells the language.
        text: the file's.
    """
    lines = split_lines(text).texts
    return tuple(with_text_between(_definitions(path, text, lines), lines))


def _definitions(path: str, text: str, lines: Sequence[str]) -> list[Unit]:
    formats = formats_of(path)
    if "Python" in formats and (found := python_units(text, lines)) is not None:
        return found
    if "TOML" in formats:
        return table_units(lines)
    by_heads = _BY_HEADS.get(path.rpartition(".")[2].lower())
    return by_heads(lines) if by_heads else block_units(lines)
