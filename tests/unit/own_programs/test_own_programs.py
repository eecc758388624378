"""Where our own programs are looked for, what they get, and how they end."""

from __future__ import annotations

import asyncio
import io
import os
import time
from pathlib import Path

import pytest

from tests.support.git_traps import trap_in
from text_agent.own_programs.processes import find_program, lies_in, outer_path, own_environment, run
from text_agent.terminal.input.clipboard import Clipboard
from text_agent.terminal.input.editor import EditorError, edit


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "folder", ["", ".", "bin", "./bin", "../project/bin", "{root}/bin", "{root}", "{link}", "{link}/bin"]
)
def test_folders_of_the_workspace_are_passed_over(project: Path, tmp_path: Path, folder: str) -> None:
    program(project / "bin/tool")
    program(project / "tool")
    (tmp_path / "link").symlink_to(project)
    wanted = program(tmp_path / "outside/tool")
    path = os.pathsep.join([folder.format(root=project, link=tmp_path / "link"), str(wanted.parent)])
    assert outer_path(path, project) == str(wanted.parent)
    assert find_program("tool", project, path) == str(wanted)


@pytest.mark.parametrize("tops", [["clone"], ["clone", "clone/packages"], ["clone", "clone/packages/one"]])
@pytest.mark.parametrize("kind", ["folder", "file"])
def test_the_repository_around_the_workspace_is_passed_over(
    tmp_path: Path, tops: list[str], kind: str
) -> None:
    root = tmp_path / "clone/packages/one"
    root.mkdir(parents=True)
    for top in tops:
        (tmp_path / top / ".git").mkdir() if kind == "folder" else (tmp_path / top / ".git").write_text("x")
    own = program(tmp_path / "clone/node_modules/.bin/tool")
    wanted = program(tmp_path / "outside/tool")
    path = os.pathsep.join([str(own.parent), str(wanted.parent)])
    assert outer_path(path, root) == str(wanted.parent)
    assert find_program("tool", root, path) == str(wanted)


def test_a_repository_that_holds_the_home_folder_is_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, root = tmp_path / "home", tmp_path / "home/code/project"
    root.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for folder in (tmp_path, home):
        (folder / ".git").mkdir()
    wanted = program(home / ".local/bin/tool")
    assert find_program("tool", root, str(wanted.parent)) == str(wanted)


@pytest.mark.parametrize("path", ["", ".", "bin", ":"])
def test_a_path_of_which_nothing_is_left_is_that_of_the_system(project: Path, path: str) -> None:
    assert outer_path(path, project) == "/usr/bin:/bin"
    assert find_program("sh", project, path) is None


def test_a_link_into_the_workspace_is_passed_over(project: Path, tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "first/tool").symlink_to(program(project / "tool"))
    wanted = program(tmp_path / "second/tool")
    path = os.pathsep.join([str(tmp_path / "first"), str(wanted.parent)])
    assert find_program("tool", project, path) == str(wanted)
    assert find_program("tool", project, str(tmp_path / "first")) is None


@pytest.mark.parametrize("name", ["./tool", "bin/tool", "../tool", ""])
def test_only_names_are_looked_for(project: Path, name: str) -> None:
    program(project / "tool")
    assert find_program(name, project, str(project.parent)) is None


def test_what_is_trusted_as_this_program_is(project: Path) -> None:
    own = program(project / ".venv/bin/rg")
    began = time.time() + 1
    assert find_program("rg", project, "", [str(own.parent)], began=began) == str(own)
    assert find_program("rg", project, str(own.parent), began=began) is None


@pytest.mark.parametrize("is_link", [False, True])
def test_what_was_changed_in_the_workspace_since_the_start_is_not_trusted(
    project: Path, tmp_path: Path, is_link: bool
) -> None:
    own, other = project / ".venv/bin/rg", program(tmp_path / "usr/bin/rg")
    program(project / "lib/rg" if is_link else own)
    if is_link:
        own.parent.mkdir(parents=True)
        own.symlink_to(project / "lib/rg")
    os.utime(own, (1, 1))
    found = find_program("rg", project, str(other.parent), [str(own.parent)], began=time.time() - 60)
    assert found == str(other)


def test_the_systems_programs_are_its_own_whatever_the_workspace_is() -> None:
    assert not lies_in("/usr/bin/git", Path("/"))
    assert lies_in("/home/somebody/bin/git", Path("/"))
    assert lies_in("/usr/src/app/node_modules/.bin/git", Path("/usr/src/app"))
    assert find_program("sh", Path("/"), "/usr/bin:/bin") is not None


def test_nothing_that_loads_code_is_passed_on(project: Path) -> None:
    given = {
        "HOME": "/h",
        "LD_PRELOAD": "./x.so",
        "PYTHONPATH": ".",
        "GIT_DIR": "x",
        "PATH": f".:{project}:/usr/bin",
    }
    assert own_environment(given, project) == {"HOME": "/h", "PATH": "/usr/bin"}


def test_a_time_out_ends_what_was_started(tmp_path: Path) -> None:
    script = f"(sleep 2; touch {tmp_path}/late) & sleep 300"
    with pytest.raises(TimeoutError, match=r"longer than 0\.2 seconds"):
        run(["/bin/sh", "-c", script], {"PATH": os.defpath}, seconds=0.2)
    time.sleep(2.5)
    assert not (tmp_path / "late").exists()


def test_input_and_output() -> None:
    done = run(["/bin/sh", "-c", "cat; echo no >&2; exit 3"], {"PATH": os.defpath}, seconds=20, given=b"yes")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"yes", b"no\n")
    assert run(["/bin/sh", "-c", "echo x"], {}, seconds=20, captures=False).stdout is None


def test_the_clipboard_starts_nothing_of_the_workspace(project: Path) -> None:
    trap = trap_in(project / "bin")
    for name in ("xclip", "xsel", "wl-copy", "pbcopy", "clip.exe"):
        (project / "bin" / name).symlink_to(trap)
    variables = {
        "DISPLAY": ":0",
        "WAYLAND_DISPLAY": "w",
        "WSL_DISTRO_NAME": "x",
        "PATH": f"bin:{project}/bin",
    }
    assert "There is no clipboard here" in Clipboard(io.StringIO(), variables, project).copy("text")
    assert not trap.with_name("mark").exists()


@pytest.mark.parametrize("wanted", ["vi", "bin/vi", "./bin/vi", ""])
def test_the_editor_is_none_of_the_workspace(project: Path, wanted: str) -> None:
    trap = trap_in(project / "bin")
    for name in ("vi", "editor", "nano", "emacs", "notepad"):
        (project / "bin" / name).symlink_to(trap)
    variables = {"EDITOR": wanted, "PATH": f"bin:{project}/bin"}
    with pytest.raises(EditorError, match=r"outside the workspace|no editor was found"):
        asyncio.run(edit("text", variables, project))
    assert not trap.with_name("mark").exists()
