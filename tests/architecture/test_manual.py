"""The manual page says what the program can do now."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from docs.make_manual import PAGE, render_manual
from text_agent.cli.flags import create_parser
from text_agent.config.settings import VARIABLES
from text_agent.terminal.slash.slash_commands import COMMANDS


def test_the_page_is_in_step() -> None:
    """If it is not: `make manual`."""
    assert PAGE.read_text(encoding="utf-8") == render_manual()


def test_everything_is_in_it() -> None:
    text = render_manual().replace("\\-", "-")
    flags = [flag for action in create_parser()._actions for flag in action.option_strings]
    for word in [*flags, *COMMANDS, *VARIABLES, "parse", "completion", "130"]:
        assert word in text


def test_man_can_read_it() -> None:
    program = shutil.which("groff") or shutil.which("mandoc")
    if program is None:
        pytest.skip("neither groff nor mandoc is installed")
    command = [program, "-man", "-Tutf8", "-ww"] if program.endswith("groff") else [program, "-T", "lint"]
    done = subprocess.run([*command, str(PAGE)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
