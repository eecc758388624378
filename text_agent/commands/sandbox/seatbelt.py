"""The sandbox of macOS."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from text_agent.commands.sandbox.confinement import CACHES, Sandbox, existing
from text_agent.files.secrets import IGNORE_FILE

_NO_WRITING = (
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
)


class Seatbelt(Sandbox):
    """The sandbox of macOS: a profile for `sandbox-exec`. It was written by the book, and never tried."""

    name = "sandbox-exec, untested"

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables that programs need in it."""
        folder = self.confinement.scratch.temporary
        return {"TMPDIR": str(folder), **{name: str(folder / part) for name, part in CACHES.items()}}

    def argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` confined."""
        return [self.program, "-p", self.profile(), *command]

    def looking_argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` so that it can write nothing and reach nobody."""
        return [self.program, "-p", "\n".join([*_NO_WRITING, "(deny network*)"]), *command]

    def profile(self) -> str:
        """The rules; of several that fit, the last one counts."""
        root, scratch = self.confinement.root, self.confinement.scratch
        writable = [root, scratch.temporary]
        rules = [
            *_NO_WRITING,
            *(f"(allow file-write* {_subpath(path)})" for path in writable),
            f"(deny file-write* {_below(root, '[.](git|text-agent)(/|$)')})",
            f"(deny file-write* {_subpath(root / IGNORE_FILE)})",
            *(f"(deny file* {_subpath(path)})" for path in existing(self.confinement.secret_paths())),
        ]
        return "\n".join([*rules, *([] if self.confinement.network else ["(deny network*)"])])


def _below(root: Path, pattern: str) -> str:
    """What has a name of `pattern` anywhere in a folder, whether it is there already or not."""
    folder = re.sub(r"[^\w/ -]", lambda match: f"[{match[0]}]" if match[0] not in '^\\"' else ".", str(root))
    return f'(regex #"^{folder.rstrip("/")}/(.*/)?{pattern}")'


def _subpath(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'(subpath "{text}")'
