"""How typed keys are told to the user before the prompt has them."""

from __future__ import annotations

from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from text_agent.terminal.input.type_ahead import typed_lines

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
