"""Tells the user that a line typed while the model works was taken, and waits for its turn."""

from __future__ import annotations

from text_agent.events import Event, EventSink, Notice, ReplyFinished, ToolFinished
from text_agent.terminal.input.line_reader import LineReader

# Characters of a line that are shown.
_SHOWN_CHARS = 60


class QueueNotice:
    """An event sink that tells `screen` of such lines, where no text is being written."""

    def __init__(self, reader: LineReader, screen: EventSink) -> None:
        self._reader = reader
        self._screen = screen

    def __call__(self, event: Event) -> None:
        """Tells of the lines that were finished meanwhile."""
        if isinstance(event, ReplyFinished | ToolFinished):
            for line in self._reader.queued():
                shown = line if len(line) <= _SHOWN_CHARS else line[: _SHOWN_CHARS - 3] + "..."
                self._screen(Notice(f"Queued: {shown}"))
