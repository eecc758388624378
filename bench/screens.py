"""Draws the chat's screens at its main moments, as SVG, into docs/screens.

    .venv/bin/python -m bench.screens [folder]

Each is the screen of the installed command in a pseudo-terminal, with a scripted server as its model.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests.support.moves import Fail, Say, ScriptEntry
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat

_SIZE = (24, 80)
_COLORS = ["#5f6b7a", "#f2777a", "#99cc99", "#ffcc66", "#6699cc", "#cc99cc", "#66cccc", "#d3d0c8"]
_THEME = TerminalTheme(
    (24, 27, 33),
    (211, 215, 222),
    [tuple(int(color[at : at + 2], 16) for at in (1, 3, 5)) for color in _COLORS],  # type: ignore[misc]
)
_NAMES = {"brown": "yellow"}

_ANSWER = """The failure comes from `parse_port` in **config.py**: it returns a string.

1. `int()` is missing in the last line
2. the test compares with a number:

```python
def test_port():
    assert parse_port("8080") == 8080
```

I can change the function, so that it"""
_STREAMED = Say(f"{_ANSWER} gives a number.", chunks=60, delay_seconds=0.05)
_FILE = 'def parse_port(text):\n    """The port in a setting."""\n    text = text.strip()\n    return text\n'
_READ = 'I look at it first.\n\ntool: read_file({"path": "config.py"})'
_EDIT = (
    'tool: edit_file({"path": "config.py", "old_str": "    text = text.strip()\\n    return text", '
    '"new_str": "    return int(text)  # blanks are no problem"})'
)
_PLAN = 'tool: update_plan({"steps": ["Read config.py", "Return a number", "Run the tests"], "done": [1]})'
_TEST = 'tool: run_command({"command": "python -c \\"print(\'12 passed\')\\""})'


@dataclass(frozen=True, slots=True)
class Moment:
    """A screen worth showing: what the model says, and what its user does until it is there."""

    name: str
    script: list[ScriptEntry]
    play: Callable[[Chat], None]
    settles: bool = True


def _greeting(chat: Chat) -> None:
    chat.expect("you>")


def _streaming(chat: Chat) -> None:
    chat.expect("you>")
    chat.send("why does test_port fail?")
    chat.expect("I can change the function")


def _approval(chat: Chat) -> None:
    chat.expect("you>")
    chat.send("make parse_port return a number")
    chat.expect("[a]ll for this session:")


def _plan(chat: Chat) -> None:
    _approval(chat)
    chat.send("y")
    chat.expect("Run it?")
    chat.send("y")
    chat.expect("All tests pass")
    chat.expect("you>")


def _help(chat: Chat) -> None:
    chat.expect("you>")
    chat.send("/help")
    chat.expect("leaves")


def _error(chat: Chat) -> None:
    chat.expect("you>")
    chat.send("hello")
    chat.expect("key")


_MOMENTS = [
    Moment("greeting", [], _greeting),
    Moment(
        "streaming",
        [Say(f"{_ANSWER} gives a number.", chunks=60, delay_seconds=0.05)],
        _streaming,
        settles=False,
    ),
    Moment("approval", [_READ, _EDIT], _approval),
    Moment("plan", [_PLAN, _EDIT, _TEST, "All tests pass."], _plan),
    Moment("help", [], _help),
    Moment("error", [Fail(401, "invalid key")], _error),
]


def draw(moment: Moment, folder: Path) -> Path:
    """Plays one moment and writes its screen; returns the file."""
    home = Path(tempfile.mkdtemp(prefix="screens-"))
    project = home / "shop"
    project.mkdir()
    (project / "config.py").write_text(_FILE)
    environment = {"HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    with ScriptedServer(moment.script, strict=False) as server:
        flags = ("--provider", "openai", "--base-url", server.openai_url, "--model", "qwen2.5-coder")
        with Chat(*flags, cwd=project, environment=environment, size=_SIZE) as chat:
            moment.play(chat)
            if moment.settles:
                chat.settle()
            target = folder / f"{moment.name}.svg"
            target.write_text(svg_of(chat, moment.name), encoding="utf-8")
    return target


def svg_of(chat: Chat, name: str) -> str:
    """The screen as a picture."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(
            file=nowhere, record=True, width=_SIZE[1], force_terminal=True, legacy_windows=False
        )
        for row in chat.cells:
            line = Text(no_wrap=True, end="\n")
            for cell in row:
                line.append(cell.data, _style(cell.fg, cell.bg, bold=cell.bold, reverse=cell.reverse))
            console.print(line)
        return console.export_svg(title="text-agent", theme=_THEME, unique_id=name)


def _style(foreground: str, background: str, *, bold: bool, reverse: bool) -> Style:
    return Style(color=_color(foreground), bgcolor=_color(background), bold=bold, reverse=reverse)


def _color(name: str) -> str | None:
    if name == "default":
        return None
    is_hex = len(name) == 6 and all(digit in "0123456789abcdef" for digit in name)
    return f"#{name}" if is_hex else _NAMES.get(name, name.replace("bright", "bright_"))


def main() -> None:
    """Draws all of them."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/screens")
    folder.mkdir(parents=True, exist_ok=True)
    for moment in _MOMENTS:
        print(draw(moment, folder))


if __name__ == "__main__":
    main()
