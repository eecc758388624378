"""Fetches the projects of the set from their package indexes, once each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

CACHE = Path(os.environ.get("TEXT_AGENT_BENCH_PROJECTS", "~/.cache/text-agent-bench/projects")).expanduser()
# What builds the source distributions: pip asks it for their metadata.
BACKENDS = ("flit_core", "hatchling", "hatch-vcs", "setuptools", "setuptools_scm", "wheel", "poetry-core")


def project(spec: str) -> Path:
    """Returns the folder of a project, such as `pip pluggy==1.5.0` or `npm express@5.1.0`."""
    kind, _, package = spec.partition(" ")
    folder = CACHE / spec.replace(" ", "-").replace("/", "-")
    if not folder.is_dir():
        with tempfile.TemporaryDirectory() as temporary:
            archive = _from_pip(package, temporary) if kind == "pip" else _from_npm(package, temporary)
            with tarfile.open(archive) as tar:
                tar.extractall(f"{temporary}/unpacked", filter="data")
            (top,) = Path(f"{temporary}/unpacked").iterdir()
            for built in [*top.glob("PKG-INFO"), *top.rglob("*.egg-info")]:  # a checkout has none
                shutil.rmtree(built) if built.is_dir() else built.unlink()
            folder.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(top, folder)
    return folder


def _from_pip(package: str, folder: str) -> Path:
    pip = _backends() / "bin/python"
    options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", folder]
    environment = {**os.environ, "PATH": f"{pip.parent}:{os.environ['PATH']}"}
    subprocess.run([pip, "-m", "pip", "download", *options, package], check=True, env=environment)
    return next(Path(folder).glob("*.tar.gz"))


def _from_npm(package: str, folder: str) -> Path:
    subprocess.run(["npm", "pack", "--silent", package], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    return next(Path(folder).glob("*.tgz"))


def _backends() -> Path:
    folder = CACHE.parent / "backends"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", *BACKENDS], check=True)
        (folder / "ready").touch()
    return folder
