"""The process's streams and environment, passed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Streams:
    """The three standard streams and the environment, passed in so that tests can bring their own."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environment: Mapping[str, str]


def read_stdin(what: str, streams: Streams) -> str:
    """Reads standard input to its end; at a terminal the user is told that it is waited for."""
    if streams.stdin.isatty():
        streams.stderr.write(f"text-agent: type {what}, then Ctrl-D on a line of its own.\n")
        streams.stderr.flush()
    return streams.stdin.read()
