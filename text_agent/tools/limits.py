"""How long results may be: as long as usual, or what a small context has room for."""

from __future__ import annotations

from text_agent.config import LEAST_RESULT_CHARS, LIST_MAX_ENTRIES, RESULT_MAX_CHARS
from text_agent.workspace import Workspace

# Characters of an entry of a list, about.
_ENTRY_CHARS = 60


def result_chars(workspace: Workspace, most: int = RESULT_MAX_CHARS) -> int:
    """The characters of a result: one for each token of the context, which is a quarter of it."""
    return most if workspace.context_tokens is None else _within(workspace.context_tokens, most)


def list_entries(workspace: Workspace) -> int:
    """The entries of a list."""
    return min(LIST_MAX_ENTRIES, result_chars(workspace) // _ENTRY_CHARS)


def _within(context_tokens: int, most: int) -> int:
    return min(max(context_tokens, LEAST_RESULT_CHARS), most)
