"""The folder tree that the tools may touch."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from text_agent.errors import PathOutsideWorkspaceError, ToolError, WorkspaceNotFoundError
from text_agent.files.atomic_write import count_names, other_names, write_atomically
from text_agent.files.lines import render_diff, render_move
from text_agent.files.path_names import is_odd, spell
from text_agent.files.power_paths import grants_power
from text_agent.files.problems import kind_of_file, readable, reason_of, unreadable
from text_agent.files.read_state import FileMemory
from text_agent.files.scratch import ScratchFolder
from text_agent.files.secrets import Secrets
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.types import FileFate

# Kernel interfaces, not files of a project, even where the workspace is the root folder.
_HOME = late_pattern(r"~[\w.-]*")
_KERNEL_FOLDERS = frozenset({"dev", "proc", "sys"})


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file's new content, proposed by a tool: reviewed first, then applied."""

    path: str  # the file as the user knows it, relative to the workspace, with `/`
    target: Path  # the file itself, links resolved
    before: bytes | None  # its bytes when the change was made; None if it did not exist
    after: bytes | None  # the bytes it is to have; None if it is to go
    summary: str  # the tool result once the change is applied
    whole: bool = False  # the model wrote all of `after` itself, so that it knows the whole file
    # What the file would lose that the user has not asked for, by name: a person must agree.
    loses: tuple[str, ...] = ()
    objection: str = ""  # what the model reads if nobody can be asked
    moved: FileChange | None = None  # the file that becomes this one, and is gone afterwards

    @property
    def targets(self) -> list[Path]:
        """All files that it changes."""
        return [self.target, *(self.moved.targets if self.moved else ())]

    @property
    def fate(self) -> FileFate:
        """What becomes of the file."""
        if self.after is None:
            return "deleted"
        return "created" if self.before is None else "modified"

    def diff(self) -> str:
        """The change as a unified diff, for the user; without a final line break."""
        if self.moved:
            return render_move(self.moved.path, self.path, self.moved.before, self.after)
        return render_diff(self.path, self.before, self.after)


