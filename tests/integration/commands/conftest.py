"""Commands without a sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes import Mark
from text_agent.files.scratch import ScratchFolder
from text_agent.files.workspace import Workspace
from text_agent.tools.run_command import CommandHost


@pytest.fixture
def host(project: Path, tmp_path: Path, mark: Mark) -> CommandHost:
    workspace = Workspace(project, ScratchFolder(tmp_path / "cache"))
    return CommandHost(workspace, environment=mark.environment)
