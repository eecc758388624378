"""Which files hold secrets: the model reads them only after the user's yes.

A file is secret by its name, by a key in it, by being a hard link to a secret file, or because the
workspace's `.text-agent-ignore` names it, which is written as a `.gitignore` is.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from text_agent.files.kinds import SKIPPED_FOLDERS
from text_agent.files.secret_names import has_secret_name, holds_key, is_public

IGNORE_FILE = ".text-agent-ignore"
Matcher = Callable[[str], bool]


def secret_paths(root: Path) -> Iterator[Path]:
    """The files under `root` that are secret by name; what `.text-agent-ignore` names is not among them.

    In other people's code, test keys are public, and looking through it takes long.
    """
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        for name in names:
            path = f"{folder}/{name}"
            if has_secret_name(path) and not is_public(Path(path)):
                yield Path(path)


class Secrets:
    """The secret files of one workspace."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._ignored = _IgnoreFile(root / IGNORE_FILE)

    def is_secret(self, path: Path) -> bool:
        """Whether reading the file or folder at `path`, links resolved, needs the user's yes."""
        relative = self._relative(path)
        if has_secret_name(relative) and not is_public(path):
            return True
        ignored = self._ignored.matcher()
        if ignored(relative) or ignored(f"{relative}/"):
            return True
        return holds_key(path) or self._is_other_name(path)

    def split(self, paths: Iterable[str], prefix: str = "") -> tuple[list[str], int]:
        """Those of `paths`, behind a `prefix`, that are for the eyes of all, and how many are not."""
        given = list(paths)
        left_out = self._left_out(given, prefix)
        shown = [path for path in given if path not in left_out] if left_out else given
        return shown, len(given) - len(shown)

    def split_listing(self, listing: str, prefix: str = "") -> tuple[str, int]:
        """The same for paths in one text, each ended by a NUL: there may be very many."""
        shown, count = self.split(listing.split("\0")[:-1], prefix)
        return "\0".join([*shown, ""]) if count else listing, count

    def files(self, folder: Path) -> Iterator[Path]:
        """The secret files in a folder of the workspace and below it, those in `.text-agent-ignore` too.

        A file that has one of their names has all of its names secret.
        """
        found = set(self._named_files(folder))
        yield from found
        several = {identity for path in found if (identity := _identity_of_several(path))}
        if several:
            paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
            yield from (path for path in paths if path not in found and _identity_of_several(path) in several)

    def keys(self, folder: Path) -> Iterator[Path]:
        """The files with keys in a folder and below it, whatever they are called."""
        for parent, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
            yield from (path for name in names if holds_key(path := Path(parent, name)))

    def _named_files(self, folder: Path) -> Iterator[Path]:
        yield from secret_paths(folder)
        if not self._ignored.exists():
            return
        ignored = self._ignored.matcher()
        for parent, _, names in os.walk(folder):
            yield from (path for name in names if ignored(self._relative(path := Path(parent, name))))

    def _left_out(self, paths: Sequence[str], prefix: str) -> set[str]:
        suspects = {path for path in paths if has_secret_name(prefix + path)}
        if self._ignored.exists():
            ignored = self._ignored.matcher()
            suspects.update(path for path in paths if ignored(prefix + path))
        return {path for path in suspects if self._is_left_out(prefix + path)}

    def _is_left_out(self, relative: str) -> bool:
        is_key = has_secret_name(relative) and not is_public(self._root / relative)
        return is_key or self._ignored.matcher()(relative)

    def _relative(self, path: Path) -> str:
        inside = path.is_relative_to(self._root)
        return (path.relative_to(self._root) if inside else path).as_posix()

    def _is_other_name(self, path: Path) -> bool:
        """Whether the file has several names, one of which is that of a secret file."""
        identity = _identity_of_several(path)
        return identity is not None and identity in map(_identity_of_several, self.files(self._root))


class _IgnoreFile:
    """The patterns of one file in the syntax of `.gitignore`, read again whenever it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._version: tuple[int, int] | None = None
        self._matcher: Matcher = _matches_nothing

    def exists(self) -> bool:
        """Whether there are patterns at all."""
        return self.matcher() is not _matches_nothing

    def matcher(self) -> Matcher:
        """Says of a path that is relative to the file's folder whether a pattern fits it."""
        try:
            status = self._path.stat()
            version = (status.st_mtime_ns, status.st_size)
            if version != self._version:
                text = self._path.read_text(encoding="utf-8", errors="surrogateescape")
                self._version, self._matcher = version, _compile(text)
        except (FileNotFoundError, IsADirectoryError):
            self._version, self._matcher = None, _matches_nothing
        except OSError:  # nobody can say what it names: everything, then
            self._version, self._matcher = None, _matches_everything
        return self._matcher


def _compile(text: str) -> Matcher:
    from pathspec import GitIgnoreSpec

    lines = []
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # of regular expressions
        for line in text.splitlines():
            with contextlib.suppress(ValueError, re.error):  # git skips what is no pattern, too
                GitIgnoreSpec.from_lines([line])
                lines.append(line)
        return GitIgnoreSpec.from_lines(lines).match_file


def _matches_nothing(_: str) -> bool:
    return False


def _matches_everything(_: str) -> bool:
    return True


def _identity_of_several(path: Path) -> tuple[int, int] | None:
    """What a file with several names has in common under all of them; None for any other."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    is_one = stat.S_ISREG(status.st_mode) and status.st_nlink > 1
    return (status.st_dev, status.st_ino) if is_one else None
