"""The sockets by which a command could reach programs outside of its sandbox.

To connect to one needs no right to write to the file system in which its name stands.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from text_agent.lazy_regex import late_pattern

# What stands before a socket's name in the kernel's table: a name may hold line breaks itself.
_FIELDS = late_pattern(rb"^[0-9a-f]{8,}: (?:[0-9A-F]{8} ){3}[0-9A-F]{4} [0-9A-F]{2} +[0-9]+", re.MULTILINE)
# Before a name that is in no file system; it is out of reach in a network of its own.
_ABSTRACT = b"@"


def socket_paths(proc: Path = Path("/proc")) -> list[Path]:
    """The sockets of all programs that have a name in the file system; links are resolved.

    Raises `OSError`: this system does not tell, so that none can be kept from a command.
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
