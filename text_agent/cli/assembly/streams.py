"""The process's streams and environment, passed in."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from text_agent.text.look_alikes import LOOK_ALIKE, is_ascii_locale


@dataclass(frozen=True, slots=True)
class Streams:
    """The three standard streams and the environment, passed in so that tests can bring their own."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environment: Mapping[str, str]


def own_streams() -> Streams:
    """The process's own streams, which no character stops; one that is closed is the null device."""
    # In this order each takes the lowest free descriptor, its own: no other file can take its place.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w" and isinstance(getattr(sys, name).buffer, io.RawIOBase):
            setattr(sys, name, _buffered(getattr(sys, name)))
        # A character that the terminal cannot show must not end the program.
        getattr(sys, name).reconfigure(errors="replace" if name == "stdin" else LOOK_ALIKE)
    return Streams(sys.stdin, sys.stdout, sys.stderr, dict(os.environ))


def _buffered(stream: TextIO) -> TextIO:
    """The stream as it is without PYTHONUNBUFFERED, which loses the rest of a write cut short."""
    return open(stream.fileno(), "w", encoding=stream.encoding, closefd=False)


def adapt_to_locale(streams: Streams) -> None:
    """Lets only ASCII be printed where the user's locale knows no more."""
    if is_ascii_locale(streams.environment) and isinstance(streams.stdout, io.TextIOWrapper):
        streams.stdout.reconfigure(encoding="ascii", errors=LOOK_ALIKE)


def read_stdin(what: str, streams: Streams) -> str:
    """Reads standard input to its end; at a terminal the user is told that it is waited for."""
    if streams.stdin.isatty():
        streams.stderr.write(f"text-agent: type {what}, then Ctrl-D on a line of its own.\n")
        streams.stderr.flush()
    return streams.stdin.read()
