"""Markdown as lines for a screen.

Nothing of the text is lost: HTML, entities and link definitions are shown as they are written, a link is
followed by its address, and line breaks stay. What would hide text, or an address behind a text, is off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.cells import get_character_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from text_agent.terminal.output.code import colored_lines
from text_agent.text.sanitize import sanitize

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

_RULE_WIDTH = 40
# Columns that are left to text however deep it is nested.
_MIN_WIDTH = 20
# A table is written row by row where its cells would have to be broken to less than this.
_MIN_CELL_WIDTH = 8
# Between two cells.
_GAP = 3
_CODE_INDENT = "  "
_TAB_COLUMNS = 4
_INLINE_STYLES = {"strong": "markdown.strong", "em": "markdown.em", "s": "markdown.s"}


@dataclass(frozen=True, slots=True)
class _Margin:
    """What stands left of a block: before its first line, and before the others."""

    first: Text
    rest: Text

    def then(self, first: Text, rest: Text) -> _Margin:
        """This margin with another one inside."""
        return _Margin(Text.assemble(self.first, first), Text.assemble(self.rest, rest))

    @property
    def below(self) -> _Margin:
        """The margin of what follows."""
        return _Margin(self.rest, self.rest)


@cache
def parser() -> MarkdownIt:
    """The parser of all Markdown here."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    return markdown.disable(["reference", "entity"])


def render_markdown(text: str, console: Console, width: int, label: Text | None = None) -> list[Text]:
    """The lines of `text` at `width` columns, each a `Text` that needs no further wrapping.

    `text`: a model's Markdown, as it came. `label`: goes before the first words; on a line of its own where
    the text begins with no paragraph.
    """
    from markdown_it.tree import SyntaxTreeNode

    text = sanitize(text)
    tokens = parser().parse(text)
    if _is_too_deep(tokens):
        return list(_Writer(console, width).as_written(text, _Margin(label or Text(), Text())))
    nodes = SyntaxTreeNode(tokens).children
    margin = _Margin(label or Text(), Text())
    lines: list[Text] = []
    if label and nodes and nodes[0].type != "paragraph":
        lines, margin = [label], margin.below
    return lines + list(_Writer(console, width).blocks(nodes, margin))


class _Writer:
    """Writes blocks as lines."""

    def __init__(self, console: Console, width: int) -> None:
        self._console = console
        self._width = width

    def blocks(self, nodes: Sequence[SyntaxTreeNode], margin: _Margin) -> Iterator[Text]:
        """The lines of blocks, with an empty line between them."""
        for index, node in enumerate(nodes):
            if index and not _is_tight(node):
                yield _trimmed(margin.rest)
            yield from self._block(node, margin)
            margin = margin.below

    def as_written(self, text: str, margin: _Margin) -> Iterator[Text]:
        """The lines of text that is no Markdown."""
        yield from self._wrapped(Text(text.rstrip("\n")), margin, "")

    def _block(self, node: SyntaxTreeNode, margin: _Margin) -> Iterator[Text]:
        match node.type:
            case "heading":
                yield from self._wrapped(self._inline(node), margin, f"markdown.{node.tag}")
            case "bullet_list" | "ordered_list":
                yield from self._list(node, margin)
            case "blockquote":
                bar = Text("\u2502 ", "markdown.block_quote")
                yield from self.blocks(node.children, margin.then(bar, bar))
            case "fence" | "code_block":
                language = language_behind(node.info) if node.type == "fence" else ""
                room = self._width - margin.rest.cell_len
                for line in code_lines(node.content, language, self._console, room):
                    yield Text.assemble(margin.first, line)
                    margin = margin.below
            case "hr":
                rule = "\u2500" * min(_RULE_WIDTH, self._width - margin.first.cell_len)
                yield Text.assemble(margin.first, Text(rule, "markdown.hr"))
            case "table":
                yield from self._table(node, margin)
            case _:
                yield from self._wrapped(self._inline(node), margin, "")

    def _list(self, node: SyntaxTreeNode, margin: _Margin) -> Iterator[Text]:
        number = int(str(node.attrs.get("start", 1)))
        loose = any(_is_loose(item) for item in node.children)
        for index, item in enumerate(node.children):
            if index and loose:
                yield _trimmed(margin.rest)
            sign = "\u2022 " if node.type == "bullet_list" else f"{number + index}. "
            inner = margin.then(Text(sign, "markdown.item.bullet"), Text(" " * len(sign)))
            yield from self.blocks(item.children, inner) if item.children else [inner.first]
            margin = margin.below

    def _table(self, node: SyntaxTreeNode, margin: _Margin) -> Iterator[Text]:
        head, *rows = [
            [self._inline(cell) for cell in row.children]
            for section in node.children
            for row in section.children
        ]
        room = max(_MIN_WIDTH, self._width - margin.rest.cell_len)
        if _fits([head, *rows], room):
            yield from self._grid(head, rows, margin, room)
        else:
            yield from self._records(head, rows, margin)

    def _grid(
        self, head: Sequence[Text], rows: Sequence[Sequence[Text]], margin: _Margin, room: int
    ) -> Iterator[Text]:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, border_style="markdown.hr")
        for cell in head:
            table.add_column(cell, overflow="fold")
        for row in rows:
            table.add_row(*row)
        options = self._console.options.update(width=room, height=None)
        for segments in self._console.render_lines(table, options, pad=False):
            line = Text.assemble(*((part.text, part.style or "") for part in segments))
            yield Text.assemble(margin.first, _trimmed(line))
            margin = margin.below

    def _records(
        self, head: Sequence[Text], rows: Sequence[Sequence[Text]], margin: _Margin
    ) -> Iterator[Text]:
        """A table that is too wide: a line for each cell, an empty one between rows."""
        for index, row in enumerate(rows or [[Text()] * len(head)]):
            if index:
                yield _trimmed(margin.rest)
            for name, cell in zip(head, row, strict=True):
                yield from self._wrapped(Text.assemble(name, Text(": "), cell), margin, "")
                margin = margin.below

    def _wrapped(self, text: Text, margin: _Margin, style: str) -> Iterator[Text]:
        text.stylize(style)
        for line in text.split("\n", allow_blank=True):
            for piece in wrap(line, self._console, self._width - margin.first.cell_len):
                yield Text.assemble(margin.first, piece)
                margin = margin.below

    def _inline(self, node: SyntaxTreeNode) -> Text:
        text = Text()
        for child in node.children:
            for token in child.children if child.type == "inline" else [child]:
                text.append_text(self._inline_node(token))
        return text

    def _inline_node(self, node: SyntaxTreeNode) -> Text:
        match node.type:
            case "softbreak" | "hardbreak":
                return Text("\n")
            case "code_inline":
                mark = "`" if self._console.color_system is None else ""
                return Text(f"{mark}{sanitize(node.content)}{mark}", "markdown.code")
            case "link":
                return self._link(node, str(node.attrs.get("href", "")))
            case "image":
                return self._link(node, str(node.attrs.get("src", "")))
            case "strong" | "em" | "s":
                text = self._inline(node)
                text.stylize(_INLINE_STYLES[node.type])
                return text
            case _:
                # Once more: the parser decodes the address that it shows for `<http://...>`.
                return Text(sanitize(node.content))

    def _link(self, node: SyntaxTreeNode, address: str) -> Text:
        text = self._inline(node) if node.children else Text(sanitize(node.content))
        address = sanitize(address)
        text.stylize("markdown.link")
        if address in (text.plain, f"mailto:{text.plain}"):
            return text
        return Text.assemble(text, Text(f" ({address})", "markdown.link_url"))


