"""Surroundings of command lines that depend on no machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from text_agent.files.secrets import Secrets
from text_agent.permissions.command_lines.surroundings import GitSettings, Surroundings


def usual_program(name: str) -> str | None:
    """Where programs are that belong to the system."""
    return f"/usr/bin/{name}"


def surroundings_of(
    root: Path,
    *,
    find_program: Callable[[str], str | None] = usual_program,
    settings: GitSettings | None = None,
    tracks_secrets: bool = False,
    hides_secrets: bool = False,
) -> Surroundings:
    """Surroundings with all programs in `/usr/bin`, and a git without settings."""
    return Surroundings(
        root.resolve(),
        Secrets(root.resolve()),
        find_program,
        lambda: {} if settings is None else settings,
        lambda: tracks_secrets,
        hides_secrets,
    )
