"""The sandbox of Linux."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from text_agent.commands.sandbox.confinement import CACHES, Sandbox, existing
from text_agent.lazy_regex import late_pattern
from text_agent.own_programs.processes import own_environment, run

# Parts of /run that ordinary programs need; its sockets lead out of the sandbox.
_RUN_NEEDED = ("/run/systemd/resolve", "/run/current-system", "/run/wrappers")
_PROBE_SECONDS = 20.0
# Root would otherwise get no user namespace, and keep its rights.
_NAMESPACES = ("--unshare-all", "--unshare-user")
# What stands before a socket's name in the kernel's table: a name may hold line breaks itself.
_FIELDS = late_pattern(rb"^[0-9a-f]{8,}: (?:[0-9A-F]{8} ){3}[0-9A-F]{4} [0-9A-F]{2} +[0-9]+", re.MULTILINE)
# Before a name that is in no file system; it is out of reach in a network of its own.
_ABSTRACT = b"@"


class Bubblewrap(Sandbox):
    """The sandbox of Linux: namespaces, set up by the program `bwrap`."""

    name = "bubblewrap"

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables that programs need in it."""
        return {"TMPDIR": "/tmp", **{name: f"/tmp/.cache/{folder}" for name, folder in CACHES.items()}}

    def argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` confined."""
        return self._argv(command, self._mounts(), *(["--share-net"] if self.confinement.network else []))

    def looking_argv(self, command: Sequence[str]) -> list[str]:
        """The arguments that start `command` so that it can write nothing and reach nobody."""
        root = str(self.confinement.root)
        return self._argv(command, [*_system_mounts(), ("--ro-bind", root, root)])

    def _argv(self, command: Sequence[str], mounts: Iterable[tuple[str, ...]], *shared: str) -> list[str]:
        """The arguments with these mounts; even root has no rights of root: all capabilities are gone."""
        return [
            self.program, *_NAMESPACES, *shared, "--cap-drop", "ALL", "--die-with-parent",
            *(word for mount in _hiding_sockets(mounts) for word in mount),
            "--chdir", str(self.confinement.root), "--", *command,
        ]  # fmt: skip

    def _mounts(self) -> list[tuple[str, ...]]:
        root, scratch = self.confinement.root, self.confinement.scratch
        return [
            *_system_mounts(),
            ("--bind", str(scratch.temporary), "/tmp"),
            ("--bind", str(root), str(root)),
            *(("--ro-bind", str(path), str(path)) for path in self.confinement.read_only()),
            *(_hiding(path, scratch.empty) for path in existing(self.confinement.secret_paths())),
        ]


def _hiding_sockets(mounts: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The mounts, a folder before what lies in it; of two for one place the later one counts.

    Added are those that put something else in the place of each socket which a command would see.
    """
    ordered = sorted(mounts, key=lambda mount: len(Path(mount[-1]).parts))
    sockets = [path for path in socket_paths() if _is_shown(path, ordered)]
    return [*ordered, *(("--ro-bind", os.devnull, str(path)) for path in sockets)]


def _is_shown(path: Path, mounts: Sequence[tuple[str, ...]]) -> bool:
    covering = [mount for mount in mounts if path.is_relative_to(mount[-1])][-1]
    return covering[0].endswith("bind") and covering[1] == covering[2]


def _system_mounts() -> list[tuple[str, ...]]:
    """What any program needs, and cannot write."""
    return [
        ("--ro-bind", "/", "/"),
        ("--dev", "/dev"),
        ("--proc", "/proc"),
        *_kernel_settings(),
        ("--tmpfs", "/run"),
        *(("--ro-bind", path, path) for path in _RUN_NEEDED if Path(path).exists()),
    ]


def _kernel_settings(folder: Path = Path("/proc")) -> list[tuple[str, ...]]:
    """Makes the kernel's settings read-only: of those, root may write many even without its rights."""
    entries = (entry for entry in folder.iterdir() if not entry.name.isdecimal() and not entry.is_symlink())
    settings = (str(entry) for entry in entries if entry.is_dir() or entry.stat().st_mode & 0o222)
    return [("--ro-bind", setting, setting) for setting in settings]


def _hiding(path: Path, empty: Path) -> tuple[str, ...]:
    """Puts an empty folder or an empty file, which programs may look for, in the place of `path`."""
    return ("--tmpfs", str(path)) if path.is_dir() else ("--ro-bind", str(empty), str(path))


def probe(program: str, root: Path) -> str:
    """Why bwrap does not work here, as in many containers; empty if it does.

    It starts itself: any other program would have to be looked for.
    """
    mounts = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev")
    trial = [program, *_NAMESPACES, *mounts, program, "--version"]
    try:
        done = run(trial, own_environment(os.environ, root), seconds=_PROBE_SECONDS)
    except OSError as error:
        return f"bwrap cannot be started ({error})"
    reason = done.stderr.decode("utf-8", "replace").strip().splitlines()[:1]
    return f"bwrap does not work here ({''.join(reason)})" if done.returncode else ""


def socket_paths(proc: Path = Path("/proc")) -> list[Path]:
    """The sockets of all programs that have a name in the file system; links are resolved.

    By them a command could reach programs outside of its sandbox: to connect to one needs no right to write
    to the file system in which its name stands. Raises `OSError`: this system does not tell them.
    """
    names = set(_names((proc / "self/net/unix").read_bytes()))
    for folder in _other_networks(proc):
        with contextlib.suppress(OSError):  # it has ended meanwhile, or is another user's
            names.update(_names((folder / "net/unix").read_bytes()))
    absolute = {name for name in names if name.startswith(b"/")}
    # Nobody keeps where a program stood when it gave a name that begins nowhere.
    folders = set(_working_folders(proc)) if names - absolute else set()
    places = absolute | {os.path.join(folder, name) for folder in folders for name in names - absolute}  # noqa: PTH118
    return sorted(Path(os.fsdecode(os.path.realpath(place))) for place in places if _is_socket(place))


def _names(table: bytes) -> Iterator[bytes]:
    _, *names = _FIELDS.split(table)
    for name in (each.removesuffix(b"\n").removeprefix(b" ") for each in names):
        if name and not name.startswith(_ABSTRACT):
            yield name


def _other_networks(proc: Path) -> Iterable[Path]:
    """A process of each network namespace: each has a table of its own."""
    found: dict[str, Path] = {}
    for process in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found.setdefault(os.readlink(process / "ns/net"), process)  # noqa: PTH115 - not the path of a file
    return found.values()


def _working_folders(proc: Path) -> Iterator[bytes]:
    for process in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            yield os.readlink(os.fsencode(process / "cwd"))  # noqa: PTH115 - bytes, as the names are


def _is_socket(place: bytes) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(place).st_mode)  # noqa: PTH116 - bytes, as the names are
    except (OSError, ValueError):
        return False
