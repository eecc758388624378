"""The shell that commands run in: looked for once, named to the model, and used for every command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# The shell runs below a second one, which only waits for it: a command that kills its parent kills that.
_WAITER = '"$@"; exit $?'
# Without this, Windows' own shells answer in a code page of the machine's.
_UTF8 = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; "


_SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}


@dataclass(frozen=True, slots=True)
class Shell:
    """A program that runs command lines."""

    name: str  # how the model knows it
    program: str  # where it is
    system: str = "Linux"  # the operating system, whose commands differ
    is_posix: bool = True  # it takes `-c`; PowerShell, the other one, takes flags of its own

    def argv(self, command: str) -> list[str]:
        """The program and its arguments that run `command`."""
        if not self.is_posix:
            return [self.program, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", _UTF8 + command]
        return [self.program, "-c", _WAITER, self.name, self.program, "-c", command]


def find_shell(platform: str, which: Callable[[str], str | None]) -> Shell:
    """The best shell of this machine: models write commands for bash."""
    names = ("bash", "pwsh", "powershell") if platform == "win32" else ("bash", "sh")
    found = {name: program for name in names if (program := which(name)) and not _starts_linux(program)}
    name = next(iter(found), names[-1])
    return Shell(name, found.get(name, name), _SYSTEMS.get(platform, platform), name in ("bash", "sh"))


def _starts_linux(program: str) -> bool:
    """Whether it is the `bash` of Windows that starts a virtual Linux, with other paths."""
    return "/system32/" in program.replace("\\", "/").lower() and "bash" in program.lower()
