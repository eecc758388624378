"""What is kept for the user from one start to the next: a JSON object in a file that nobody else can read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from text_agent.files.atomic_write import write_atomically


class KeptFile:
    """Entries by their keys, to which several sessions may add at the same time."""

    def __init__(self, path: Path, *, is_precious: bool = False) -> None:
        """`is_precious`: a file that is damaged is an error; any other one holds nothing, and is replaced."""
        self.path = path
        self._is_precious = is_precious

    def read(self) -> dict[str, Any]:
        """All entries; none without a file.

        Raises `OSError`, `ValueError`, `RecursionError`: a precious file cannot be used.
        """
        try:
            content = json.loads(self.path.read_bytes())
            if not isinstance(content, dict):
                raise ValueError("it holds no object")
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, ValueError, RecursionError):
            if self._is_precious:
                raise
            return {}
        return content

    def keep(self, key: str, entry: object) -> None:
        """Puts one entry beside those that are there by now. Raises what `read` raises, and `OSError`."""
        text = json.dumps({**self.read(), key: entry}, indent=2, ensure_ascii=False) + "\n"
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(self.path, text.encode("utf-8", "backslashreplace"), mode=0o600)
