"""The manual page says what the program can do now."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from docs.make_manual import EXAMPLE, PAGE, SETTINGS_PAGE, render_example, render_manual, render_settings_page
from text_agent.cli.flags import create_parser
from text_agent.config.settings import SETTINGS, VARIABLES
from text_agent.config.table import Row
from text_agent.terminal.slash.slash_commands import COMMANDS


def test_the_page_is_in_step() -> None:
    """If it is not: `make manual`."""
    assert PAGE.read_text(encoding="utf-8") == render_manual()


def test_the_example_and_the_page_of_settings_are_in_step() -> None:
    """If they are not: `make manual`."""
    assert EXAMPLE.read_text(encoding="utf-8") == render_example()
    assert SETTINGS_PAGE.read_text(encoding="utf-8") == render_settings_page()


@pytest.mark.parametrize("row", SETTINGS, ids=lambda row: row.name)
def test_every_setting_is_in_each_document(row: Row) -> None:
    page = PAGE.read_text(encoding="utf-8").replace("\\-", "-")
    settings = SETTINGS_PAGE.read_text(encoding="utf-8")
    example = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert f"`{row.option}" in settings or not row.option
    assert f"\\fB{row.option}\\fR" in page or not row.option
    for variable in row.variables():
        assert f"`{variable}`" in settings
        assert f"\n\\fB{variable}\\fR\n" in page
        assert sum(line.startswith(f"# {variable}=") for line in example) == 1


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
