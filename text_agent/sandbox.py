"""Keeps commands inside the workspace, with what the operating system offers for it.

A sandbox turns the arguments that start a program into those that start it confined: the workspace
can be written, all else only be read, what holds keys is not even there, and there is no network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from text_agent.config import SandboxMode
from text_agent.errors import ConfigError
from text_agent.files.scratch import ScratchFolder

# What in the home folder holds keys, tokens or passwords; the rest of a program's settings is needed.
HOME_SECRETS = (
    ".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", ".password-store", ".netrc", ".npmrc", ".pypirc",
    ".git-credentials", ".config/git/credentials", ".config/gh", ".config/gcloud", ".config/op",
    ".config/rclone", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".terraform.d",
    ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".bash_history",
    ".zsh_history", ".python_history", "Library/Keychains", "Library/Cookies",
)  # fmt: skip
# What in the workspace other programs run code from.
_READ_ONLY = (".git", ".text-agent")
# Where programs keep what they can make again, now that the home folder is read-only.
_CACHES: Mapping[str, str] = {
    "GOCACHE": "go",
    "npm_config_cache": "npm",
    "UV_CACHE_DIR": "uv",
    "CCACHE_DIR": "ccache",
    "MPLCONFIGDIR": "matplotlib",
}
# Parts of /run that ordinary programs need; its sockets lead out of the sandbox.
_RUN_NEEDED = ("/run/systemd/resolve", "/run/current-system", "/run/wrappers")
_PROBE_SECONDS = 20.0
# Root would otherwise get no user namespace, and keep its rights.
_NAMESPACES = ("--unshare-all", "--unshare-user")


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a sandbox does.

    Attributes:
        root: the workspace, links resolved.
        scratch: the session's own folder; `/tmp` is kept there from command to command.
        secret_paths: gives the files and folders that commands must not see; asked for every command.
        network: whether there is one.
    """

    root: Path
    scratch: ScratchFolder
    secret_paths: Callable[[], Iterable[Path]]
    network: bool = False


class Sandbox(Protocol):
    """One way to confine programs."""

    @property
    def name(self) -> str:
        """How the user knows it."""
        ...

    @property
    def limits(self) -> str:
        """What cannot be done in it, in a few words for the model."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables that programs need in it."""
        ...

    def argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` confined."""
        ...


def _limits(confinement: Confinement) -> str:
    network = "" if confinement.network else "no network, "
    return f"{network}only the workspace and /tmp can be written, .git cannot, and key files are hidden"


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The sandbox of Linux: namespaces, set up by the program `bwrap`."""

    program: str
    confinement: Confinement
    name: str = "bubblewrap"

    @property
    def limits(self) -> str:
        """What cannot be done in it."""
        return _limits(self.confinement)

    @property
    def environment(self) -> Mapping[str, str]:
        """A temporary folder that can be written, and caches in it."""
        return {"TMPDIR": "/tmp", **{name: f"/tmp/.cache/{folder}" for name, folder in _CACHES.items()}}

    def argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` confined.

        Even root has no rights of root in there: all capabilities are gone.
        """
        network = ["--share-net"] if self.confinement.network else []
        root = str(self.confinement.root)
        return [
            self.program, *_NAMESPACES, *network, "--cap-drop", "ALL", "--die-with-parent",
            *(word for mount in self._mounts() for word in mount),
            "--chdir", root, "--", *command,
        ]  # fmt: skip

    def _mounts(self) -> list[tuple[str, ...]]:
        """The mounts, a folder before what lies in it; of two for one place the later one counts."""
        root, scratch = self.confinement.root, self.confinement.scratch
        mounts: list[tuple[str, ...]] = [
            ("--ro-bind", "/", "/"),
            ("--dev", "/dev"),
            ("--proc", "/proc"),
            *_kernel_settings(),
            ("--tmpfs", "/run"),
            *(("--ro-bind", path, path) for path in _RUN_NEEDED if Path(path).exists()),
            ("--bind", str(scratch.temporary), "/tmp"),
            ("--bind", str(root), str(root)),
            *(("--ro-bind", str(path), str(path)) for path in _existing(root / name for name in _READ_ONLY)),
            *(_hiding(path) for path in _existing(self.confinement.secret_paths())),
        ]
        return sorted(mounts, key=lambda mount: len(Path(mount[-1]).parts))


def _kernel_settings(folder: Path = Path("/proc")) -> list[tuple[str, ...]]:
    """Makes the kernel's settings read-only: of those, root may write many even without its rights."""
    entries = (entry for entry in folder.iterdir() if not entry.name.isdecimal() and not entry.is_symlink())
    settings = (str(entry) for entry in entries if entry.is_dir() or entry.stat().st_mode & 0o222)
    return [("--ro-bind", setting, setting) for setting in settings]


