"""The project's own notes for agents, such as AGENTS.md: found, read and put into the system prompt."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from text_agent.files.secrets import Secrets
from text_agent.protocol.templates import fill_template
from text_agent.protocol.tool import ToolDescriptions

# In each folder the first of these that says something counts.
NAMES = ("AGENTS.md", "CLAUDE.md", "AGENT.md", ".cursorrules")
# Bytes of a character in UTF-8, at most.
_CHARACTER_BYTES = 4


@dataclass(frozen=True, slots=True)
class NotesFile:
    """One file of notes."""

    path: str  # as the user knows it, relative to the workspace
    text: str  # its content, or the beginning of it
    is_cut: bool = False  # whether something of it was left out

    def render(self) -> str:
        """The file under its name, with a note where something was left out."""
        text = fill_template("notes_file", path=self.path, text=self.text)
        return f"{text}\n{fill_template('notes_cut')}" if self.is_cut else text


@dataclass(frozen=True, slots=True)
class ProjectMemory:
    """The notes of a project, the outermost folder's first."""

    files: tuple[NotesFile, ...] = ()

    @property
    def summary(self) -> str:
        """What was read, in one line; empty if there is nothing."""
        names = [f"{file.path} (cut)" if file.is_cut else file.path for file in self.files]
        return f"Project notes: {', '.join(names)}." if names else ""

    @property
    def texts(self) -> Iterable[str]:
        """The raw texts: what is foreign in the system prompt."""
        return [file.text for file in self.files]

    def within(self, max_chars: int) -> ProjectMemory:
        """The same, cut to what the texts may have together."""
        return _from_nearest(_within(reversed(self.files), max_chars))

    def render(self, tools: ToolDescriptions) -> str:
        """The part of the system prompt that holds the notes, made harmless; empty without notes."""
        if not self.files:
            return ""
        # The reader of replies takes longer to import than the first prompt should wait for.
        from text_agent.protocol.guard.neutralising import neutralise

        notes = "\n\n".join(file.render() for file in self.files)
        return fill_template("notes", notes=neutralise(notes, tools))


def load_project_memory(root: Path, max_chars: int) -> ProjectMemory:
    """Reads the notes of the workspace at `root` and of the folders above it, up to the repository's.

    `max_chars`: what the texts may have together; the nearest folder's goes first.
    """
    project = _Project(root, _folders(root), max_chars)
    found = [file for folder in project.folders if (file := project.notes_of(folder))]
    return _from_nearest(_within(found, max_chars))


def _from_nearest(files: Iterable[NotesFile]) -> ProjectMemory:
    return ProjectMemory(tuple(reversed(list(files))))


def _folders(root: Path) -> list[Path]:
    """The workspace and its parents up to the root of the git repository; only itself outside of one."""
    chain = [root, *root.parents]
    top = next((n for n, folder in enumerate(chain) if (folder / ".git").exists()), 0)
    return chain[: top + 1]


@dataclass(frozen=True, slots=True)
class _Project:
    root: Path
    folders: list[Path]
    max_chars: int

    def notes_of(self, folder: Path) -> NotesFile | None:
        """The notes that lie in one folder, at most one character more than is wanted."""
        for name in NAMES:
            text = self._read(folder / name)
            if text.strip():
                return NotesFile(Path(os.path.relpath(folder / name, self.root)).as_posix(), text)
        return None

    def _read(self, path: Path) -> str:
        """The text of a file; nothing of what cannot be used."""
        try:
            target = path.resolve(strict=True)
            if not target.is_file() or not self._may_read(target):
                return ""
            with target.open("rb") as file:
                data = file.read((self.max_chars + 1) * _CHARACTER_BYTES)
        except (OSError, RuntimeError):  # it is not there or not ours to read, or links go in a circle
            return ""
        text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
        return "" if "\0" in text else text.strip("\n")[: self.max_chars + 1]

    def _may_read(self, target: Path) -> bool:
        """Whether a file is of this project, where a link may lead elsewhere, and no secret."""
        inside = target.is_relative_to(self.folders[-1])
        return inside and not any(Secrets(folder).is_secret(target) for folder in self.folders)


def _within(files: Iterable[NotesFile], max_chars: int) -> Iterator[NotesFile]:
    """As much of the files as fits, in their order, cut between lines where there are any."""
    left = max_chars
    for file in files:
        if len(file.text) <= left:
            yield file
        else:
            beginning = file.text[: left + 1]
            end = beginning.rfind("\n")
            yield replace(file, text=beginning[: left if end < 0 else end], is_cut=True)
        left = max(0, left - len(file.text))
