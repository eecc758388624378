"""Runs commands as the tool does, with and without a sandbox."""

from __future__ import annotations

from pathlib import Path

from tests.support.bubblewrap import need_bubblewrap
from tests.support.processes import Mark
from text_agent.commands.sandbox.confinement import Confinement, home_secrets
from text_agent.commands.sandbox.finding import find_sandbox
from text_agent.errors import ToolError
from text_agent.files.workspace import Workspace
from text_agent.tools.run_command import CommandHost, run_command

SECRET = "TOP-SECRET-VALUE"


def failure(host: CommandHost, command: str, timeout: int = 20) -> str:
    """The text of a result that is no success."""
    try:
        result = run_command(host, command, timeout)
    except ToolError as error:
        return str(error)
    assert result.exit_code
    return result.render()


def outcome(host: CommandHost, command: str, timeout: int = 20) -> str:
    """The result's text, whatever the exit code."""
    try:
        return run_command(host, command, timeout).render()
    except ToolError as error:
        return str(error)


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mode, path.read_bytes()) for path in files}


def confine(workspace: Workspace, home: Path, *, network: bool = False) -> Confinement:
    hidden = home_secrets(home, [home / ".config" / "text-agent"])
    return Confinement(
        workspace.root,
        workspace.scratch,
        lambda: [*hidden, *workspace.secrets.files(workspace.root)],
        network,
    )


def sandboxed(workspace: Workspace, home: Path, mark: Mark, *, network: bool = False) -> CommandHost:
    need_bubblewrap()
    sandbox, _ = find_sandbox("require", confine(workspace, home, network=network))
    return CommandHost(workspace, environment=mark.environment, sandbox=sandbox)
