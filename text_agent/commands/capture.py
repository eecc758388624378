"""What a command prints, kept within bounds: the beginning, and the last that came."""

from __future__ import annotations

import codecs
import threading
from collections.abc import Iterator

from text_agent.config.limits import COMMAND_HEAD_BYTES, COMMAND_TAIL_BYTES
from text_agent.text.truncation import clean_output

# Bytes that are cleaned at once.
_BLOCK_BYTES = 1 << 18


class Capture:
    """Takes bytes as they come, in one thread, and gives a text of them in another; `total` counts them."""

    def __init__(self, head_bytes: int = COMMAND_HEAD_BYTES, tail_bytes: int = COMMAND_TAIL_BYTES) -> None:
        self.total = 0
        self._head = bytearray()
        self._tail = bytearray()
        self._head_bytes = head_bytes
        self._tail_bytes = tail_bytes
        self._lock = threading.Lock()

    def feed(self, piece: bytes) -> None:
        """Keeps `piece`, and forgets what nobody will be shown."""
        with self._lock:
            self.total += len(piece)
            room = self._head_bytes - len(self._head)
            self._head += piece[:room]
            self._tail += piece[room:]
            if len(self._tail) > 2 * self._tail_bytes:  # not for every piece: it moves what is kept
                del self._tail[: -self._tail_bytes]

    def text(self) -> str:
        """What was printed, as a terminal would show it in the end, and how much of it was not kept."""
        with self._lock:
            lost = self.total - len(self._head) - len(self._tail)
            if not lost:
                return "".join(_cleaned(bytes(self._head + self._tail)))
            first, last = "".join(_cleaned(bytes(self._head))), "".join(_cleaned(bytes(self._tail)))
        return f"{first.rstrip()}\n[... {lost:,} more bytes, which were not kept]\n{last}"


def _cleaned(output: bytes) -> Iterator[str]:
    """The text of `output`, cleaned in blocks of whole lines, so that little more is held at once."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    line = ""
    for start in range(0, len(output), _BLOCK_BYTES):
        block, end, line = (line + decoder.decode(output[start : start + _BLOCK_BYTES])).rpartition("\n")
        if end:
            yield clean_output(block) + end
        # Of a line that is drawn over and over, only the last state will count.
        line = line[max(line.rfind("\r", 0, -1), 0) :]
    yield clean_output(line + decoder.decode(b"", final=True))
