"""What the model knows of each file: the state that the file tools keep between calls."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Knowledge = Literal["whole", "part", "outdated", "nothing"]


@dataclass(slots=True)
class _Shown:
    """Which lines of one version of a file the model has not seen yet."""

    digest: bytes
    unseen: set[int]


class FileMemory:
    """Remembers what was shown, what was refused, and what each file was before its last change."""

    def __init__(self) -> None:
        # What the user asked for in this turn; None where nobody has noted it.
        self.request: str | None = None
        # The files of tests that failed before anything was changed in this turn.
        self.failing_tests: frozenset[str] = frozenset()
        self._shown: dict[Path, _Shown] = {}
        self._refused: set[bytes] = set()
        self._former: dict[Path, tuple[bytes, bytes]] = {}

    def note_shown(self, target: Path, content: bytes, lines: Iterable[int], total: int) -> None:
        """Notes that the model was shown `lines`, counted from 1, of the `total` lines of `content`."""
        digest = _digest(content)
        shown = self._shown.get(target)
        if shown is None or shown.digest != digest:
            shown = self._shown[target] = _Shown(digest, set(range(1, total + 1)))
        shown.unseen.difference_update(lines)

    def forget_shown(self) -> None:
        """The model does not see any more what it was shown."""
        self._shown.clear()

    def note_written(self, target: Path, before: bytes | None, after: bytes, *, whole: bool) -> None:
        """Notes a change made by a tool; `whole` says that the model wrote all of `after` itself."""
        if whole or before is None or self.knowledge(target, before) == "whole":
            self._shown[target] = _Shown(_digest(after), set())
        else:
            self._shown.pop(target, None)
        if before is not None:
            self._former[target] = (before, _digest(after))

    def note_removed(self, target: Path) -> None:
        """Forgets a file that is gone."""
        self._shown.pop(target, None)

    def knowledge(self, target: Path, content: bytes) -> Knowledge:
        """How much of `content`, the file as it is now, the model has been shown."""
        shown = self._shown.get(target)
        if shown is None:
            return "nothing"
        if shown.digest != _digest(content):
            return "outdated"
        return "part" if shown.unseen else "whole"

    def former(self, target: Path, content: bytes) -> bytes | None:
        """The bytes before the last change by a tool, if `content` is what that change gave."""
        former, after = self._former.get(target, (b"", b""))
        return former if after == _digest(content) else None

    def is_repeated(self, *call: str) -> bool:
        """Whether this very call was refused before; notes it as refused if not."""
        digest = _digest("\0".join(call).encode("utf-8", "surrogatepass"))
        repeated = digest in self._refused
        self._refused.add(digest)
        return repeated


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()
