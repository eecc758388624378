"""How typed keys are told to the user before the prompt has them."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator

import pytest
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import DummyOutput

from text_agent.terminal.input.type_ahead import TypeAhead, typed_lines

ENTER = KeyPress(Keys.ControlM, "\r")


def presses(text: str) -> list[KeyPress]:
    return [KeyPress(char, char) for char in text]


def test_lines_are_told_as_they_will_be_read() -> None:
    paste = KeyPress(Keys.BracketedPaste, "two\rlines")
    back, left = KeyPress(Keys.ControlH, "\x7f"), KeyPress(Keys.Left, "\x1b[D")
    keys = [*presses("onf"), back, *presses("e"), left, ENTER, paste, ENTER, *presses("rest")]
    assert typed_lines(keys) == ["one", "two lines", "rest"]


def test_a_message_of_several_lines_is_one() -> None:
    escape = KeyPress(Keys.Escape, "\x1b")
    keys = [*presses("a"), escape, ENTER, *presses("b\\"), ENTER, *presses("c"), ENTER]
    assert typed_lines(keys) == ["a b c", ""]


def test_nothing_is_one_empty_line() -> None:
    assert typed_lines([]) == [""]


class Typing:
    """Keys that are pressed in a terminal, and how often they have stopped what was done meanwhile."""

    def __init__(self, terminal: Vt100Input, keyboard: int) -> None:
        self.stops = 0
        self.ahead = TypeAhead(terminal, DummyOutput(), self._stop)
        self._terminal = terminal
        self._keyboard = keyboard

    def press(self, key: str, *, is_taken: bool = False) -> None:
        os.write(self._keyboard, key.encode())
        while is_taken and select.select([self._terminal.fileno()], [], [], 0)[0]:
            time.sleep(0.001)

    def _stop(self) -> None:
        self.stops += 1

    def stops_within(self, seconds: float) -> int:
        deadline = time.monotonic() + seconds
        while not self.stops and time.monotonic() < deadline:
            time.sleep(0.005)
        return self.stops


@pytest.fixture
def typing() -> Iterator[Typing]:
    keyboard, terminal = os.openpty()
    with open(terminal) as file:  # noqa: PTH123 - it has no name
        yield Typing(Vt100Input(file), keyboard)
    os.close(keyboard)


@pytest.mark.parametrize("seconds", [0, 0.01, 0.05, 0.09])
def test_escape_at_the_end_of_one_piece_of_work_stops_the_next(typing: Typing, seconds: float) -> None:
    with typing.ahead.collecting():
        typing.press("\x1b")
        time.sleep(seconds)
    with typing.ahead.collecting():
        assert typing.stops_within(10) == 1
    assert typing.stops == 1


@pytest.mark.parametrize("between", ["a prompt", "a question"])
def test_escape_at_the_end_of_work_stops_nothing_behind_a_prompt(typing: Typing, between: str) -> None:
    with typing.ahead.collecting():
        typing.press("\x1b", is_taken=True)
    if between == "a prompt":
        typing.ahead.give_back()
    else:
        with typing.ahead.paused():
            pass
    before = typing.stops  # a busy machine takes longer to end than an Escape waits for more
    with typing.ahead.collecting():
        assert typing.stops_within(0.3) == before
