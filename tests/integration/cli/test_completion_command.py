"""Shell completion, tried in the shells themselves where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest

from tests.support.command import run_command
from text_agent.cli.flags import create_parser


def script(shell: str, cwd: Path) -> str:
    done = run_command("completion", shell, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def completed_by_bash(line: str, cwd: Path) -> list[str]:
    """What bash offers at the end of a line."""
    words = line.split(" ")
    code = (
        f"{script('bash', cwd)}\n"
        f"COMP_WORDS=({line}); [[ '{line}' == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD={len(words) - 1}\n"
        '_shtab_text_agent; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", code], cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_flag_and_command_is_in_the_script(project: Path, shell: str) -> None:
    text = script(shell, project)
    flags = [flag for action in create_parser()._actions for flag in action.option_strings]
    for word in [
        *(flag.lstrip("-") for flag in flags if flag.startswith("--")),
        "parse",
        "completion",
        "doctor",
    ]:
        assert word in text


@pytest.fixture
def files(project: Path) -> Path:
    (project / "subfolder").mkdir()
    (project / "reply.txt").write_text("")
    return project


LINES = [
    ("text-agent --perm", ["--permission-mode"]),
    ("text-agent --provider ", ["anthropic", "openai", "local"]),
    ("text-agent completion ", ["bash", "zsh", "fish"]),
    ("text-agent parse rep", ["reply.txt"]),
]


@pytest.mark.parametrize(("line", "expected"), [*LINES, ("text-agent -C sub", ["subfolder"])])
def test_bash_completes(files: Path, line: str, expected: list[str]) -> None:
    offered = completed_by_bash(line, files)
    assert [word for word in offered if word not in ("-h", "--help")] == expected


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize(("line", "expected"), [*LINES, ("text-agent -C sub", ["subfolder/"])])
def test_fish_completes(files: Path, line: str, expected: list[str]) -> None:
    argv = ["fish", "--no-config", "-c", f"{script('fish', files)}\ncomplete -C '{line}'"]
    done = subprocess.run(argv, cwd=files, capture_output=True, text=True, check=True)
    assert [offered.partition("\t")[0] for offered in done.stdout.splitlines()] == expected


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize(
    "setup", ['compinit -C -D; eval "$(<_text-agent)"', "fpath=($PWD $fpath); compinit -u -D"]
)
def test_zsh_completes(files: Path, setup: str) -> None:
    (files / "_text-agent").write_text(script("zsh", files))
    zsh = pexpect.spawn(
        "zsh", ["-f", "-i"], cwd=str(files), encoding="utf-8", dimensions=(24, 200), timeout=60
    )
    try:
        zsh.sendline(f'autoload -Uz compinit; {setup}; print be""gun')
        zsh.expect_exact("begun")
        for line, expected in (*LINES, ("text-agent -C sub", ["subfolder"])):
            zsh.send(f"{line}\t")
            for word in sorted(expected):
                zsh.expect_exact(word)
            zsh.send("\x15")  # the line is taken back
    finally:
        zsh.close(force=True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_the_script(project: Path, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [program, "-n"], input=script(shell, project), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_another_shell_is_wrong_usage(project: Path) -> None:
    done = run_command("completion", "csh", cwd=project)
    assert done.returncode == 2
    assert "'csh'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
