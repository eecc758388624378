"""Which sandbox this machine has."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from text_agent.commands.sandbox.bubblewrap import Bubblewrap, probe
from text_agent.commands.sandbox.confinement import Confinement, Sandbox
from text_agent.commands.sandbox.seatbelt import Seatbelt
from text_agent.config.settings import SandboxMode
from text_agent.errors import ConfigError
from text_agent.own_programs.processes import find_program


def find_sandbox(
    mode: SandboxMode,
    confinement: Confinement,
    *,
    platform: str = sys.platform,
    which: Callable[[str], str | None] | None = None,
) -> tuple[Sandbox | None, str]:
    """The sandbox of this machine, or None and why there is none, in one sentence for the user.

    Raises `ConfigError`: there is none, and the mode is `require`.
    """
    if mode == "off":
        return None, ""
    sandbox, problem = _find(confinement, platform, which or partial(find_program, root=confinement.root))
    if sandbox is None and mode == "require":
        raise ConfigError(
            f"there is no sandbox for commands: {problem}.",
            hint="Without --sandbox require, commands run with your own rights.",
        )
    return sandbox, f"There is no sandbox for commands: {problem}." if problem else ""


def _find(
    confinement: Confinement, platform: str, which: Callable[[str], str | None]
) -> tuple[Sandbox | None, str]:
    if platform == "darwin" and (program := which("sandbox-exec")):
        return Seatbelt(program, confinement), ""
    if platform == "darwin":
        return None, "sandbox-exec is missing"
    if platform != "linux":
        return None, "this system has none that is supported here"
    if program := which("bwrap"):
        problem = probe(program, confinement.root)
        return None if problem else Bubblewrap(program, confinement), problem
    return None, "bwrap is missing (the package bubblewrap has it)"
