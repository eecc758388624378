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
    which = which or partial(find_program, root=confinement.root)
    sandbox, problem = _find(confinement, platform, which)
    if sandbox is None and mode == "require":
        raise ConfigError(
            f"there is no sandbox for commands: {problem}.",
            hint="Without --sandbox require, commands run with your own rights.",
        )
    return sandbox, f"There is no sandbox for commands: {problem}." if problem else ""


def _find(
    confinement: Confinement, platform: str, which: Callable[[str], str | None]
) -> tuple[Sandbox | None, str]:
    if platform == "linux":
        program = which("bwrap")
        if program is None:
            return None, "bwrap is missing (the package bubblewrap has it)"
        problem = probe(program, confinement.root)
        return (None, problem) if problem else (Bubblewrap(program, confinement), "")
    if platform == "darwin":
        program = which("sandbox-exec")
        return (Seatbelt(program, confinement), "") if program else (None, "sandbox-exec is missing")
    return None, "this system has none that is supported here"
