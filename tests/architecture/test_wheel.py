"""The wheel holds everything that the program needs, and starts without the checkout."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(argument) for argument in arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


def test_the_prompts_are_in_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    shipped = {name.removeprefix("text_agent/prompts/") for name in names if "/prompts/" in name}
    assert shipped == {path.name for path in (ROOT / "prompts").glob("*.md")}
    for other in ("py.typed", "cli/schemas/output.schema.json", "terminal/export/style.css"):
        assert f"text_agent/{other}" in names


@pytest.mark.timeout(600)
def test_it_starts_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv")
    binaries = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", binaries / "python"]
    run(*pip, "install", "--quiet", "--no-compile", wheel, cwd=tmp_path)
    assert "tool: read_file(" in run(binaries / "text-agent", "--print-system-prompt", cwd=tmp_path)
    assert run(binaries / "text-agent", "--version", cwd=tmp_path).startswith("text-agent ")
