"""What the user sees of a run of many tasks."""

from __future__ import annotations

import io
from dataclasses import replace

import pyte

from text_agent.cli.batch.outcome import Check, Outcome
from text_agent.cli.batch.progress import Bar, Counts, Lines

DONE = Outcome("one", "digest", solved=True, status="answered", exit_code=0, cost=0.25, seconds=1.24)
FAILED = replace(DONE, id="two", solved=False, cost=None)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    @property
    def screen(self) -> list[str]:
        screen = pyte.Screen(100, 10)
        pyte.Stream(screen).feed(self.getvalue().replace("\n", "\r\n"))
        return [line.rstrip() for line in screen.display if line.strip()]


def test_a_line_for_each_task() -> None:
    stream = io.StringIO()
    with Lines(stream, Counts(3, done=2)) as shown:
        shown.tell(DONE)
        shown.tell(replace(FAILED, check=Check(4, 0.1, "")))
        shown.tell(replace(FAILED, check=Check(None, 0.1, "")))
        shown.tell(replace(FAILED, status="error", exit_code=2, message="busy\n\x1b[31m"))
    assert stream.getvalue().splitlines() == [
        "2/3 one: solved (1.2 s, cost 0.25)",
        "2/3 two: the check ended with 4 (1.2 s)",
        "2/3 two: the check took too long (1.2 s)",
        "2/3 two: error (exit code 2): busy <U+001B>[31m (1.2 s)",
    ]


def test_rate_failures_and_cost() -> None:
    moments = iter([0.0, 30.0])
    counts = Counts(9, done=4, solved=3, clock=lambda: next(moments))
    counts.done, counts.solved, counts.cost = 6, 4, 1.5
    assert counts.told == "2 failed, 4.0 a minute, cost 1.5"


def test_a_bar_on_a_terminal() -> None:
    terminal = Terminal()
    counts = Counts(4, done=1, solved=1, clock=lambda: 0.0)
    with Bar(terminal, counts) as shown:
        counts.done, counts.solved = 3, 2
        shown.tell(DONE)
        shown.tell(FAILED)
        failed, bar = terminal.screen
        assert failed == "two: answered (1.2 s)"
        assert "3/4 1 failed, 0.0 a minute" in bar
    assert terminal.screen == [failed]
