"""The saved sessions of a test's user."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def sessions_folder() -> Path:
    """Where the installed command saves them."""
    home = Path(os.environ["HOME"])
    below = "Library/Application Support" if sys.platform == "darwin" else ".local/share"
    return home / below / "text-agent" / "sessions"


def session_files() -> list[Path]:
    """All of them, in the order of their names."""
    return sorted(sessions_folder().glob("*"))


def only_session() -> Path:
    """The only one."""
    (path,) = session_files()
    return path


def records(path: Path) -> list[dict[str, Any]]:
    """What stands in one."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]
