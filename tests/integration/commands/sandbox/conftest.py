"""A workspace and a home folder with secrets, and commands in a real sandbox."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import SECRET, sandboxed
from tests.support.processes import Mark
from text_agent.files.scratch import ScratchFolder
from text_agent.files.workspace import Workspace
from text_agent.tools.run_command import CommandHost


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder that is not in `/tmp`, of which a sandbox has its own."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def project(base: Path) -> Path:
    folder = base / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(base: Path) -> Path:
    """A home folder with keys in it."""
    folder = base / "home"
    for name in (".ssh/id_ed25519", ".aws/credentials", ".config/text-agent/config.env", ".netrc"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(SECRET)
    (folder / "notes.txt").write_text("harmless")
    return folder


@pytest.fixture
def workspace(project: Path, tmp_path: Path) -> Workspace:
    (project / ".env").write_text(SECRET)
    (project / "sub").mkdir()
    (project / "sub" / "key.pem").write_text(f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n")
    (project / "a.txt").write_text("alpha\n")
    (project / ".git" / "hooks").mkdir(parents=True)
    (project / ".git" / "config").write_text("[core]\n")
    return Workspace(project, ScratchFolder(tmp_path / "cache"))


@pytest.fixture
def host(workspace: Workspace, home: Path, mark: Mark) -> CommandHost:
    return sandboxed(workspace, home, mark)
