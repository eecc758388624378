"""How long results may be: as long as usual, or what a small context has room for."""

from __future__ import annotations

from text_agent.config.limits import LIST_MAX_ENTRIES, PROJECT_VIEW_MAX_CHARS, result_max_chars
from text_agent.files.workspace import Workspace

# Characters of an entry of a list, about.
_ENTRY_CHARS = 40


def result_chars(workspace: Workspace) -> int:
    """The characters of a result."""
    return result_max_chars(workspace.context_tokens)


def view_chars(workspace: Workspace) -> int:
    """The characters of a project's texts in its view, and of its list: half a result."""
    return min(PROJECT_VIEW_MAX_CHARS, result_chars(workspace) // 2)


def list_entries(workspace: Workspace) -> int:
    """The entries of a list."""
    return min(LIST_MAX_ENTRIES, result_chars(workspace) // _ENTRY_CHARS)
