"""Draws one reply while it arrives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from text_agent.events import ReplyFinished
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.tool import ToolDescriptions
from text_agent.terminal.output.markdown import code_lines, render_markdown, wrap
from text_agent.terminal.output.reply_view import ReplyView, Shown
from text_agent.terminal.output.screen import Screen
from text_agent.text.sanitize import StreamSanitizer, sanitize

_LABEL = "assistant> "
# Seconds between two drawings, at least and at most, and how much longer than a drawing itself that should
# be: a long reply takes longer to draw than a short one.
_DRAW_SECONDS = 0.08
_DRAW_MAX_SECONDS = 0.5
_DRAW_SHARE = 10
_GAP = late_pattern(r"\n(?:[ \t]*\n){2,}")


@dataclass(frozen=True, slots=True)
class _Above:
    """What stands above the next line of the reply."""

    labelled: bool = False  # whose words they are has been said
    kind: str = ""  # of the last stretch; empty at the beginning


class ReplyScreen:
    """One reply on the screen; `clock` gives seconds, from anywhere."""

    def __init__(self, screen: Screen, tools: ToolDescriptions, clock: Callable[[], float]) -> None:
        self._screen = screen
        self._clock = clock
        self._view = ReplyView(tools, in_blocks=screen.redraws)
        self._text: list[str] = []
        self._thoughts = ""
        self._thought_characters = 0
        self._above = _Above()
        self._live: list[Text] = []
        self._is_new = False
        self._next_drawing = 0.0
        self._stream = _Stream(screen)

    @property
    def characters(self) -> int:
        """How many have come, reasoning among them."""
        return self._view.characters + self._thought_characters

    @property
    def doing(self) -> str:
        """What the model does, in a word or two; empty before it has begun."""
        if self._view.calling:
            return f"calling {sanitize(self._view.calling)[:40]}"
        if self._view.characters:
            return "writing"
        return "thinking" if self._thought_characters else ""

    def feed(self, text: str, *, reasoning: bool) -> None:
        """Adds a piece of the reply, or of what the server reports apart from it as reasoning."""
        self._is_new = True
        if reasoning:
            self._thoughts += text
            self._thought_characters += len(text)
        else:
            self._text.append(text)
            self._view.feed(text)

    def draw(self, below: Sequence[Text] = ()) -> None:
        """Draws what is new, if it is time to, and `below` under it."""
        printed: list[Text] = []
        if self._is_new and self._clock() >= self._next_drawing:
            started = self._clock()
            printed = self._advance([*self._new_thoughts(last=False), *self._view.advance()])
            self._is_new = False
            pause = min(_DRAW_MAX_SECONDS, _DRAW_SHARE * (self._clock() - started))
            self._next_drawing = self._clock() + max(_DRAW_SECONDS, pause)
        if self._screen.redraws:
            self._screen.draw(printed, [*self._live, *below])

    def finish(self, finished: ReplyFinished | None) -> None:
        """Draws all of it for good; None stands for a reply that broke off."""
        text = "".join(self._text)
        # A key that was masked in the pieces may have another length in the whole.
        is_same = finished is not None and finished.reply.text == text
        whole = finished.parsed if finished and is_same else None
        printed = self._advance([*self._new_thoughts(last=True), *self._view.finish(whole)])
        if self._screen.redraws:
            self._screen.draw(printed, [])

    def _new_thoughts(self, *, last: bool) -> list[Shown]:
        """The reasoning that is not printed yet: whole lines are done, and all once other text has come."""
        end = len(self._thoughts) if last or self._view.characters else self._thoughts.rfind("\n") + 1
        done, self._thoughts = self._thoughts[:end], self._thoughts[end:]
        shown = [Shown("aside", done)] if done.strip() else []
        return [*shown, Shown("aside", self._thoughts, done=False)] if self._thoughts.strip() else shown

    def _advance(self, shown: Sequence[Shown]) -> list[Text]:
        """The lines to be printed for good; what is drawn for now is kept."""
        if not self._screen.redraws:
            self._stream.show([stretch for stretch in shown if stretch.done])
            return []
        printed: list[Text] = []
        self._live = []
        above = self._above
        for stretch in shown:
            lines, above = self._lines(stretch, above)
            if stretch.done:
                printed += lines
                self._above = above
            else:
                self._live += lines
        return printed

    def _lines(self, shown: Shown, above: _Above) -> tuple[list[Text], _Above]:
        console, width = self._screen.console, self._screen.width
        if shown.kind == "aside":
            text = sanitize(shown.text).strip("\n")
            lines = [Text(line, "reasoning") for line in text.split("\n")] if text.strip() else []
            return [part for line in lines for part in wrap(line, console, width)], replace(
                above, kind="aside"
            )
        label = None if above.labelled else Text(_LABEL, "assistant")
        lines = [Text()] if shown.begins and above.kind in ("words", "code") else []
        if shown.kind == "code":
            lines += [label] if label else []
            code = sanitize(shown.text)
            lines += code_lines(code, shown.language, console, width, skipped=shown.skipped)
        else:
            lines += render_markdown(shown.text, console, width, label)
        return lines, _Above(True, shown.kind)


class _Stream:
    """Streams a reply where nothing can be redrawn: the text as it is, without the gaps that calls leave."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._sanitizer = StreamSanitizer()
        self._labelled = False
        self._kind = ""
        self._gap = ""

    def show(self, shown: Sequence[Shown]) -> None:
        """Prints what has come."""
        for stretch in shown:
            text = self._gap + self._sanitizer.feed(stretch.text)
            words = text.rstrip()
            self._gap = text[len(words) :]
            if words:
                self._write(stretch.kind, _GAP.sub("\n\n", words))

    def _write(self, kind: str, words: str) -> None:
        if kind != self._kind:
            self._screen.end_line()
            words = words.lstrip()
            self._kind = kind
            if kind != "aside" and not self._labelled:
                self._screen.write(_LABEL, "assistant")
                self._labelled = True
        self._screen.write(words, "reasoning" if kind == "aside" else "")
