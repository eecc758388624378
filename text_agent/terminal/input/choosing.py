"""Lets the user choose one of several things, by arrow keys or by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TextIO

from text_agent.terminal.output.theme import can_redraw


def choose(
    question: str, lines: Sequence[str], stdin: TextIO, output: TextIO, environment: Mapping[str, str]
) -> int:
    """Returns the index of the line that the user chooses; the first one is offered.

    `question`: a line above the others. `lines`: at least one. `environment`: tells what the terminal can do;
    in one that cannot move its cursor a number is typed. Raises `KeyboardInterrupt`: the user pressed Ctrl-C,
    or ended the input.
    """
    if not can_redraw(output, environment):
        return _typed(question, lines, stdin, output)
    from prompt_toolkit.application import create_app_session
    from prompt_toolkit.output import create_output
    from prompt_toolkit.shortcuts import choice

    with create_app_session(output=create_output(output)):
        return choice(question, options=list(enumerate(lines)))


def _typed(question: str, lines: Sequence[str], stdin: TextIO, output: TextIO) -> int:
    listed = "".join(f"{number:>3}  {line}\n" for number, line in enumerate(lines, 1))
    output.write(f"{question}\n{listed}")
    while True:
        output.write(f"[1-{len(lines)}] ")
        output.flush()
        line = stdin.readline()
        if not line:
            raise KeyboardInterrupt
        text = line.strip()
        if text.isascii() and text.isdigit() and 1 <= int(text) <= len(lines):
            return int(text) - 1
