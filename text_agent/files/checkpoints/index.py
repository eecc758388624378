"""What is kept of which path, noted beside the store, so that the next session need not read it again."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from text_agent.files.atomic_write import write_atomically
from text_agent.files.checkpoints.states import PathState

# By what a path is known to be unchanged.
Signature = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What stood at a path when it had this signature."""

    signature: Signature
    state: PathState


def save_index(file: Path, known: Mapping[str, Known]) -> None:
    """Notes what is known; where that fails, the next session only takes longer."""
    rows = {
        path: [each.signature, each.state.kind, each.state.mode, each.state.content, each.state.kept]
        for path, each in known.items()
    }
    with contextlib.suppress(OSError):
        write_atomically(file, json.dumps(rows).encode(), mode=0o600)


def load_index(file: Path) -> dict[str, Known]:
    """What is known from an earlier session; nothing if it was not noted or cannot be read."""
    try:
        rows = json.loads(file.read_bytes())
        return {
            path: Known(tuple(signature), PathState(*state)) for path, (signature, *state) in rows.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
