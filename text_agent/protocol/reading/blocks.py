"""Fenced blocks in a reply that calls nothing: text that was shown and, perhaps, meant to be written."""

from __future__ import annotations

from dataclasses import dataclass

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.fence_lines import Closing, FenceLine, Fences, is_markdown

_PATH = r"(?P<path>[\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z0-9]{1,10})"
# A comment that names a file, as the first line of a text.
_HEADING_COMMENT = late_pattern(rf"\s*(?:#|//|--|;|/\*|<!--)\s*(?:[Ff]ile:?\s*)?{_PATH}\s*(?:\*/|-->)?\s*$")
# A line above a block that names a file, and little else.
_CAPTION = late_pattern(rf"[\W_]*(?:\w+\W+){{0,4}}?[`\"'*]*{_PATH}[`\"'*]*\W*$")
_INFO = late_pattern(rf"[\w+-]*[\s:]+(?:(?:title|file(?:name)?)=)?[\"']?{_PATH}[\"']?\s*$")
_NAMED = late_pattern(rf"(?<![\w./-]){_PATH}(?![\w/-])")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block."""

    caption: str  # the last line with text before it, since the block before
    info: str  # what stands behind the opening fence
    text: str  # what stands inside, without the last line break
    sure: bool = True  # whether it can end nowhere else


def outside_blocks(text: str) -> str:
    """The lines of `text` that stand in no fenced block."""
    return _divide(text)[0]


def find_blocks(text: str) -> list[Block]:
    """The fenced blocks of `text` that are closed."""
    return _divide(text)[1]


def unwritten_files(text: str, request: str) -> dict[str, str]:
    """The files that a reply shows instead of writing them: paths to texts.

    A block names its file in its first line, in the line above it, or behind its fence. A block that is the
    only one, and names none, is taken for the file that the request names, if it names just one.
    """
    blocks = find_blocks(text)
    files: dict[str, str] = {}
    for block in blocks:
        path, content = _named_by_itself(block)
        if path and content.strip() and block.sure:
            files[path] = content
    asked = set(match["path"] for match in _NAMED.finditer(request))
    if not files and len(blocks) == len(asked) == 1 and blocks[0].sure and blocks[0].text.strip():
        files[asked.pop()] = blocks[0].text
    return files


def _named_by_itself(block: Block) -> tuple[str, str]:
    first, _, rest = block.text.partition("\n")
    if comment := _HEADING_COMMENT.match(first):
        return comment["path"], rest.lstrip("\n")
    named = _INFO.match(block.info) or _CAPTION.match(block.caption)
    return (named["path"] if named else ""), block.text


def _divide(text: str) -> tuple[str, list[Block]]:
    """The lines outside of all blocks, and the blocks."""
    text = text.replace("\r\n", "\n").removesuffix("\n")
    fences, outside, blocks, position = Fences(text), list[str](), list[Block](), 0
    for line in fences.lines:
        if line.start < position:
            continue
        before = text[position : line.start]
        outside.append(before)
        caption = next((each.strip() for each in reversed(before.split("\n")) if each.strip()), "")
        closer, last = _closing(fences, line, caption)
        if closer is None:
            position = len(text)
            break
        inside = text[line.end + 1 : closer.start].removesuffix("\n")
        blocks.append(Block(caption, line.info.strip(), inside, last is None))
        position = (last or closer).end + 1
    return "".join([*outside, text[position:]]).removesuffix("\n"), blocks


def _closing(fences: Fences, line: FenceLine, caption: str) -> Closing:
    named = _CAPTION.match(caption) or _INFO.match(line.info)
    markdown = is_markdown(line.info, [named["path"]] if named else [])
    return fences.closing(line, may_go_on=lambda _: markdown)