def language_behind(info: str) -> str:
    """The language that stands behind a fence; empty without one."""
    return next(iter(info.split()), "")


def code_lines(code: str, language: str, console: Console, width: int, skipped: int = 0) -> Iterator[Text]:
    """The lines of a code block, but for the first `skipped`; one that is too long goes on in the next."""
    indent = Text(_CODE_INDENT)
    for line in colored_lines(code.removesuffix("\n"), language, console)[skipped:]:
        for piece in fold(line, width - indent.cell_len):
            yield Text.assemble(indent, piece)


def wrap(text: Text, console: Console, width: int) -> list[Text]:
    """The lines of one line of text, broken between words."""
    lines = text.wrap(console, max(_MIN_WIDTH, width), overflow="fold")
    return [_trimmed(line) for line in lines] or [Text()]


def fold(text: Text, width: int) -> list[Text]:
    """The lines of one line of text, broken anywhere: no blank of it is lost."""
    width = max(_MIN_WIDTH, width)
    text.expand_tabs(_TAB_COLUMNS)
    if text.cell_len <= width:
        return [text]
    cuts: list[int] = []
    column = 0
    for index, character in enumerate(text.plain):
        cells = get_character_cell_size(character)
        if column + cells > width:
            cuts.append(index)
            column = 0
        column += cells
    return list(text.divide(cuts))


def _trimmed(text: Text) -> Text:
    trimmed = text.copy()
    trimmed.rstrip()
    return trimmed


def _is_too_deep(tokens: Sequence[Token]) -> bool:
    """Whether the parser may have left out text, as it does with what is nested deeper than it goes."""
    return any(token.level >= parser().options.maxNesting - 1 for token in tokens)


def _fits(rows: Sequence[Sequence[Text]], room: int) -> bool:
    """Whether a table has room as it is, or with cells that are broken but still can be read."""
    widths: list[int] = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    return sum(min(width, _MIN_CELL_WIDTH) + _GAP for width in widths) - _GAP <= room


def _is_tight(node: SyntaxTreeNode) -> bool:
    """Whether no empty line goes before a block: a list in an item of a list."""
    return (
        node.type in ("bullet_list", "ordered_list")
        and node.parent is not None
        and node.parent.type == "list_item"
        and not _is_loose(node.parent)
    )


def _is_loose(item: SyntaxTreeNode) -> bool:
    return any(child.type == "paragraph" and not child.hidden for child in item.children)
