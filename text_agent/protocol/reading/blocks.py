"""Fenced blocks in a reply that calls nothing: text that was shown and, perhaps, meant to be written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from text_agent.lazy_regex import late_pattern

_FENCE = late_pattern(r"(\s*)(`{3,}|~{3,})([^`]*)$")
_PATH = r"(?P<path>[\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z0-9]{1,10})"
# A comment that names a file, as the first line of a text.
_HEADING_COMMENT = late_pattern(rf"\s*(?:#|//|--|;|/\*|<!--)\s*(?:[Ff]ile:?\s*)?{_PATH}\s*(?:\*/|-->)?\s*$")
# A line above a block that names a file, and little else.
_CAPTION = late_pattern(rf"[\W_]*(?:\w+\W+){{0,4}}?[`\"'*]*{_PATH}[`\"'*]*\W*$")
_INFO = late_pattern(rf"[\w+-]*[\s:]+(?:(?:title|file(?:name)?)=)?[\"']?{_PATH}[\"']?\s*$")
_NAMED = late_pattern(rf"(?<![\w./-]){_PATH}(?![\w/-])")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Attributes:
        caption: the last line with text before it, since the block before.
        info: what stands behind the opening fence.
        text: what stands inside, without the last line break.
    """

    caption: str
    info: str
    text: str


def outside_blocks(text: str) -> str:
    """The lines of `text` that stand in no fenced block."""
    return "\n".join(line for line, block in _lines(text) if block is None)


def find_blocks(text: str) -> list[Block]:
    """The fenced blocks of `text` that are closed."""
    return [block for _, block in _lines(text) if isinstance(block, Block)]


def unwritten_files(text: str, request: str) -> dict[str, str]:
    """The files that a reply shows instead of writing them: paths to texts.

    A block names its file in its first line, in the line above it, or behind its fence. A block that is the
    only one, and names none, is taken for the file that the request names, if it names just one.
    """
    blocks = find_blocks(text)
    files: dict[str, str] = {}
    for block in blocks:
        path, content = _named_by_itself(block)
        if path and content.strip():
            files[path] = content
    asked = set(match["path"] for match in _NAMED.finditer(request))
    if not files and len(blocks) == len(asked) == 1 and blocks[0].text.strip():
        files[asked.pop()] = blocks[0].text
    return files


def _named_by_itself(block: Block) -> tuple[str, str]:
    first, _, rest = block.text.partition("\n")
    if comment := _HEADING_COMMENT.match(first):
        return comment["path"], rest.lstrip("\n")
    named = _INFO.match(block.info) or _CAPTION.match(block.caption)
    return (named["path"] if named else ""), block.text


def _lines(text: str) -> Iterator[tuple[str, Block | str | None]]:
    """Each line, with None if it stands outside, and the whole block where it closes one.

    A fence farther in than the one that opened is text, as in the documentation of a function.
    """
    fence, info, caption, margin = "", "", "", 0
    inside: list[str] = []
    # Not splitlines(): it also breaks at characters that are no line breaks for any tool.
    for line in text.replace("\r\n", "\n").removesuffix("\n").split("\n"):
        mark = _FENCE.match(line)
        if not fence:
            if mark:
                fence, info, margin, inside = mark[2], mark[3].strip(), len(mark[1]), []
            elif line.strip():
                caption = line.strip()
            yield line, "fence" if mark else None
        elif mark and mark[2].startswith(fence) and len(mark[1]) <= margin and not mark[3].strip():
            yield line, Block(caption, info, "\n".join(inside))
            fence, caption = "", ""
        else:
            inside.append(line)
            yield line, "inside"
