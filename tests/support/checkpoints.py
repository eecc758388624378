"""A workspace whose changes are recorded, as a session has it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from text_agent.files.checkpoints.recorder import Recorder
from text_agent.files.checkpoints.scanner import TreeScanner
from text_agent.files.checkpoints.store import ShadowStore
from text_agent.files.ripgrep import list_project
from text_agent.files.workspace import FileChange, Workspace


@dataclass
class Recorded:
    """A folder, its recorder, and what the user was told."""

    root: Path
    data: Path
    git: str = shutil.which("git") or "git"
    list_files: Callable[[], Iterable[str]] | None = None
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        store = ShadowStore(self.data, self.root, self.git)
        scanner = TreeScanner(
            self.root, self.list_files or (lambda: list_project(self.root)), store, self.told.append
        )
        self.recorder = Recorder(self.root, store, scanner, self.told.append)
        self.workspace = Workspace(self.root)

    def write(self, path: str, content: bytes, *, step: bool = True) -> None:
        """Writes a file as a tool does, by default as a step of its own."""
        if step:
            self.recorder.begin_step()
        target = self.workspace.resolve(path)
        before = self.workspace.read_for_change(target, 10**9)
        with self.recorder.recording_write(target):
            self.workspace.apply(FileChange(path, target, before, content, "written"))

    def command(self, line: str, *, step: bool = True) -> None:
        """Runs a shell line as a tool does, by default as a step of its own."""
        if step:
            self.recorder.begin_step()
        with self.recorder.recording_command():
            subprocess.run(line, shell=True, cwd=self.root, check=True, capture_output=True)


def tree(root: Path, *, without: Iterable[str] = ()) -> dict[str, str]:
    """Everything below a folder: kind, mode and content of each path."""
    found: dict[str, str] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder) / name
            relative = path.relative_to(root).as_posix()
            if relative.split("/")[0] not in without:
                found[relative] = _described(path)
    return found


def _described(path: Path) -> str:
    if path.is_symlink():
        return f"link {os.readlink(path)}"  # noqa: PTH115
    mode = f"{stat.S_IMODE(path.lstat().st_mode):o}"
    return f"folder {mode}" if path.is_dir() else f"file {mode} {path.read_bytes()!r}"
