"""Where the user's lines come from: an editable prompt, or a plain stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TextIO

from rich.console import Console

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings


class LineReader(Protocol):
    """Reads one line, or one pasted block, from the user.

    Attributes:
        pasted: blocks of several lines pasted into what was read last: not the user's own words.
    """

    pasted: list[str]

    def read(self, prompt: str) -> str:
        """Shows `prompt` and returns what the user typed, without the line break at its end.

        Raises:
            EOFError: the input has ended.
            KeyboardInterrupt: the user pressed Ctrl-C.
        """
        ...


class PromptReader:
    """Reads from a terminal, with editing, history and paste."""

    def __init__(self, *, color: bool) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.output import ColorDepth
        from prompt_toolkit.styles import Style

        self.pasted: list[str] = []
        depth = None if color else ColorDepth.DEPTH_1_BIT
        self._session: PromptSession[str] = PromptSession(
            style=Style.from_dict({"prompt": "bold ansicyan"} if color else {}),
            color_depth=depth,
            include_default_pygments_style=False,
            key_bindings=self._key_bindings(),
        )

    def read(self, prompt: str) -> str:
        """Reads a line; a bracketed paste of several lines is one."""
        self.pasted.clear()
        return self._session.prompt([("class:prompt", prompt)])

    def _key_bindings(self) -> KeyBindings:
        from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
        from prompt_toolkit.keys import Keys

        bindings = KeyBindings()

        @bindings.add(Keys.BracketedPaste)
        def paste(event: KeyPressEvent) -> None:
            # Terminals send the line breaks of a paste as carriage returns.
            text = event.data.replace("\r\n", "\n").replace("\r", "\n")
            event.current_buffer.insert_text(text)
            if "\n" in text:
                self.pasted.append(text)

        return bindings


class PlainReader:
    """Reads lines from a stream that is no terminal, or a terminal that cannot move its cursor."""

    def __init__(self, stream: TextIO, console: Console) -> None:
        self.pasted: list[str] = []
        self._stream = stream
        self._console = console

    def read(self, prompt: str) -> str:
        """Reads one line."""
        self._console.print(prompt, end="", style="you")
        line = self._stream.readline()
        if not line:
            self._console.print()
            raise EOFError
        return line.rstrip("\r\n")


def create_reader(
    stdin: TextIO, stdout: TextIO, console: Console, environment: Mapping[str, str]
) -> LineReader:
    """Chooses the reader that the streams can bear."""
    if stdin.isatty() and stdout.isatty() and environment.get("TERM") not in (None, "", "dumb"):
        return PromptReader(color=console.color_system is not None)
    return PlainReader(stdin, console)
