"""A reply on its way: what of it can be printed for good, and what may still change.

What is shown of a reply is its own words, and its thinking; not its calls and their blocks, which have
lines of their own once they are run. What a line belongs to is known for certain only at the end. So
nothing behind the beginning of a call is shown before the reply is complete, and of its last line no more
than cannot be the beginning of a call. Every character that is neither call nor block is shown once,
whatever it was taken for on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.thinking import THINK_CLOSER, THINK_OPENER
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ParsedReply, PartKind
from text_agent.terminal.output.markdown import parser, split_blocks

# A line that begins like this is no call, however it goes on: a word that begins none, and another one.
_ORDINARY = late_pattern(
    r"(?:[\s\W_]|\d{1,3}[.)]\s)*"
    r"(?:(?!tool|action)[a-z][\w*_:,.;!?'\u2019)]*[ \t]+(?=[^\s({\[:=])|[^\W\d_a-z])"
    r"|\s*\|",
    re.IGNORECASE,
)
# What may be the beginning of a token that makes the rest of a line something else.
_BEGUN_TOKEN = late_pattern(r"[<\[\u25c1](?![^\n]*[>\]\u25b7])[^\n]{0,80}\Z")
# How text begins that may turn out to be a call when it is complete.
_CALL_LIKE = late_pattern(r"\s*(?:\{|\[\s*\{|<)")
_CALL_LIKE_CODE = late_pattern(r"\s*(?:[{\[<]|tool|action|[\w.]+\()", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Shown:
    """A stretch of a reply as it is shown.

    Attributes:
        kind: `words` in Markdown; `code` for a code block; `aside` for what is not part of the answer, such
            as thinking.
        text: as the model wrote it; of code without its fence.
        done: it will not change any more.
        begins: whether it is set off from what stands before it.
        language: of the code.
        skipped: lines of the code that were shown before.
    """

    kind: Literal["words", "code", "aside"]
    text: str
    done: bool = True
    begins: bool = True
    language: str = ""
    skipped: int = 0


class _Piece(NamedTuple):
    kind: PartKind
    start: int
    end: int


class ReplyView:
    """One reply of the model.

    Args:
        tools: the tools that exist, by name.
        in_blocks: words are done when their block is; otherwise at once, for a screen without redrawing.

    Attributes:
        calling: the tool of the call that is being written; empty without one.
        characters: how many there are so far.
    """

    def __init__(self, tools: ToolDescriptions, *, in_blocks: bool) -> None:
        self.calling = ""
        self.characters = 0
        self._tools = tools
        self._in_blocks = in_blocks
        self._pieces: list[str] = []
        self._printed = 0
        self._code_lines = 0
        self._after_item = False

    def feed(self, piece: str) -> None:
        """Adds the next piece."""
        self._pieces.append(piece)
        self.characters += len(piece)

    def advance(self, parsed: ParsedReply | None = None) -> list[Shown]:
        """What is to be printed for good since the last time, and behind it what is shown for now.

        Args:
            parsed: what the whole reply says, once it is complete.
        """
        text = "".join(self._pieces)
        self._pieces = [text]
        pieces = list(self._visible(text, parsed))
        shown: list[Shown] = []
        for index, piece in enumerate(pieces):
            goes_on = parsed is None and index == len(pieces) - 1
            if piece.kind != "prose":
                shown += self._aside(text, piece, goes_on)
            elif self._in_blocks:
                shown += self._words(text, piece, goes_on)
            else:
                shown.append(Shown("words", text[piece.start : piece.end]))
                self._printed = piece.end
        return shown

    def _visible(self, text: str, parsed: ParsedReply | None) -> Iterator[_Piece]:
        """The pieces that are shown and not printed yet."""
        whole = parsed or parse_reply(text, self._tools)
        calls = [] if parsed else whole.calls
        self.calling = (calls[-1].name or "a tool") if calls else ""
        first_call = calls[0].span[0] if calls else len(text)
        end = len(text) if parsed else certain_end(text)
        for part in whole.parts:
            if part.kind == "call" and part.span[1] > first_call:
                return
            start, stop = max(part.span[0], self._printed), min(part.span[1], end)
            if part.kind != "call" and start < stop:
                yield _Piece(part.kind, start, stop)

    def _words(self, text: str, piece: _Piece, goes_on: bool) -> Iterator[Shown]:
        blocks = split_blocks(text[piece.start : piece.end])
        for index, block in enumerate(blocks):
            words = text[piece.start + block.start : piece.start + block.end]
            shown = self._block(words, block.kind)
            if goes_on and index == len(blocks) - 1:
                yield from self._unfinished(words, shown, piece.start + block.start)
                return
            yield shown
            self._printed, self._code_lines = piece.start + block.end, 0
            self._after_item = block.kind == "item"

    def _block(self, words: str, kind: str) -> Shown:
        if kind == "fence":
            token = next(token for token in parser().parse(words) if token.type == "fence")
            language = token.info.split()[0] if token.info.strip() else ""
            return Shown("code", token.content, True, not self._code_lines, language, self._code_lines)
        self._code_lines = 0
        return Shown("words", words, begins=not (self._after_item and kind == "item"))

    def _unfinished(self, words: str, shown: Shown, start: int) -> Iterator[Shown]:
        """A block that goes on; its complete lines of code are done."""
        call_like = _CALL_LIKE_CODE if shown.kind == "code" else _CALL_LIKE
        if call_like.match(shown.text):
            return
        lines = words.count("\n") - 1
        if shown.kind == "code" and lines > self._code_lines:
            complete = "".join(shown.text.splitlines(keepends=True)[:lines])
            yield replace(shown, text=complete)
            self._printed, self._code_lines = start, lines
            shown = replace(shown, begins=False, skipped=lines)
        yield replace(shown, done=False)

    def _aside(self, text: str, piece: _Piece, goes_on: bool) -> Iterator[Shown]:
        end = text.rfind("\n", piece.start, piece.end) + 1 if goes_on else piece.end
        if end > piece.start:
            yield Shown("aside", without_tags(text[piece.start : end]))
            self._printed = end
        if end < piece.end:
            yield Shown("aside", without_tags(text[max(end, piece.start) : piece.end]), done=False)


def certain_end(text: str) -> int:
    """Up to where a text that goes on is certainly not in the middle of the beginning of a call."""
    start = text.rfind("\n") + 1
    if not _ORDINARY.match(text, start):
        return start
    token = _BEGUN_TOKEN.search(text, max(start, len(text) - 81))
    return token.start() if token else len(text)


def without_tags(text: str) -> str:
    """Thinking without what marks it."""
    return THINK_CLOSER.sub("", THINK_OPENER.sub("", text))
