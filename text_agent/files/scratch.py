"""The folder of a session outside the workspace: for what commands print and leave for a while."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import time
import weakref
from pathlib import Path

# A session that has left its folder alone for so long has ended.
_MAX_AGE_SECONDS = 7 * 24 * 3600


class ScratchFolder:
    """A folder in the user's cache that is made when it is needed, and removed with this object."""

    def __init__(self, parent: Path | None = None) -> None:
        # The folder; it may not exist yet.
        self.path = (parent or _user_folder()) / f"{os.getpid()}-{secrets.token_hex(4)}"
        self.temporary = self.path / "tmp"  # what a sandbox shows as `/tmp`
        self.empty = self.path / "empty"  # what a sandbox shows in the place of files that it hides
        # Also at the end of the program, if nothing has freed the object before.
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def make(self) -> None:
        """Makes the folders; nobody else may look into them. Raises `OSError`: they cannot be made."""
        if not self.path.exists():
            _sweep(self.path.parent)
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.temporary.mkdir(exist_ok=True, mode=0o700)
        self.empty.touch(mode=0o444)

    def save(self, text: str) -> Path:
        """Writes `text` to a file that is named by it. Raises `OSError`: it cannot be written."""
        self.make()
        content = text.encode("utf-8", "replace")
        file = self.path / f"{hashlib.blake2b(content, digest_size=4).hexdigest()}.txt"
        file.write_bytes(content)
        return file


def _sweep(parent: Path) -> None:
    """Removes the folders of sessions that were killed before they could do it themselves."""
    for folder in parent.glob("*-*/"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _MAX_AGE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def _user_folder() -> Path:
    from platformdirs import user_cache_path

    return Path(os.path.realpath(user_cache_path("text-agent"))) / "commands"
