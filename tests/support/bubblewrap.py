"""Skips a test where there is no sandbox; where CI=true, every test must run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from text_agent.commands.sandbox.confinement import Confinement
from text_agent.commands.sandbox.finding import find_sandbox
from text_agent.files.scratch import ScratchFolder


def need_bubblewrap() -> None:
    """Ends the test, with the reason, if commands cannot run in bubblewrap here."""
    _, problem = find_sandbox("auto", Confinement(Path("/"), ScratchFolder(), lambda: []))
    if problem:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(problem)
