"""No setting of a repository starts a program while a reading command is looked at, or runs unasked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.git_traps import KEPT_OFF, LINES, PLACES, RUNNING, TrappedRepository, trapped
from text_agent.files.secrets import Secrets
from text_agent.permissions.command_lines.assessment import assess
from text_agent.permissions.command_lines.git import hardened
from text_agent.permissions.command_lines.system import look_around


def run_what_reads(repository: TrappedRepository, lines: tuple[str, ...] = LINES) -> list[str]:
    """Looks at the lines, runs those that nobody would be asked about, and returns them."""
    root = repository.folder.resolve()
    around = look_around(root, Secrets(root), os.environ)
    reading = [line for line in lines if assess(line, around).kind == "reads"]
    for line in reading:
        (root / "a.txt").touch()
        subprocess.run(["sh", "-c", hardened(line)], cwd=root, check=False, capture_output=True)
    return reading


@pytest.mark.parametrize("place", PLACES)
def test_settings_that_commands_are_kept_from(project: Path, place: str) -> None:
    repository = trapped(place, project)
    repository.set(KEPT_OFF)
    reading = run_what_reads(repository)
    assert not repository.mark.exists()
    assert bool(reading) == (place != "a bare repository below")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("settings", RUNNING)
def test_settings_that_ask(project: Path, place: str, settings: str) -> None:
    repository = trapped(place, project)
    repository.set(RUNNING[settings])
    assert run_what_reads(repository, ("git log -p", "git status", "git diff HEAD")) == []
    assert not repository.mark.exists()


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"core.fsmonitor": "TRAP"}, "git status"),
        ({"diff.external": "TRAP"}, "git diff"),
        ({"diff.evil.textconv": "TRAP"}, "git log -p"),
        ({"merge.evil.driver": "TRAP", "log.diffMerges": "remerge"}, "git log -m -p"),
        (RUNNING["signatures"], "git log"),
        (RUNNING["clean"], "git diff"),
    ],
)
def test_without_it_they_would(project: Path, settings: dict[str, str], line: str) -> None:
    repository = trapped("the root", project)
    repository.set(settings)
    (project / "a.txt").touch()
    subprocess.run(["sh", "-c", line], cwd=project, check=False, capture_output=True)
    assert repository.mark.exists()


def test_the_users_own_program_for_signatures_asks_nothing(project: Path, own_environment: Path) -> None:
    """It is not the repository's, and reading commands go without it."""
    repository = trapped("the root", project)
    (own_environment / ".gitconfig").write_text(
        f"[gpg]\nprogram = {repository.trap}\n[log]\nshowSignature = true\n"
    )
    assert run_what_reads(repository, ("git log -p",)) == ["git log -p"]
    assert not repository.mark.exists()


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH"])
def test_variables_that_lead_git_elsewhere_ask(project: Path, name: str) -> None:
    repository = trapped("the root", project)
    around = look_around(project, Secrets(project), {**os.environ, name: str(repository.trap.parent)})
    assert assess("git log -p", around).kind == "secret"


@pytest.mark.parametrize(
    "variable", ["GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_ASKPASS"]
)
def test_variables_that_name_programs_reach_no_question(project: Path, variable: str) -> None:
    repository = trapped("the root", project)
    around = look_around(project, Secrets(project), {**os.environ, variable: str(repository.trap)})
    assert assess("git log -p", around).kind == "reads"
    assert not repository.mark.exists()


@pytest.mark.parametrize("settings", [KEPT_OFF, *RUNNING.values()], ids=["kept off", *RUNNING])
def test_a_submodule_below_starts_nothing(project: Path, settings: Mapping[str, str]) -> None:
    module = trapped("a submodule", project)
    module.set(settings)
    (module.folder / "a.txt").touch()
    reading = run_what_reads(TrappedRepository(project, module.config, module.trap))
    assert not module.mark.exists()
    assert "git log -p" in reading


def test_without_a_repository_git_shows_only_what_it_is_told_to(project: Path) -> None:
    around = look_around(project, Secrets(project), os.environ)
    assert assess("git diff", around).kind == "reads"
