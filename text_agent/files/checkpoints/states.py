"""What stands at a path: the state that is kept, compared and brought back."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import Literal

Kind = Literal["file", "link", "folder", "other"]


@dataclass(frozen=True, slots=True)
class PathState:
    """What stands at a path."""

    kind: Kind  # `other` is what has no content to keep, such as a named pipe
    mode: int = 0  # its permission bits; 0 for a link, which has none of its own
    content: str = ""  # of a file, the id of its bytes in the store; of a link, where it points
    kept: bool = True  # the content can be brought back; else `content` only tells one version from another


@dataclass(frozen=True, slots=True)
class Change:
    """What the agent did to a path; None stands for nothing there."""

    before: PathState | None  # what stood there
    after: PathState | None  # what the agent left
    disturbed: bool = False  # somebody else changed it between two changes of the agent's

    def then(self, later: Change) -> Change:
        """This change and a later one of the same path, as one."""
        disturbed = self.disturbed or later.disturbed or self.after != later.before
        return Change(self.before, later.after, disturbed)

    @property
    def makes_folder(self) -> bool:
        """Whether a folder stands where nothing stood."""
        return self.before is None and self.after is not None and self.after.kind == "folder"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What was found at a path, and a file's bytes if they were read."""

    state: PathState | None
    content: bytes | None = None


def blob_id(content: bytes) -> str:
    """The name by which git knows these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def look_at(path: str, max_bytes: int) -> Sighting:
    """Looks at a path without following a link; a file of more than `max_bytes` is not read."""
    try:
        status = os.lstat(path)
        points_to = os.readlink(path) if stat.S_ISLNK(status.st_mode) else ""  # noqa: PTH115 - `Path` tidies it
    except (FileNotFoundError, NotADirectoryError):
        return Sighting(None)
    except OSError:  # no permission, say: there may be anything
        return Sighting(PathState("other", kept=False))
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return Sighting(PathState("link", content=points_to))
    if stat.S_ISDIR(status.st_mode):
        return Sighting(PathState("folder", mode))
    if not stat.S_ISREG(status.st_mode):
        return Sighting(PathState("other", mode))
    content = _read(path) if status.st_size <= max_bytes else None
    if content is None:
        version = f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"
        return Sighting(PathState("file", mode, version, kept=False))
    return Sighting(PathState("file", mode, blob_id(content)), content)


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - for 50,000 files a `Path` each takes its time
            return file.read()
    except OSError:  # no permission, or gone meanwhile
        return None
