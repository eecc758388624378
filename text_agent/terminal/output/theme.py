"""How the chat looks: every style by what it is for, in one table for each background."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TextIO

from rich.console import Console
from rich.theme import Theme

from text_agent.config.settings import ThemeName

ColorSystem = Literal["standard", "256", "truecolor"]

# On either background; names of colours are the terminal's own, which its user has chosen.
_STYLES = {
    "you": "bold cyan",
    "assistant": "bold green",
    "reasoning": "dim italic",
    "tool": "bold yellow",
    "result": "dim",
    "error": "red",
    "notice": "magenta",
    "question": "bold",
    "progress": "dim",
    "plan.done": "dim",
    "plan.next": "bold",
    "plan.later": "",
    "diff.added": "green",
    "diff.removed": "red",
    "diff.file": "bold",
    "diff.place": "cyan",
    "diff.same": "dim",
    "markdown.h1": "bold underline",
    "markdown.h2": "bold",
    "markdown.h3": "bold",
    "markdown.h4": "bold italic",
    "markdown.h5": "italic",
    "markdown.h6": "italic",
    "markdown.strong": "bold",
    "markdown.em": "italic",
    "markdown.s": "strike",
    "markdown.code": "cyan",
    "markdown.link": "underline",
    "markdown.link_url": "dim",
    "markdown.block_quote": "dim",
    "markdown.hr": "dim",
    "markdown.item.bullet": "bold",
}
_DARK = {"diff.added.line": "on #12321c", "diff.removed.line": "on #3f1517", "code.light": "not bold"}
_LIGHT = {
    "you": "bold blue",
    "tool": "bold magenta",
    "markdown.code": "blue",
    "diff.place": "blue",
    "diff.added.line": "on #d8f5dc",
    "diff.removed.line": "on #fbdcdc",
    "code.light": "bold",
}
# The colours of a terminal's background, by number in COLORFGBG, that are light.
_LIGHT_BACKGROUNDS = ("7", "15")


def wants_color(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether colours may go to `stream`: a terminal that shows them, and nobody objects.

    `NO_COLOR` counts when it is set to anything but an empty string (no-color.org), and goes before
    `FORCE_COLOR`, which asks for colours where there is no terminal.
    """
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "") not in ("", "0", "false"):
        return True
    return can_redraw(stream, environment)


def create_console(
    stream: TextIO, environment: Mapping[str, str], theme: ThemeName = "auto", *, color: bool = True
) -> Console:
    """Makes the console that everything in the chat is printed with; without `color`, in none."""
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    is_light = theme == "light" or (theme == "auto" and background in _LIGHT_BACKGROUNDS)
    shows = color and wants_color(stream, environment)
    # The size is the terminal's own, also when it changes; colours are decided on here alone.
    own = ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    return Console(
        file=stream,
        theme=Theme(_STYLES | (_LIGHT if is_light else _DARK)),
        color_system=_color_system(environment) if shows else None,
        force_terminal=stream.isatty(),
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
        _environ={name: value for name, value in environment.items() if name not in own},
    )


def can_redraw(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether lines on the screen can be replaced: in a terminal that can move its cursor."""
    return stream.isatty() and environment.get("TERM", "") not in ("", "dumb", "unknown")


def _color_system(environment: Mapping[str, str]) -> ColorSystem:
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "truecolor"
    return "256" if "256" in environment.get("TERM", "") else "standard"
