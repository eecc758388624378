"""Puts text where the user can paste it from."""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from text_agent.own_programs.processes import find_program, own_environment, run
from text_agent.terminal.output.theme import can_redraw

# Bytes that terminals take in one OSC 52 sequence; longer ones are cut or dropped without a word.
_OSC_MAX_BYTES = 74_994
# Seconds that a clipboard tool may take.
_TOOL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Clipboard:
    """The clipboard of whoever sits at the terminal."""

    output: TextIO  # the terminal
    environment: Mapping[str, str]  # tells which clipboards there are
    root: Path  # the workspace, whose programs are not used

    def copy(self, text: str) -> str:
        """Copies `text`, and returns a sentence on how that went."""
        # Over SSH the tools reach a clipboard of the other machine.
        remote = "SSH_CONNECTION" in self.environment or "SSH_TTY" in self.environment
        if not remote and any(self._run(tool, text) for tool in self._tools()):
            return "Copied the last answer."
        if not can_redraw(self.output, self.environment):
            return "There is no clipboard here: no tool for one is installed, and this is no terminal."
        sequence = base64.b64encode(text.encode("utf-8", "replace")).decode()
        if len(sequence) > _OSC_MAX_BYTES:
            return "The last answer is too long for the terminal's clipboard; /export writes it to a file."
        self.output.write(f"\x1b]52;c;{sequence}\x07")
        self.output.flush()
        return "Copied the last answer, if this terminal lets programs copy (OSC 52)."

    def _tools(self) -> Iterator[Sequence[str]]:
        if sys.platform == "darwin":
            yield ("pbcopy",)
        if sys.platform == "win32" or "WSL_DISTRO_NAME" in self.environment:
            yield ("clip.exe",)
        if self.environment.get("WAYLAND_DISPLAY"):
            yield ("wl-copy",)
        if self.environment.get("DISPLAY"):
            yield from (("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input"))

    def _run(self, tool: Sequence[str], text: str) -> bool:
        program = find_program(tool[0], self.root, self.environment.get("PATH", ""))
        if program is None:
            return False
        try:
            # The tools stay in the background to serve the text: their output must not be waited for.
            done = run(
                [program, *tool[1:]],
                own_environment(self.environment, self.root),
                seconds=_TOOL_SECONDS,
                given=text.encode("utf-8", "replace"),
                captures=False,
            )
        except OSError:
            return False
        return done.returncode == 0
