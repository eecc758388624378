from __future__ import annotations

import re
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from text_agent.commands.sandbox.bubblewrap import Bubblewrap, socket_paths
from text_agent.commands.sandbox.confinement import Confinement, home_secrets
from text_agent.commands.sandbox.finding import find_sandbox
from text_agent.commands.sandbox.seatbelt import Seatbelt
from text_agent.errors import ConfigError
from text_agent.files.scratch import ScratchFolder


class WithoutRepositories(Confinement):
    """One that does not look through the whole machine."""

    def read_only(self) -> list[Path]:
        return []


def test_the_root_folder_as_workspace_hides_its_secrets_too(tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    hidden = home_secrets(tmp_path, [tmp_path / "none"])
    everything = WithoutRepositories(Path("/"), ScratchFolder(tmp_path), lambda: hidden)
    argv = Bubblewrap("bwrap", everything).argv(["true"])
    root, keys = argv.index("--bind"), argv.index(str(tmp_path / ".ssh"))
    assert argv[root : root + 3] == ["--bind", "/", "/"]
    assert root < argv.index("--dev") < argv.index("--proc") < keys
    assert argv[keys - 1] == "--tmpfs"
    assert str(tmp_path / "none") not in argv


def confinement(folder: Path) -> Confinement:
    (folder / ".env").touch()
    return Confinement(folder, ScratchFolder(folder / "cache"), lambda: [folder / ".env", folder / "none"])


def test_a_machine_without_a_sandbox(tmp_path: Path) -> None:
    def nothing(_: str) -> None:
        return None

    for platform, words in (
        ("linux", "bwrap is missing"),
        ("darwin", "sandbox-exec"),
        ("win32", "this system"),
    ):
        sandbox, problem = find_sandbox("auto", confinement(tmp_path), platform=platform, which=nothing)
        assert sandbox is None
        assert words in problem
        assert find_sandbox("off", confinement(tmp_path), platform=platform, which=nothing) == (None, "")
        with pytest.raises(ConfigError, match=words):
            find_sandbox("require", confinement(tmp_path), platform=platform, which=nothing)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions to create"),
        (None, "cannot be started"),
    ],
)
def test_a_bubblewrap_that_does_not_work(tmp_path: Path, script: str | None, words: str) -> None:
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n" if script else "no program")
    program.chmod(0o755)
    sandbox, problem = find_sandbox(
        "auto", confinement(tmp_path), platform="linux", which=lambda _: str(program)
    )
    assert sandbox is None
    assert words in problem


def test_the_profile_for_macos(tmp_path: Path) -> None:
    sandbox, _ = find_sandbox(
        "auto", confinement(tmp_path), platform="darwin", which=lambda _: "/usr/bin/sandbox-exec"
    )
    assert isinstance(sandbox, Seatbelt)
    argv = sandbox.argv(["sh", "-c", "ls"])
    assert (argv[:2], argv[3:]) == (["/usr/bin/sandbox-exec", "-p"], ["sh", "-c", "ls"])
    rules = argv[2].splitlines()
    assert rules.index("(deny file-write*)") < rules.index(f'(allow file-write* (subpath "{tmp_path}"))')
    (regex,) = [rule.partition('#"')[2][:-3] for rule in rules if "regex" in rule]
    for name in (".git", ".git/hooks/x", "sub/.git", "sub/deep/.git/config", ".text-agent/x"):
        assert re.search(regex, f"{tmp_path}/{name}")
    for name in (".gitignore", "x.git", "sub/.github/x"):
        assert not re.search(regex, f"{tmp_path}/{name}")
    assert f'(deny file-write* (subpath "{tmp_path}/.text-agent-ignore"))' in rules
    assert f'(deny file* (subpath "{tmp_path}/.env"))' in rules
    assert not any("none" in rule for rule in rules)
    assert rules[-1] == "(deny network*)"
    assert "untested" in sandbox.name
    assert sandbox.environment["TMPDIR"] == str(
        tmp_path / "cache" / sandbox.confinement.scratch.path.name / "tmp"
    )
    assert "network" in sandbox.limits


def test_the_kernels_table_of_sockets(tmp_path: Path) -> None:
    """Names with blanks and line breaks, relative ones, those in no file system, and other networks."""
    (tmp_path / "standing").mkdir()
    names = ["a b", " a\nc0: d", "relative", "other network"]
    with ExitStack() as stack:
        for name in names:
            each = stack.enter_context(socket.socket(socket.AF_UNIX))
            each.bind(str(tmp_path / ("standing" if name == "relative" else "") / name))
        (tmp_path / "plain").touch()
        field = "0000000000000000: 00000002 00000000 00010000 0001 01 1234"
        own = [f"{tmp_path}/{name}" for name in (*names[:2], "plain", "gone")] + ["@abstract", "relative", ""]
        table = "Num RefCount Protocol\n" + "".join(f"{field} {name}".rstrip(" ") + "\n" for name in own)
        proc = tmp_path / "proc"
        for folder in ("self", "7", "8", "9"):
            (proc / folder / "net").mkdir(parents=True)
            (proc / folder / "ns").mkdir()
        (proc / "self/net/unix").write_text(table)
        (proc / "7/net/unix").write_text(f"{field} {tmp_path}/other network\n")
        (proc / "9/net/unix").write_text("Num RefCount Protocol\n")
        (proc / "9/ns/net").symlink_to("net:[9]")
        (proc / "7/ns/net").symlink_to("net:[7]")
        (proc / "8/ns/net").symlink_to("net:[8]")
        (proc / "8/cwd").symlink_to(tmp_path / "standing")
        found = socket_paths(proc)
    assert found == sorted(tmp_path / ("standing" if name == "relative" else "") / name for name in names)


def test_a_table_of_sockets_that_cannot_be_read_lets_no_command_run(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        socket_paths(tmp_path)