def _existing(paths: Iterable[Path]) -> list[Path]:
    """Those of `paths` that exist, links resolved: what a link leads to is what counts."""
    return [Path(os.path.realpath(path)) for path in paths if os.access(path, os.F_OK)]


def _hiding(path: Path) -> tuple[str, ...]:
    """Puts an empty folder, or a file that cannot be opened, in the place of `path`."""
    return ("--tmpfs", str(path)) if path.is_dir() else ("--ro-bind", os.devnull, str(path))


@dataclass(frozen=True, slots=True)
class Seatbelt:
    """The sandbox of macOS: a profile for `sandbox-exec`. It was written by the book, and never tried."""

    program: str
    confinement: Confinement
    name: str = "sandbox-exec, untested"

    @property
    def limits(self) -> str:
        """What cannot be done in it."""
        return _limits(self.confinement)

    @property
    def environment(self) -> Mapping[str, str]:
        """A temporary folder that can be written, and caches in it."""
        folder = self.confinement.scratch.temporary
        return {"TMPDIR": str(folder), **{name: str(folder / part) for name, part in _CACHES.items()}}

    def argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` confined."""
        return [self.program, "-p", self.profile(), *command]

    def profile(self) -> str:
        """The rules; of several that fit, the last one counts."""
        root, scratch = self.confinement.root, self.confinement.scratch
        writable = [root, scratch.temporary]
        read_only = [root / name for name in _READ_ONLY]
        rules = [
            "(version 1)",
            "(allow default)",
            "(deny file-write*)",
            *(f"(allow file-write* {_subpath(path)})" for path in writable),
            '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
            *(f"(deny file-write* {_subpath(path)})" for path in read_only),
            *(f"(deny file* {_subpath(path)})" for path in _existing(self.confinement.secret_paths())),
        ]
        return "\n".join([*rules, *([] if self.confinement.network else ["(deny network*)"])])


def _subpath(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'(subpath "{text}")'


def find_sandbox(
    mode: SandboxMode,
    confinement: Confinement,
    *,
    platform: str = sys.platform,
    which: Callable[[str], str | None] = shutil.which,
) -> tuple[Sandbox | None, str]:
    """The sandbox of this machine, or None and why there is none, in one sentence for the user.

    Raises:
        ConfigError: there is none, and the mode is `require`.
    """
    if mode == "off":
        return None, ""
    sandbox, problem = _find(confinement, platform, which)
    if sandbox is None and mode == "require":
        raise ConfigError(
            f"there is no sandbox for commands: {problem}.",
            hint="Without --sandbox require, commands run with your own rights.",
        )
    return sandbox, f"There is no sandbox for commands: {problem}." if problem else ""


def _find(
    confinement: Confinement, platform: str, which: Callable[[str], str | None]
) -> tuple[Sandbox | None, str]:
    if platform == "linux":
        program = which("bwrap")
        if program is None:
            return None, "bwrap is missing (the package bubblewrap has it)"
        problem = _probe(program)
        return (None, problem) if problem else (Bubblewrap(program, confinement), "")
    if platform == "darwin":
        program = which("sandbox-exec")
        return (Seatbelt(program, confinement), "") if program else (None, "sandbox-exec is missing")
    return None, "this system has none that is supported here"


def _probe(program: str) -> str:
    """Why bwrap does not work here, as in many containers; empty if it does."""
    mounts = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev")
    trial = [program, *_NAMESPACES, *mounts, "true"]
    try:
        run = subprocess.run(trial, capture_output=True, stdin=subprocess.DEVNULL, timeout=_PROBE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap cannot be started ({error})"
    reason = run.stderr.decode("utf-8", "replace").strip().splitlines()[:1]
    return f"bwrap does not work here ({''.join(reason)})" if run.returncode else ""


def home_secrets(home: Path, own_folders: Iterable[Path]) -> list[Path]:
    """What commands must not see outside the workspace: keys in the home folder, and our own settings."""
    return [*(home / name for name in HOME_SECRETS), *own_folders]
