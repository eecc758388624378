"""How the chat looks: every style by what it is for, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from rich.console import Console
from rich.theme import Theme

STYLES = {
    "you": "bold cyan",
    "assistant": "bold green",
    "reasoning": "dim italic",
    "tool": "bold yellow",
    "result": "dim",
    "error": "red",
    "notice": "magenta",
    "question": "bold",
    "plan.done": "dim",
    "plan.next": "bold",
    "plan.later": "",
    "diff.added": "green",
    "diff.removed": "red",
    "diff.place": "cyan",
    "diff.same": "dim",
}


def wants_color(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether colours may go to `stream`: a terminal that shows them, and nobody objects.

    `NO_COLOR` counts when it is set to anything but an empty string (no-color.org).
    """
    return stream.isatty() and environment.get("TERM") != "dumb" and not environment.get("NO_COLOR")


def create_console(stream: TextIO, environment: Mapping[str, str]) -> Console:
    """Makes the console that everything in the chat is printed with."""
    color = wants_color(stream, environment)
    return Console(
        file=stream,
        theme=Theme(STYLES),
        color_system="auto" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
    )
