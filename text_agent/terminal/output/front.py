"""The parts of the chat that the first prompt needs."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console

from text_agent.terminal.input.line_reader import LineReader
from text_agent.terminal.output.status import Status


@dataclass(frozen=True, slots=True)
class Front:
    """Where the chat prints, where it reads, and what its footer says."""

    console: Console
    reader: LineReader
    status: Status
