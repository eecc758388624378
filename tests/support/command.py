"""Runs the installed command as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

TEXT_AGENT = Path(sys.executable).with_name("text-agent")


def run_command(
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Runs `text-agent` with `arguments` in `cwd` and returns what it printed and its exit code."""
    return subprocess.run(
        [str(TEXT_AGENT), *arguments],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
