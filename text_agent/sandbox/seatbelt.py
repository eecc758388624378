"""The sandbox of macOS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from text_agent.sandbox.confinement import CACHES, READ_ONLY, Confinement, existing, limits_of


@dataclass(frozen=True, slots=True)
class Seatbelt:
    """The sandbox of macOS: a profile for `sandbox-exec`. It was written by the book, and never tried."""

    program: str
    confinement: Confinement
    name: str = "sandbox-exec, untested"

    @property
    def limits(self) -> str:
        """What cannot be done in it."""
        return limits_of(self.confinement)

    @property
    def environment(self) -> Mapping[str, str]:
        """A temporary folder that can be written, and caches in it."""
        folder = self.confinement.scratch.temporary
        return {"TMPDIR": str(folder), **{name: str(folder / part) for name, part in CACHES.items()}}

    def argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` confined."""
        return [self.program, "-p", self.profile(), *command]

    def profile(self) -> str:
        """The rules; of several that fit, the last one counts."""
        root, scratch = self.confinement.root, self.confinement.scratch
        writable = [root, scratch.temporary]
        read_only = [root / name for name in READ_ONLY]
        rules = [
            "(version 1)",
            "(allow default)",
            "(deny file-write*)",
            *(f"(allow file-write* {_subpath(path)})" for path in writable),
            '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
            *(f"(deny file-write* {_subpath(path)})" for path in read_only),
            *(f"(deny file* {_subpath(path)})" for path in existing(self.confinement.secret_paths())),
        ]
        return "\n".join([*rules, *([] if self.confinement.network else ["(deny network*)"])])


def _subpath(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'(subpath "{text}")'
