"""Reads what the user says next; light, so that the first prompt comes soon."""

from __future__ import annotations

from rich.console import Console

from text_agent.terminal.input.line_reader import LineReader

PROMPT = "you> "


def read_message(reader: LineReader, console: Console) -> str | None:
    """The next message; None to leave: at the input's end, or when Ctrl-C comes twice."""
    interrupts = 0
    while interrupts < 2:
        try:
            if interrupts:
                console.print("Press Ctrl-C again, or Ctrl-D, to leave.", style="notice")
            return reader.read(PROMPT)
        except EOFError:
            return None
        except KeyboardInterrupt:
            interrupts += 1
    return None
