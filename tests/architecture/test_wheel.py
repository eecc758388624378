"""The wheel holds everything that the program needs, and starts without the checkout."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


NO_KEYRING = "keyring.backends.null.Keyring"


def run(*arguments: object, cwd: Path, environment: Mapping[str, str] | None = None) -> str:
    argv = [str(argument) for argument in arguments]
    done = subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
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
@pytest.mark.parametrize("installer", ["pipx", "uv"])
def test_it_is_installed_as_a_program(installer: str, wheel: Path, tmp_path: Path) -> None:
    program = shutil.which(installer)
    if program is None:
        pytest.skip(f"{installer} is not installed")
    folders = {"PIPX_HOME": "home", "PIPX_BIN_DIR": "bin", "UV_TOOL_DIR": "home", "UV_TOOL_BIN_DIR": "bin"}
    environment = {**os.environ, **{name: str(tmp_path / folder) for name, folder in folders.items()}}
    words = {"pipx": ["install", "--python", sys.executable], "uv": ["tool", "install", "-p", sys.executable]}
    run(program, *words[installer], wheel, cwd=tmp_path, environment=environment)
    assert run(tmp_path / "bin/text-agent", "version", cwd=tmp_path).startswith("text-agent ")
    assert f"Install it: {installer} " in missing_keyring(tmp_path / "bin/text-agent", tmp_path)


def missing_keyring(program: Path, folder: Path) -> str:
    """What is said where a key is kept in the system's keyring, which needs an extra."""
    home = folder / "user"
    (home / "text-agent").mkdir(parents=True, exist_ok=True)
    (home / "text-agent/config.toml").write_text("api_key_keyring = 'a/b'\nbase_url = 'http://127.0.0.1:9'\n")
    done = subprocess.run(
        [program, "-p", "x", "-m", "m"],
        cwd=folder,
        env={**os.environ, "XDG_CONFIG_HOME": str(home), "PYTHON_KEYRING_BACKEND": NO_KEYRING},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    return done.stderr


@pytest.mark.timeout(600)
def test_it_starts_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv")
    binaries = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", binaries / "python"]
    run(*pip, "install", "--quiet", "--no-compile", wheel, cwd=tmp_path)
    assert "tool: read_file(" in run(binaries / "text-agent", "--print-system-prompt", cwd=tmp_path)
    assert run(binaries / "text-agent", "--version", cwd=tmp_path).startswith("text-agent ")
    # What a hint says exists: it can be done, and helps.
    run(*pip, "install", "--quiet", "--no-compile", "pip", cwd=tmp_path)
    hint = missing_keyring(binaries / "text-agent", tmp_path).splitlines()[1]
    run(*shlex.split(hint.removeprefix("Install it: ")), "--quiet", cwd=tmp_path)
    assert "holds no key" in missing_keyring(binaries / "text-agent", tmp_path)
