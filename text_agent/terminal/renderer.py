"""Shows the agent's events in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from text_agent.events import (
    ConversationCompacted,
    Event,
    Notice,
    PlanUpdated,
    ReasoningReceived,
    ReplyFinished,
    RetryScheduled,
    StepStarted,
    TextReceived,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from text_agent.messages import ToolResult
from text_agent.terminal.checklist import draw_checklist
from text_agent.terminal.sanitize import StreamSanitizer, reveal, sanitize

# Lines of a result that are shown.
_RESULT_LINES = 6
# By whether the step is done, and whether it is the next one.
_PLAN_STYLES = {(True, False): "plan.done", (False, True): "plan.next", (False, False): "plan.later"}
_DIFF_STYLES = {"+": "diff.added", "-": "diff.removed", "@": "diff.place"}


def diff_lines(diff: str) -> Iterator[Text]:
    """The lines of a unified diff, safe and in their colours."""
    for line in diff.split("\n") if diff else ():
        yield Text(reveal(line.removesuffix("\r")), _DIFF_STYLES.get(line[:1], "diff.same"))


class Renderer:
    """An event sink that prints to one console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._at_line_start = True
        self._sanitizer = StreamSanitizer()

    def __call__(self, event: Event) -> None:
        """Shows one event."""
        match event:
            case StepStarted():
                self._sanitizer = StreamSanitizer()
                self._label("assistant", "assistant")
            case TextReceived(text=text):
                self._stream(text)
            case ReasoningReceived(text=text):
                self._stream(text, style="reasoning")
            case ReplyFinished():
                self._end_line()
            case ToolStarted(line=line):
                self._line(sanitize(line), "tool")
            case ToolFinished(result=result, diff=diff):
                self.show_diff(diff)
                self._result(result)
            case PlanUpdated():
                self._plan(event)
            case RetryScheduled(line=text) | Notice(text=text) | ConversationCompacted(line=text):
                # After a restart, another reply begins.
                self._sanitizer = StreamSanitizer()
                self._line(sanitize(text), "notice")
            case TurnFinished(message=message) if message:
                self._line(sanitize(message), "notice")
            case _:
                pass

    def show_diff(self, diff: str) -> None:
        """Prints a unified diff in its colours."""
        for line in diff_lines(diff):
            self._end_line()
            self._console.print(line)

    def _plan(self, plan: PlanUpdated) -> None:
        for number, line in enumerate(draw_checklist(plan, self._console.encoding), 1):
            self._line(sanitize(line), _PLAN_STYLES[(number in plan.done, number == plan.next)])

    def _result(self, result: ToolResult) -> None:
        lines = sanitize(result.text).splitlines()
        style = "result" if result.status == "ok" else "error"
        self._line(f"#{result.number} {result.status}", style)
        # A note that one line is left out would take the place of that line.
        shown = lines if len(lines) == _RESULT_LINES + 1 else lines[:_RESULT_LINES]
        for line in shown:
            self._line(f"  {line}", style)
        if len(lines) > len(shown):
            self._line(f"  ... {len(lines) - len(shown)} more lines", style)

    def _label(self, text: str, style: str) -> None:
        self._end_line()
        self._console.print(Text(f"{text}> ", style), end="")
        self._at_line_start = False

    def _stream(self, text: str, style: str = "") -> None:
        text = self._sanitizer.feed(text)
        if text:
            self._console.print(Text(text, style), end="")
            self._at_line_start = text.endswith("\n")

    def _line(self, text: str, style: str) -> None:
        self._end_line()
        self._console.print(Text(text, style))

    def _end_line(self) -> None:
        if not self._at_line_start:
            self._console.print()
            self._at_line_start = True
