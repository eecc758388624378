"""What the user waits for, and for how long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.text import Text

# Characters of a token: about right for English and for code, and only shown with a "~".
_CHARACTERS_A_TOKEN = 4
_FRAMES = "\u280b\u2819\u2839\u2838\u283c\u2834\u2826\u2827\u2807\u280f"
_ASCII_FRAMES = "|/-\\"
_FRAMES_A_SECOND = 8


@dataclass(slots=True)
class Progress:
    """Something that goes on."""

    label: str  # what it is, in a few words
    clock: Callable[[], float]  # seconds, from anywhere
    started: float = 0.0
    characters: int = 0  # what the model has written of it so far
    to_read: int = 0  # tokens of the prompt that the model reads first

    def __post_init__(self) -> None:
        self.started = self.clock()

    def line(self, encoding: str, width: int) -> Text:
        """How it stands, in one line of at most `width` columns; what is too long is cut at the label."""
        elapsed = self.clock() - self.started
        frames = _FRAMES if encoding.lower().startswith("utf") else _ASCII_FRAMES
        sign = frames[int(elapsed * _FRAMES_A_SECOND) % len(frames)]
        tokens = f", ~{self.characters // _CHARACTERS_A_TOKEN:,} tokens" if self.characters else ""
        reads = f"~{self.to_read:,} tokens to read; " if self.to_read and not self.characters else ""
        facts = f" {duration(elapsed)}{tokens} ({reads}Ctrl-C stops)"
        line = Text(f"{sign} {self.label}")
        line.truncate(max(width - len(facts), 0), overflow="ellipsis")
        line.append(facts)
        line.truncate(width)
        line.stylize("progress")
        return line


def duration(seconds: float) -> str:
    """Seconds as they are said: `7s`, `2m05s`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest:02}s" if minutes else f"{rest}s"
