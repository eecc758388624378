"""A reply on its way: what of it can be printed for good, and what may still change.

What is shown of a reply is its own words, and its thinking; not its calls and their blocks, which have
lines of their own once they are run. The reader of replies tells which is which, each character once. Words
can be printed for good when their block of Markdown is complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.reply_events import Aside, CallBegun, CallEnded, Malformed, Prose, Withdrawn
from text_agent.protocol.reading.streaming import ReplyReader
from text_agent.protocol.reading.thinking import THINK_CLOSER, THINK_OPENER
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ParsedReply
from text_agent.terminal.output.markdown import language_behind, parser

if TYPE_CHECKING:
    from markdown_it.token import Token

# What the parser of Markdown takes for the end of a line.
_LINE_BREAK = late_pattern(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Shown:
    """A stretch of a reply as it is shown."""

    # `words` in Markdown; `code` for a code block; `aside` for what is not part of the answer, such as
    # thinking.
    kind: Literal["words", "code", "aside"]
    text: str  # as the model wrote it; of code without its fence
    done: bool = True  # it will not change any more
    begins: bool = True  # whether it is set off from what stands before it
    language: str = ""  # of the code
    skipped: int = 0  # lines of the code that were shown before


@dataclass(slots=True)
class _Stretch:
    """Words or an aside without a gap, from the first character that is not printed."""

    is_words: bool
    text: str
    end: int


class ReplyView:
    """One reply of the model.

    `in_blocks`: words are done when their block is; otherwise at once, for a screen without redrawing.

    Attributes:
        calling: the tool of the call that is being written; empty without one.
        characters: how many there are so far.
    """

    def __init__(self, tools: ToolDescriptions, *, in_blocks: bool) -> None:
        self.calling = ""
        self.characters = 0
        self._reader = ReplyReader(tools)
        self._in_blocks = in_blocks
        self._pieces: list[str] = []
        self._stretches: list[_Stretch] = []
        self._code_lines = 0
        self._after_item = False

    def feed(self, piece: str) -> None:
        """Adds the next piece."""
        self._pieces.append(piece)
        self.characters += len(piece)

    def advance(self) -> list[Shown]:
        """What is to be printed for good since the last time, and behind it what is shown for now."""
        return self._advance(is_last=False)

    def finish(self, parsed: ParsedReply | None = None) -> list[Shown]:
        """What is left to be printed once the reply is complete.

        `parsed`: what the whole reply says, where that is known already.
        """
        return self._advance(is_last=True, parsed=parsed)

    def _advance(self, *, is_last: bool, parsed: ParsedReply | None = None) -> list[Shown]:
        events = self._reader.feed("".join(self._pieces))
        self._pieces.clear()
        for event in [*events, *(self._reader.finish(parsed) if is_last else [])]:
            match event:
                case Prose(text, span) | Aside(text, span):
                    self._add(_Stretch(isinstance(event, Prose), text, span[1]))
                case CallBegun(name):
                    self.calling = name or "a tool"
                case CallEnded() | Malformed() | Withdrawn():
                    self.calling = ""
        stretches, self._stretches = self._stretches, []
        shown: list[Shown] = []
        for stretch in stretches:
            goes_on = not is_last and stretch is stretches[-1]
            shown += self._words(stretch, goes_on) if stretch.is_words else self._aside(stretch, goes_on)
        return shown

    def _add(self, new: _Stretch) -> None:
        last = self._stretches[-1] if self._stretches else None
        if last and last.is_words == new.is_words and last.end == new.end - len(new.text):
            last.text, last.end = last.text + new.text, new.end
        else:
            self._stretches.append(new)

    def _keep(self, stretch: _Stretch, printed: int) -> None:
        """Keeps what may still change of a stretch that goes on."""
        self._stretches = [_Stretch(stretch.is_words, stretch.text[printed:], stretch.end)]

    def _words(self, stretch: _Stretch, goes_on: bool) -> Iterator[Shown]:
        if not self._in_blocks:
            yield Shown("words", stretch.text)
            return
        blocks = split_blocks(stretch.text)
        for index, block in enumerate(blocks):
            words = stretch.text[block.start : block.end]
            shown = self._block(words, block.kind)
            if goes_on and index == len(blocks) - 1:
                self._keep(stretch, block.start)
                yield from self._unfinished(words, shown)
                return
            yield shown
            self._code_lines = 0
            self._after_item = block.kind == "item"

    def _block(self, words: str, kind: str) -> Shown:
        if kind == "fence":
            token = next(token for token in parser().parse(words) if token.type == "fence")
            language = language_behind(token.info)
            return Shown("code", token.content, True, not self._code_lines, language, self._code_lines)
        self._code_lines = 0
        return Shown("words", words, begins=not (self._after_item and kind == "item"))

    def _unfinished(self, words: str, shown: Shown) -> Iterator[Shown]:
        """A block that goes on; its complete lines of code are done."""
        lines = words.count("\n") - 1
        if shown.kind == "code" and lines > self._code_lines:
            complete = "".join(shown.text.splitlines(keepends=True)[:lines])
            yield replace(shown, text=complete)
            self._code_lines = lines
            shown = replace(shown, begins=False, skipped=lines)
        yield replace(shown, done=False)

    def _aside(self, stretch: _Stretch, goes_on: bool) -> Iterator[Shown]:
        end = stretch.text.rfind("\n") + 1 if goes_on else len(stretch.text)
        if end:
            yield Shown("aside", without_tags(stretch.text[:end]))
        if goes_on:
            self._keep(stretch, end)
        if end < len(stretch.text):
            yield Shown("aside", without_tags(stretch.text[end:]), done=False)


def without_tags(text: str) -> str:
    """Thinking without what marks it."""
    return THINK_CLOSER.sub("", THINK_OPENER.sub("", text))


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a text: an item of a list counts as one."""

    kind: str  # `item`, `fence`, or the parser's word
    start: int  # where it begins, in characters
    end: int  # where the next one begins


def split_blocks(text: str) -> list[Block]:
    """The outermost blocks of `text`, and the items of its outermost lists, in order and without gaps."""
    offsets = [0, *(match.end() for match in _LINE_BREAK.finditer(text)), len(text)]
    starts = [(kind, offsets[line]) for kind, line in _first_lines(parser().parse(text))]
    if not starts:
        return []
    kind, _ = starts[0]
    starts[0] = (kind, 0)
    ends = [*(start for _, start in starts[1:]), len(text)]
    return [Block(kind, start, end) for (kind, start), end in zip(starts, ends, strict=True)]


def _first_lines(tokens: Sequence[Token]) -> Iterator[tuple[str, int]]:
    for token in tokens:
        if token.map is None or token.nesting < 0:
            continue
        if token.type == "list_item_open" and token.level == 1:
            yield "item", token.map[0]
        elif token.level == 0 and not token.type.endswith("_list_open"):
            yield token.type.removesuffix("_open"), token.map[0]
