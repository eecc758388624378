"""The terminal is given back as it was."""

from __future__ import annotations

import os
import pty
import termios
from pathlib import Path

import pytest

from text_agent.terminal.output.modes import kept_modes


def leave_raw(terminal: int) -> None:
    modes = termios.tcgetattr(terminal)
    modes[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(terminal, termios.TCSANOW, modes)
    raise SystemExit


def test_the_modes_are_what_they_were() -> None:
    leader, follower = pty.openpty()
    with os.fdopen(follower) as terminal, os.fdopen(leader):
        before = termios.tcgetattr(follower)
        with pytest.raises(SystemExit), kept_modes(terminal):
            leave_raw(follower)
        assert termios.tcgetattr(follower) == before


def test_a_terminal_that_is_gone_and_a_file_are_left_alone(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    with os.fdopen(follower) as terminal, kept_modes(terminal):
        os.close(leader)
    (tmp_path / "a").touch()
    with (tmp_path / "a").open() as file, kept_modes(file):
        pass
    with kept_modes(file):
        pass
