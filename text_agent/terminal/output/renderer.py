"""Shows the agent's events in the terminal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import assert_never

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from text_agent import events
from text_agent.events import ConversationEvent, Event, ReplyEvent, WorkEvent
from text_agent.protocol.tool import ToolDescriptions
from text_agent.terminal.output.code import diff_lines
from text_agent.terminal.output.progress import Progress
from text_agent.terminal.output.reply_screen import ReplyScreen
from text_agent.terminal.output.screen import Screen
from text_agent.terminal.output.tool_lines import (
    describe_call,
    describe_quotations,
    draw_plan,
    excerpt,
    summarize,
)
from text_agent.text.sanitize import sanitize

# By whether the step is done, and whether it is the next one.
_PLAN_STYLES = {(True, False): "plan.done", (False, True): "plan.next", (False, False): "plan.later"}
_TICK_SECONDS = 0.1
# Before what is typed while the model works.
_NEXT = "next> "


class Renderer:
    """An event sink that prints to one console.

    While the user waits, a thread of its own redraws the line that says for what and for how long. `redraws`:
    whether lines on the console can be replaced. `clock`: seconds, from anywhere.

    Attributes:
        tools: the tools that the model may call; what is none of their calls is shown.
        typed: what the user is typing for the next prompt; shown below what goes on.
    """

    def __init__(
        self, console: Console, *, redraws: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.tools: ToolDescriptions = {}
        self.typed: Callable[[], str] = str
        self._screen = Screen(console, redraws=redraws)
        self._clock = clock
        self._lock = threading.RLock()
        self._reply: ReplyScreen | None = None
        self._progress: Progress | None = None
        self._stopped = threading.Event()
        self._paused = False
        # The call that runs, as it is described, while its line is not complete.
        self._call = ""

    def __call__(self, event: Event) -> None:
        """Shows one event."""
        if not isinstance(event, ConversationEvent):
            with self._lock:
                self._show_reply(event) if isinstance(event, ReplyEvent) else self._show_work(event)

    def _show_reply(self, event: ReplyEvent) -> None:
        match event:
            case events.StepStarted(step=step):
                if step == 1:
                    self._start()
                self._begin_reply("waiting for the model")
            case events.ContextMeasured(tokens=tokens):
                if self._progress:
                    self._progress.to_read = tokens
            case events.TextReceived(text=text):
                self._receive(text, reasoning=False)
            case events.ReasoningReceived(text=text):
                self._receive(text, reasoning=True)
            case events.RetryScheduled():
                self._end_reply(None)
                self.say(event.line, "notice")
                self._begin_reply("waiting to try again")
            case events.ReplyFinished():
                self._end_reply(event)
            case _:
                assert_never(event)

    def _show_work(self, event: WorkEvent) -> None:
        match event:
            case events.ToolStarted():
                self._begin_call(event)
            case events.ToolFinished():
                self._end_call(event)
            case events.PlanUpdated():
                self._plan(event)
            case events.Notice(text=text) | events.ConversationCompacted(line=text):
                self.say(text, "notice")
            case events.TurnFinished(message=message):
                self.stop()
                self.say(message, "notice")
            case _:
                assert_never(event)

    def stop(self) -> None:
        """Ends what goes on: what has come of a reply is shown, and nothing is waited for."""
        with self._lock:
            self._stopped.set()
            self._progress = None
            self._end_reply(None)
            self._interrupt_call()
            self._screen.draw([], [])

    @contextmanager
    def waiting(self, label: str) -> Iterator[None]:
        """Says for what the user waits outside of a turn, and for how long."""
        with self._lock:
            self._start()
            self._wait_for(label)
        try:
            yield
        finally:
            self.stop()

    @contextmanager
    def paused(self, *, shown: bool = False) -> Iterator[None]:
        """Leaves the screen to somebody who asks the user about the call that is to run.

        `shown`: what the call is about is shown there.
        """
        with self._lock:
            self._paused = True
            if shown:
                self._call = " ".join(self._call.split()[:2])
            self._interrupt_call()
            self._screen.draw([], [])
        try:
            yield
        finally:
            with self._lock:
                self._paused = False

    def say(self, text: str, style: str = "") -> None:
        """Prints a text, if there is one."""
        if text:
            with self._lock:
                self._screen.print([Text(line, style) for line in sanitize(text).split("\n")])

    def show_diff(self, diff: str) -> None:
        """Prints a unified diff in its colours."""
        with self._lock:
            self._screen.print(list(diff_lines(diff, self._screen.console)), exact=True)

    def _start(self) -> None:
        self._stopped = threading.Event()
        if self._screen.redraws:
            threading.Thread(target=self._tick, args=(self._stopped,), daemon=True).start()

    def _tick(self, stopped: threading.Event) -> None:
        while not stopped.wait(_TICK_SECONDS):
            with self._lock:
                if not stopped.is_set() and not self._paused:
                    self._draw()

    def _draw(self) -> None:
        below = [self._progress_line(self._progress), *self._typed_line()] if self._progress else []
        if self._reply:
            self._reply.draw(below)
        elif self._screen.redraws:
            self._screen.draw([], below)

    def _progress_line(self, progress: Progress) -> Text:
        if self._reply:
            progress.label = self._reply.doing or progress.label
            progress.characters = self._reply.characters
        return progress.line(self._screen.console.encoding, self._screen.width - 1)

    def _typed_line(self) -> list[Text]:
        """The end of what is being typed, which is where the user looks."""
        room = self._screen.width - 1 - len(_NEXT)
        typed = sanitize(self.typed())[-max(room, 1) :]
        while cell_len(typed) > room and typed:
            typed = typed[1:]
        return [Text(_NEXT + typed, "you")] if typed else []

    def _wait_for(self, label: str) -> None:
        self._progress = Progress(label, self._clock)
        self._draw()

    def _begin_reply(self, label: str) -> None:
        self._reply = ReplyScreen(self._screen, self.tools, self._clock)
        self._wait_for(label)

    def _receive(self, text: str, *, reasoning: bool) -> None:
        if self._reply:
            self._reply.feed(text, reasoning=reasoning)
            self._draw()

    def _end_reply(self, finished: events.ReplyFinished | None) -> None:
        """Shows the rest of the reply; None stands for one that broke off."""
        if self._reply is None:
            return
        self._reply.finish(finished)
        self._reply = self._progress = None
        self._screen.end_line()
        for line in describe_quotations(finished.parsed.quotations) if finished else ():
            self.say(line, "notice")

    def _begin_call(self, event: events.ToolStarted) -> None:
        if event.kind == "plans":
            return
        self._call = f"#{event.number} {describe_call(event)}"
        if self._screen.redraws:
            self._wait_for(self._call)
        else:
            self._screen.write(self._call, "tool")

    def _interrupt_call(self) -> None:
        """Somebody else prints: the line of the call that runs stays as it is."""
        if self._call and self._screen.redraws:
            self._screen.print([Text(self._call, "tool")])
        self._screen.end_line()
        self._call = ""

    def _end_call(self, event: events.ToolFinished) -> None:
        result = event.result
        style = "result" if result.status == "ok" else "error"
        begun, self._call, self._progress = self._call, "", None
        if event.kind == "plans" and result.status == "ok":
            return
        summary = summarize(event)
        if begun and self._screen.is_in_line:
            self._screen.write(f": {summary}\n", style)
        else:
            head = begun or f"#{result.number}"
            self._screen.draw([], [])
            self._screen.print([Text.assemble((head, "tool"), (f": {summary}", style))])
        self.show_diff(event.unseen_diff)
        self._screen.print([Text(f"  {line}", style) for line in excerpt(event)])

    def _plan(self, plan: events.PlanUpdated) -> None:
        lines = []
        for number, line in enumerate(draw_plan(plan, self._screen.console.encoding), 1):
            style = _PLAN_STYLES[(number in plan.done, number == plan.next)]
            lines.append(Text(sanitize(line), style))
        self._screen.print(lines)