class Workspace:
    """A folder and everything in it; no path that a tool gets leads out of it.

    Attributes:
        root: the folder, links resolved.
        memory: what the model knows of the files, kept between calls.
        secrets: which of the files are secret.
        scratch: the session's folder outside of it, which may be read, but not written by tools.
        context_tokens: the size of the model's context, which results must leave room in; None if unknown.
    """

    def __init__(self, root: Path, scratch: ScratchFolder | None = None) -> None:
        try:
            self.root = root.resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as error:
            raise WorkspaceNotFoundError(f"the workspace {readable(str(root))!r} does not exist.") from error
        if not self.root.is_dir():
            raise WorkspaceNotFoundError(f"the workspace {readable(str(root))!r} is not a folder.")
        self.memory = FileMemory()
        self.secrets = Secrets(self.root)
        self.scratch = scratch or ScratchFolder()
        self.context_tokens: int | None = None

    def resolve(self, path: str, *, reading: bool = False) -> Path:
        """The file or folder that a model means by `path`, links resolved; it need not exist.

        `reading`: nothing will be changed there, so that it may be in the session's scratch folder. Raises
        `PathOutsideWorkspaceError`: it leads out of the workspace; `ToolError`: it is no path at all.
        """
        spelling = self.spell(path)
        try:
            resolved = Path(os.path.realpath(self.root / spelling))
        except ValueError as error:  # characters that no file system can hold
            raise ToolError(f"{readable(path)!r} cannot be the name of a file.") from error
        if not self._contains(resolved) and not (reading and resolved.is_relative_to(self.scratch.path)):
            raise PathOutsideWorkspaceError(self._outside(spelling))
        return resolved

    def display(self, path: Path) -> str:
        """`path` as the user knows it: relative to the workspace, with `/`."""
        inside = path.is_relative_to(self.root)
        return readable((path.relative_to(self.root) if inside else path).as_posix())

    def status(self, target: Path) -> os.stat_result | None:
        """What the file system knows of a file or folder; None if there is none. Raises `ToolError`."""
        try:
            return target.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise ToolError(f"{self.display(target)} cannot be used: {reason_of(error)}.") from error

    def open_file(self, target: Path) -> BinaryIO:
        """Opens a regular file. Raises `ToolError`: it does not exist, is none, or cannot be read."""
        try:
            mode = target.stat().st_mode
            if not stat.S_ISREG(mode):
                raise ToolError(f"{self.display(target)} is {kind_of_file(mode)}, not a file.")
            return target.open("rb")
        except OSError as error:
            raise ToolError(f"{self.display(target)} cannot be read: {reason_of(error)}.") from error

    def read_for_change(self, target: Path, max_bytes: int) -> bytes | None:
        """The content of a file to change; None if there is none. Raises `ToolError`: it cannot be."""
        if self.status(target) is None:
            self._check_folder(target)
            self._check_name(target)
            return None
        with self.open_file(target) as file:
            status = os.fstat(file.fileno())
            if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
                raise ToolError(f"{self.display(target)} is read-only; it is unchanged. Ask the user.")
            if status.st_size > max_bytes:
                raise ToolError(
                    f"{self.display(target)} has {status.st_size:,} bytes; files of more than"
                    f" {max_bytes:,} bytes are not changed here. It is unchanged."
                )
            try:
                content = file.read()
            except OSError as error:
                raise ToolError(f"{self.display(target)} cannot be read: {reason_of(error)}.") from error
        self._check_folder(target)
        return content

    def apply(self, change: FileChange) -> str:
        """Puts a proposed change on the disk, whole or not at all.

        Other names of the file in the workspace (hard links) lead to the new content, too, unless it would
        grant power under them. Returns what the file has lost, as a sentence; empty if nothing. Raises
        `ToolError`: the file is not what it was when the change was made, or cannot be written.
        """
        moved = change.moved
        for each in [change, moved] if moved else [change]:
            self._check_unchanged(each)
        lost = self._write(change) if change.after is not None else self._remove(change)
        return f"{lost} {self._remove(moved)}".strip() if moved else lost

    def _check_unchanged(self, change: FileChange) -> None:
        shown = change.path
        if not self._contains(change.target.parent.resolve() / change.target.name):
            raise PathOutsideWorkspaceError(f"{shown} now leads out of the workspace; nothing was written.")
        if self.read_for_change(change.target, sys.maxsize) != change.before:
            raise ToolError(f"{shown} has changed on disk meanwhile; it was not written. Read it again.")

    def _remove(self, change: FileChange) -> str:
        try:
            change.target.unlink()
        except OSError as error:
            raise ToolError(
                f"{change.path} cannot be removed: {reason_of(error)}. It is unchanged."
            ) from error
        self.memory.note_removed(change.target)
        return ""

    def _write(self, change: FileChange) -> str:
        shown, after = change.path, change.after or b""
        names = count_names(change.target)
        named = other_names(change.target, self.root)
        others = [path for path in named if not grants_power(path.relative_to(self.root).as_posix())]
        try:
            mode = stat.S_IMODE(change.moved.target.stat().st_mode) if change.moved else None
            lost = write_atomically(change.target, after, mode=mode, others=others)
        except OSError as error:
            raise ToolError(f"{shown} cannot be written: {reason_of(error)}. It is unchanged.") from error
        self.memory.note_written(change.target, change.before, after, whole=change.whole)
        if change.moved:  # the model knows no more of it than before
            self.memory.note_removed(change.target)
        if (left := names - 1 - len(others)) > 0:
            lost.append(f"{left} other name{'s' * (left > 1)} of it (hard links), with the old content")
        return f"Not kept: {', '.join(lost)}." if lost else ""

    def spell(self, path: str) -> str:
        """The path that is meant by `path`: itself, or what is left of it without decoration around it.

        Raises `ToolError`: it is no path, or may be several.
        """
        trimmed = path.strip()
        if not trimmed.strip("\"'`"):
            raise ToolError('The path is empty. Name a file or folder, such as "." for the whole workspace.')
        if "\0" in path:
            raise ToolError("The path holds a NUL character; no file has such a name.")
        if os.path.lexists(self.root / path):
            return path
        home, *below = trimmed.split("/")
        if _HOME.fullmatch(home) and (below or home == "~") and not os.path.lexists(self.root / home):
            raise PathOutsideWorkspaceError(self._outside(trimmed))
        escaped = unreadable(trimmed)
        if os.path.lexists(self.root / escaped):
            return escaped
        try:
            return spell(self.root, trimmed)
        except ValueError as error:  # characters that no file system can hold
            raise ToolError(f"{readable(path)!r} cannot be the name of a file.") from error

    def _contains(self, resolved: Path) -> bool:
        if self.root == Path("/") and resolved.parts[1:2] and resolved.parts[1] in _KERNEL_FOLDERS:
            return False
        return resolved.is_relative_to(self.root)

    def _outside(self, spelling: str) -> str:
        text = f"{readable(spelling)!r} is outside the workspace; only paths inside it can be used."
        inside = Path(os.path.realpath(self.root / spelling.lstrip("/~")))
        if self._contains(inside) and inside != self.root and os.path.lexists(inside):
            text += f" Did you mean {self.display(inside)!r}?"
        return text

    def _check_folder(self, target: Path) -> None:
        """Refuses a file in a folder that takes none, before anybody is asked to approve it."""
        folder = next(parent for parent in target.parents if os.path.lexists(parent))
        status = self.status(folder)
        if status is None or not stat.S_ISDIR(status.st_mode):
            raise ToolError(f"{self.display(folder)} is not a folder; nothing was written.")
        if not status.st_mode & 0o222 or not os.access(folder, os.W_OK | os.X_OK):
            raise ToolError(
                f"the folder {self.display(folder)} is read-only; nothing was written. Ask the user."
            )

    def _check_name(self, target: Path) -> None:
        """Refuses a new file whose name is more than a name, as far as it can be told."""
        if is_odd(self.root, target.relative_to(self.root).as_posix()):
            raise ToolError(
                f"{self.display(target)!r} is no plain name of a new file; nothing was written. Give the path"
                " alone, relative to the workspace, without marks, quotes or words around it."
            )
