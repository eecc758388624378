"""The table of the chat's commands."""

from __future__ import annotations

import pytest

from text_agent.terminal.slash.slash_commands import COMMANDS, KEYS, find_command

ROWS, COLUMNS = 24, 80


@pytest.mark.parametrize("name", [*COMMANDS, *KEYS])
def test_each_help_fits_one_row(name: str) -> None:
    text = COMMANDS[name].help if name in COMMANDS else KEYS[name]
    assert len("  /permissions  ") + len(text) < COLUMNS


def test_the_help_fits_a_screen() -> None:
    listed = [command for command in COMMANDS.values() if command.is_listed]
    assert len(listed) + len(["heading", "prompt", "footer"]) <= ROWS


def test_an_unknown_command_names_the_nearest() -> None:
    assert find_command("/HELP") is COMMANDS["/help"]
    assert find_command("/hepl") == "There is no command /hepl. Did you mean /help?"
    assert find_command("/zzzzzz") == "There is no command /zzzzzz. See /help."
