"""Lines with their own line breaks: a text is searched as a model sees it, and changed as it lies there."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from text_agent.files.encoding import NotTextError, decode_text
from text_agent.lazy_regex import late_pattern

_NO_BREAK = "\\ No newline at end of file"
_BREAK = late_pattern(r"\r?\n")
_THOROUGHLY = 1_000_000
_OLD_BREAK = late_pattern(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Lines:
    """A text in parts: `texts[0] + breaks[0] + texts[1] + ...`, one break fewer than texts."""

    texts: tuple[str, ...]
    breaks: tuple[str, ...]

    @property
    def view(self) -> str:
        r"""The text with every line break as `\n`, which is what a model sees."""
        return "\n".join(self.texts)

    @property
    def text(self) -> str:
        """The text as it is."""
        return "".join(text + ending for text, ending in zip(self.texts, (*self.breaks, ""), strict=True))


def with_equal_breaks(text: str) -> str:
    r"""A new file's text with line breaks of one kind: `\n` where it mixes them."""
    lines = split_lines(text)
    return text if len(set(lines.breaks)) < 2 else lines.view


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text by line and column, both from 0; the end is not in it."""

    first_line: int
    first_column: int
    last_line: int
    last_column: int


def split_lines(text: str, *, like: str | None = None) -> Lines:
    r"""The lines of `text`.

    A `\r` alone breaks lines only in a file that has no other breaks; `like` is that file's text, if it
    is not `text` itself.
    """
    model = text if like is None else like
    pattern = _OLD_BREAK if "\r" in model and "\n" not in model else _BREAK
    if pattern is _BREAK and "\r\n" not in text:  # the usual case, and ten times faster
        texts = tuple(text.split("\n"))
        return Lines(texts, ("\n",) * (len(texts) - 1))
    return Lines(tuple(pattern.split(text)), tuple(pattern.findall(text)))


def texts_in(lines: Lines, span: Span) -> list[str]:
    """The lines of a span; the first and the last may be parts of lines."""
    texts = list(lines.texts[span.first_line : span.last_line + 1])
    texts[-1] = texts[-1][: span.last_column]
    texts[0] = texts[0][span.first_column :]
    return texts


def splice(lines: Lines, span: Span, new: Lines) -> Lines:
    """`lines` with the span replaced; every line that stays keeps its own line break."""
    old = texts_in(lines, span)
    texts = list(new.texts)
    texts[0] = lines.texts[span.first_line][: span.first_column] + texts[0]
    texts[-1] += lines.texts[span.last_line][span.last_column :]
    breaks = _breaks_for(new, old, lines, span)
    return Lines(
        (*lines.texts[: span.first_line], *texts, *lines.texts[span.last_line + 1 :]),
        (*lines.breaks[: span.first_line], *breaks, *lines.breaks[span.last_line :]),
    )


def matching_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """For lines of `new` that stand in `old` too, in the same order: where they stand there."""
    blocks = _matcher(old, new).get_matching_blocks()
    return {block.b + offset: block.a + offset for block in blocks for offset in range(block.size)}


def _matcher(old: Sequence[str], new: Sequence[str]) -> difflib.SequenceMatcher[str]:
    # Large texts are compared without their commonest lines, which would take quadratic time.
    return difflib.SequenceMatcher(None, old, new, autojunk=len(old) * len(new) > _THOROUGHLY)


def _sources(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """As `matching_lines`, and for changed lines those that they replace."""
    opcodes = _matcher(old, new).get_opcodes()
    return {
        new_line: old_line
        for _, old_start, old_end, new_start, new_end in opcodes
        for old_line, new_line in zip(range(old_start, old_end), range(new_start, new_end), strict=False)
    }


def _breaks_for(new: Lines, old: Sequence[str], lines: Lines, span: Span) -> list[str]:
    """The line breaks of the new text: those of the lines that stay, their neighbours' for the others."""
    kinds = set(lines.breaks)
    if len(kinds) == 1:
        return [lines.breaks[0]] * len(new.breaks)
    if not kinds:
        return list(new.breaks)
    own = lines.breaks[span.first_line : span.last_line]
    sources = _sources(old, new.texts)
    chosen: list[str] = []
    near = lines.breaks[min(span.first_line, len(lines.breaks) - 1)]
    for index, given in enumerate(new.breaks):
        place = sources.get(index, len(own))
        # In a file of mixed breaks, one that was written as `\r\n` was meant as such.
        near = given if given != "\n" else own[place] if place < len(own) else near
        chosen.append(near)
    return chosen


def render_diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """A unified diff without a final line break; one line where a side is no text. None: there is no file."""
    try:
        old, new = _diffed(before or b""), _diffed(after or b"")
    except NotTextError:
        return f"{path}: {len(before or b''):,} bytes become {len(after or b''):,} bytes, which are not text"
    source, target = ("new file" if before is None else path), ("deleted file" if after is None else path)
    differences = list(difflib.unified_diff(old, new, source, target))
    if not differences:
        return f"--- {source}\n+++ {target}"
    return "\n".join(line for difference in differences for line in _printed(difference))


def render_move(source: str, target: str, before: bytes | None, after: bytes | None) -> str:
    """The same for a file that gets another path, and perhaps another text."""
    head = f"rename from {source}\nrename to {target}"
    if before == after:
        return head
    _, _, changes = render_diff(target, before, after).partition(f"\n+++ {target}")
    return f"{head}\n--- {source}\n+++ {target}{changes}"


def _diffed(data: bytes) -> list[str]:
    text, _ = decode_text(data)
    # Not splitlines(): it also breaks at characters that are no line breaks for any tool.
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _printed(difference: str) -> list[str]:
    if difference.endswith("\n"):
        return [difference[:-1].removesuffix("\r")]
    return [difference, _NO_BREAK]
