"""What a small model is shown of a project that it cannot see whole: the places that a request is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from text_agent.agent.claims import asks_only
from text_agent.agent.project_view import language_of
from text_agent.config.limits import OUTLINE_MAX_CHARS, OUTLINE_MAX_PLACES, PLACES_MAX_CHARS
from text_agent.errors import ToolError
from text_agent.files.index.excerpts import Excerpt, select_excerpts
from text_agent.files.index.ranking import rank_units
from text_agent.files.index.units import Unit
from text_agent.files.problems import readable
from text_agent.files.workspace import Workspace
from text_agent.protocol.templates import fill_template
from text_agent.protocol.writing import render_block


def show_places(
    workspace: Workspace, request: str, max_chars: int, frames: Sequence[tuple[str, int]] = ()
) -> str:
    """Returns the places that a request is about, the best one last, which the model reads best.

    Their lines count as read.

    Args:
        workspace: the project.
        request: what the user asks for.
        max_chars: how long the shown texts may be together.
        frames: files with a line that a traceback has.

    Returns:
        Empty if nothing is found.
    """
    try:
        selection = select_excerpts(
            rank_units(workspace, request, asks_only, frames), min(max_chars, PLACES_MAX_CHARS)
        )
    except ToolError:
        return ""
    for excerpt in selection.excerpts:
        _note_shown(workspace, excerpt)
    lines = _fitting(_place(entry.path, entry.unit) for entry in selection.further)
    outline = fill_template("project_outline", lines=lines) if lines and selection.excerpts else ""
    return "\n\n".join(filter(None, [outline, *map(_render, reversed(selection.excerpts))]))


def _fitting(lines: Iterable[str]) -> str:
    """The first lines, as many as there is room for."""
    text = ""
    for number, line in enumerate(lines):
        if number == OUTLINE_MAX_PLACES or len(text) + len(line) > OUTLINE_MAX_CHARS:
            break
        text += f"\n{line}"
    return text[1:]


def _render(excerpt: Excerpt) -> str:
    places = [_place(excerpt.path, unit) for unit in excerpt.units if unit.name]
    lines = f"lines {excerpt.first}-{excerpt.last}"
    header = "\n".join([*places, f"{readable(excerpt.path)}, {lines}"])
    block = render_block(excerpt.text, language_of(excerpt.path))
    return fill_template("project_excerpt", header=header, block=block)


def _place(path: str, unit: Unit) -> str:
    return f"{readable(path)}:{unit.line} {unit.kind} {unit.full_name}"


def _note_shown(workspace: Workspace, excerpt: Excerpt) -> None:
    """Notes the lines as read, so that the model may change them."""
    if excerpt.is_outline:
        return
    try:
        target = workspace.resolve(excerpt.path)
        with workspace.open_file(target) as file:
            content = file.read()
    except (ToolError, OSError):
        return
    shown = range(excerpt.first, excerpt.last + 1)
    workspace.memory.note_shown(target, content, shown, len(excerpt.lines))
