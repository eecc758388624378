"""What the user has allowed, and where it is kept."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from text_agent.errors import ConfigError
from text_agent.permissions.allowed import AllowedCommands
from text_agent.permissions.command_lines.assessment import begins_with, propose_prefix


@pytest.fixture
def file(project: Path) -> Path:
    return project.parent / "config" / "allowed-commands.json"


def test_a_later_session_in_the_same_project_knows_it(project: Path, file: Path) -> None:
    first = AllowedCommands(project, file)
    first.add("make test", for_project=True)
    first.add("pytest -q", prefix="pytest", for_project=True)
    first.add("make once")
    later = AllowedCommands(project, file)
    assert later.allow("make test")
    assert later.allow("pytest tests")
    assert not later.allow("make once")
    assert not AllowedCommands(project.parent, file).allow("make test")
    assert later.lines() == ["this project: make test", "this project: pytest ..."]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_two_sessions_keep_what_the_other_has_written(project: Path, file: Path) -> None:
    here, there = AllowedCommands(project, file), AllowedCommands(project / "..", file)
    here.add("a", for_project=True)
    there.add("b", for_project=True)
    assert set(json.loads(file.read_text())) == {str(project), str(project / "..")}


def test_forgetting_is_for_good(project: Path, file: Path) -> None:
    allowed = AllowedCommands(project, file)
    allowed.add("a", for_project=True)
    allowed.add("b")
    allowed.forget()
    assert allowed.lines() == []
    assert not AllowedCommands(project, file).allow("a")
    AllowedCommands(project).forget()


def test_nothing_is_kept_in_the_project_itself(project: Path) -> None:
    file = project / ".config" / "allowed-commands.json"
    file.parent.mkdir()
    file.write_text(json.dumps({str(project): {"commands": ["evil"], "prefixes": []}}))
    allowed = AllowedCommands(project, file)
    assert not allowed.lasts
    assert not allowed.allow("evil")
    allowed.add("a", for_project=True)
    assert "evil" in file.read_text()


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"/x": 1}', '{"/x": {"commands": "rm"}}', '{"/x": {"commands": [1]}}', "\xff"]
)
def test_a_file_that_is_none_of_ours_is_an_error(project: Path, file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError, match="allowed-commands"):
        AllowedCommands(project, file)


def test_a_file_that_cannot_be_read_is_an_error(project: Path, file: Path) -> None:
    file.mkdir(parents=True)
    with pytest.raises(ConfigError):
        AllowedCommands(project, file)


def test_what_cannot_be_kept_holds_for_the_session(project: Path, file: Path) -> None:
    told: list[str] = []
    allowed = AllowedCommands(project, file, told.append)
    file.parent.write_text("a file where the folder should be")
    allowed.add("a", for_project=True)
    assert allowed.allow("a")
    assert len(told) == 1
    file.parent.unlink()
    file.parent.mkdir()
    file.write_text("{")
    allowed.add("b", for_project=True)
    assert len(told) == 2
    assert file.read_text() == "{"


@pytest.mark.parametrize(
    ("command", "prefix"),
    [
        ("make", "make"),
        ("make test", "make test"),
        ("pytest -q tests", "pytest"),
        ("npm run build -- --x", "npm run build"),
        ("npm run", ""),
        ("npm test", "npm test"),
        ("npm", ""),
        ("git commit -m x", "git commit"),
        ("git -C x commit", ""),
        ("cargo test", "cargo test"),
        ("python -m pytest -q", "python -m pytest"),
        ("python -m 'a b'", ""),
        ("python app.py --x", "python app.py"),
        ("python -c 'x'", ""),
        ("python", ""),
        ("bash run.sh a", "bash run.sh"),
        ("bash -c ls", ""),
        ("./run.sh --fast", "./run.sh"),
        ("env make", ""),
        ("xargs rm", ""),
        ("sudo make", ""),
        ("find . -exec x ;", ""),
        ("make; ls", ""),
        ("make $X", ""),
        ("X=1 make", ""),
        ("make\nls", ""),
        ("make 'unclosed", ""),
        ("'a b' x", "a b x"),
        ("", ""),
    ],
)
def test_the_beginning_that_is_proposed(command: str, prefix: str) -> None:
    if command == "'a b' x":
        assert not begins_with(command, propose_prefix(command))
    else:
        assert propose_prefix(command) == prefix
        assert not prefix or begins_with(command, prefix)
