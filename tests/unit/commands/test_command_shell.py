from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from text_agent.commands.shell import Shell, find_shell
from text_agent.files.workspace import Workspace
from text_agent.protocol.prompt import render_system_prompt
from text_agent.tools.registry import default_tools
from text_agent.tools.run_command import CommandHost


def machine(programs: Mapping[str, str]) -> Callable[[str], str | None]:
    return programs.get


@pytest.mark.parametrize(
    ("platform", "programs", "shell"),
    [
        ("linux", {"bash": "/bin/bash", "sh": "/bin/sh"}, Shell("bash", "/bin/bash", "Linux")),
        ("linux", {"sh": "/bin/sh"}, Shell("sh", "/bin/sh", "Linux")),
        ("linux", {}, Shell("sh", "sh", "Linux")),
        ("darwin", {"bash": "/bin/bash"}, Shell("bash", "/bin/bash", "macOS")),
        ("freebsd14", {"sh": "/bin/sh"}, Shell("sh", "/bin/sh", "freebsd14")),
        ("win32", {"bash": r"C:\Git\bash.exe"}, Shell("bash", r"C:\Git\bash.exe", "Windows")),
        (
            "win32",
            {"bash": r"C:\Windows\System32\bash.exe", "powershell": r"C:\Windows\System32\ps.exe"},
            Shell("powershell", r"C:\Windows\System32\ps.exe", "Windows", is_posix=False),
        ),
        ("win32", {"pwsh": "pwsh.exe"}, Shell("pwsh", "pwsh.exe", "Windows", is_posix=False)),
        ("win32", {}, Shell("powershell", "powershell", "Windows", is_posix=False)),
    ],
)
def test_the_shell_of_a_machine(platform: str, programs: Mapping[str, str], shell: Shell) -> None:
    assert find_shell(platform, machine(programs)) == shell


@pytest.mark.parametrize(
    ("platform", "programs", "name"),
    [
        ("win32", {"powershell": "powershell.exe"}, "powershell on Windows"),
        ("darwin", {"sh": "/bin/sh"}, "sh on macOS"),
    ],
)
def test_the_system_prompt_names_the_shell_that_is_used(
    project: Path, platform: str, programs: Mapping[str, str], name: str
) -> None:
    shell = find_shell(platform, machine(programs))
    workspace = Workspace(project)
    tools = default_tools(workspace, CommandHost(workspace, shell))
    assert f"Runs a command with {name} in the user's folder" in render_system_prompt(tools.values())
    assert shell.argv("x")[0] == programs[shell.name]


def test_how_a_shell_is_called() -> None:
    windows = Shell("powershell", "ps.exe", "Windows", is_posix=False).argv("ls 'a b'")
    assert windows[:5] == ["ps.exe", "-NoLogo", "-NoProfile", "-NonInteractive", "-Command"]
    assert windows[5].endswith("; ls 'a b'")
    assert Shell("bash", "/bin/bash").argv("ls 'a b'")[-3:] == ["/bin/bash", "-c", "ls 'a b'"]
